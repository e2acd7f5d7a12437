// What the light client takes from Node, in the caller's thread and in the client's worker.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { openSocket } from "./node-socket.js";
import * as glue from "../wasm/duet_light_wasm.js";

const MODULE = new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url);

export const platform = {
  openSocket,
  async loadWasm() {
    await glue.default({ module_or_path: await readFile(MODULE) });
    return glue;
  },
  spawnCalls: () => channel(new Worker(new URL("./calls-node.js", import.meta.url))),
};

/** Messages to a worker and from it. */
export function channel(worker) {
  return {
    post: (message) => worker.postMessage(message),
    listen(message, error) {
      worker.on("message", message);
      worker.on("error", ({ message: text }) => error(text));
    },
    end: () => worker.terminate(),
  };
}
