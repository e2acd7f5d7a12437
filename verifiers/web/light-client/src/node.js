// The light client in Node.

import { readFile } from "node:fs/promises";
import { parentPort, Worker } from "node:worker_threads";
import { LightClient, serveWorker } from "./client.js";
import { openSocket } from "./node-socket.js";
import * as glue from "../wasm/duet_light_wasm.js";

export { DuetError } from "./error.js";
export { file } from "./node-storage.js";
export { shown, toHex, fromHex } from "./text.js";

const MODULE = new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url);

const platform = {
  openSocket,
  async loadWasm() {
    await glue.default({ module_or_path: await readFile(MODULE) });
    return glue;
  },
  spawn: () => channel(new Worker(new URL("./worker-node.js", import.meta.url))),
  spawnCalls: () => channel(new Worker(new URL("./calls-node.js", import.meta.url))),
};

function channel(worker) {
  return {
    post: (message) => worker.postMessage(message),
    listen(message, error) {
      worker.on("message", message);
      worker.on("error", ({ message: text }) => error(text));
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
  serveWorker(platform, (take) => parentPort.on("message", take), (message) => parentPort.postMessage(message));
}
