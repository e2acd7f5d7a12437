// The light client's worker with a module that can be made to trap and to hang, as a faulty one would.

import { parentPort } from "node:worker_threads";
import { serveWorker } from "../src/host.js";
import { platform } from "../src/platform-node.js";

// A module with the function `trap`, which is one instruction: unreachable.
const BYTES = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11];
const { trap } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(BYTES))).exports;

async function loadWasm() {
  const glue = await platform.loadWasm();
  const peek = (form, bytes) => (bytes.length === 1 ? trap() : glue.peek(form, bytes));
  const blake2b = (bytes, length) => {
    if (length === 1) trap();
    while (length === 2);
    if (length === 3) {
      setTimeout(() => {
        throw new Error("thrown aside");
      });
    }
    return glue.blake2b(bytes, 32);
  };
  return { ...glue, peek, blake2b };
}

serveWorker({ ...platform, loadWasm }, (take) => parentPort.on("message", take), (message) => parentPort.postMessage(message));
