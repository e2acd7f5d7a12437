// The light client in a browser.

import { LightClient } from "./client.js";
import { channel, platform } from "./platform-browser.js";

export { DuetError } from "./error.js";
export { indexedDb, localStorage } from "./storage.js";
export { shown, toHex, fromHex } from "./text.js";

// Only who watches a transaction loads this.
const loadWatch = () => import("./watch.js");
const spawn = () => channel(new Worker(new URL("./worker-browser.js", import.meta.url), { type: "module" }));

/** Starts a light client. */
export function create(options) {
  // A service worker, as an extension has it, starts no workers.
  return new LightClient(options, { ...platform, spawn, loadWatch, hasWorkers: typeof Worker !== "undefined" });
}
