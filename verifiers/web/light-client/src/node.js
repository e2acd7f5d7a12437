// The light client in Node.

import { Worker } from "node:worker_threads";
import { LightClient } from "./client.js";
import { Host } from "./host.js";
import { channel, platform } from "./platform-node.js";

export { DuetError } from "./error.js";
export { file } from "./node-storage.js";
export { shown, toHex, fromHex } from "./text.js";

// Only who watches a transaction loads this.
const loadWatch = () => import("./watch.js");
const spawn = () => channel(new Worker(new URL("./worker-node.js", import.meta.url)));
const host = new Host({ ...platform, spawn, loadWatch, hasWorkers: true });

/** Starts a light client. */
export function create(options) {
  return new LightClient(options, host);
}
