// The light client in a browser.

import { LightClient } from "./client.js";
import { Host } from "./host.js";
import { channel, platform } from "./platform-browser.js";

export { DuetError } from "./error.js";
export { indexedDb, localStorage } from "./storage.js";
export { shown, toHex, fromHex } from "./text.js";

// Only who watches a transaction loads this.
const loadWatch = () => import("./watch.js");
const spawn = () => channel(new Worker(new URL("./worker-browser.js", import.meta.url), { type: "module" }));
// A service worker, as an extension has it, starts no workers.
const host = new Host({ ...platform, spawn, loadWatch, hasWorkers: typeof Worker !== "undefined" });

globalThis.addEventListener("online", () => host.wake());
globalThis.document?.addEventListener("visibilitychange", () => document.hidden || host.wake());

/** Starts a light client. */
export function create(options) {
  return new LightClient(options, host);
}
