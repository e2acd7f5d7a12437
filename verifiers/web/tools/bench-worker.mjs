// Verifies batches of proofs in a separate thread, for `bench.mjs`.

import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import * as glue from "../light-client/wasm/duet_light_wasm.js";

await glue.default({ module_or_path: readFileSync(new URL("../light-client/wasm/duet_light_wasm_bg.wasm", import.meta.url)) });

parentPort.on("message", ({ state, mode, form, proofs }) => {
  const client = glue.LightClient.fromState(state, mode);
  const { verified, error } = client.verifyAll(form, proofs);
  client.free();
  parentPort.postMessage(error ? 0 : verified.length);
});
parentPort.postMessage("ready");
