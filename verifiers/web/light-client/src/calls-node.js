// The worker in Node that executes calls of the runtime and reads metadata. Only it loads the modules for them.

import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { serveCalls } from "./calls-serve.js";
import * as calls from "../wasm/duet_calls_wasm.js";
import * as outcomes from "../wasm/duet_outcomes_wasm.js";

const CALLS = new URL("../wasm/duet_calls_wasm_bg.wasm", import.meta.url);
const OUTCOMES = new URL("../wasm/duet_outcomes_wasm_bg.wasm", import.meta.url);

async function load(glue, module) {
  await glue.default({ module_or_path: await readFile(module) });
  return glue;
}

serveCalls(() => load(calls, CALLS), () => load(outcomes, OUTCOMES), (take) => parentPort.on("message", take), (message) => parentPort.postMessage(message));
