// The worker in Node that executes calls of the runtime. Only it loads the module for them.

import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { serveCalls } from "./calls.js";
import * as glue from "../wasm/duet_calls_wasm.js";

const MODULE = new URL("../wasm/duet_calls_wasm_bg.wasm", import.meta.url);

async function load() {
  await glue.default({ module_or_path: await readFile(MODULE) });
  return glue;
}

serveCalls(load, (take) => parentPort.on("message", take), (message) => parentPort.postMessage(message));
