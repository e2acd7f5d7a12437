// The worker in a browser that executes calls of the runtime. Only it loads the module for them.

import { serveCalls } from "./calls.js";
import * as glue from "../wasm/duet_calls_wasm.js";

const MODULE = new URL("../wasm/duet_calls_wasm_bg.wasm", import.meta.url);

async function load() {
  await glue.default({ module_or_path: MODULE });
  return glue;
}

serveCalls(load, (take) => (self.onmessage = ({ data }) => take(data)), (message) => self.postMessage(message));
