// The light client in a browser.

import { LightClient, serveWorker } from "./client.js";
import * as glue from "../wasm/duet_light_wasm.js";

export { DuetError } from "./error.js";
export { indexedDb, localStorage } from "./storage.js";
export { shown, toHex, fromHex } from "./text.js";

const MODULE = new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url);

const platform = {
  openSocket: (url) => new WebSocket(url),
  async loadWasm() {
    await glue.default({ module_or_path: MODULE });
    return glue;
  },
  spawn: () => channel(new Worker(new URL("./worker-browser.js", import.meta.url), { type: "module" })),
  spawnCalls: () => channel(new Worker(new URL("./calls-browser.js", import.meta.url), { type: "module" })),
};

function channel(worker) {
  return {
    post: (message) => worker.postMessage(message),
    listen(message, error) {
      worker.onmessage = ({ data }) => message(data);
      worker.onerror = (event) => error(event.message ?? "the worker script could not be loaded");
    },
    end: () => worker.terminate(),
  };
}

/** Starts a light client. */
export function create(options) {
  return new LightClient(options, platform);
}

/** The entry point of the worker. */
export function serve() {
  serveWorker(platform, (take) => (self.onmessage = ({ data }) => take(data)), (message) => self.postMessage(message));
}
