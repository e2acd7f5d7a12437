// The light client's worker in Node.

import { parentPort } from "node:worker_threads";
import { serveWorker } from "./host.js";
import { platform } from "./platform-node.js";

serveWorker(platform, (take) => parentPort.on("message", take), (message) => parentPort.postMessage(message));
