// What the light client takes from a browser, in a page and in the client's worker. Nothing here starts that worker: some
// bundlers wait for ever on a worker that can start itself.

import * as glue from "../wasm/duet_light_wasm.js";

const MODULE = new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url);

export const platform = {
  openSocket: (url) => new WebSocket(url),
  async loadWasm() {
    await glue.default({ module_or_path: MODULE });
    return glue;
  },
  spawnCalls: () => channel(new Worker(new URL("./calls-browser.js", import.meta.url), { type: "module" })),
};

/** Messages to a worker and from it. */
export function channel(worker) {
  return {
    post: (message) => worker.postMessage(message),
    listen(message, error) {
      worker.onmessage = ({ data }) => message(data);
      worker.onerror = (event) => error(event.message ?? "the worker script could not be loaded");
    },
    end: () => worker.terminate(),
  };
}
