// A service worker starts no workers. So the client runs in its thread, and calls of the runtime, which need a worker, run in
// a document that nobody sees.

import { balance } from "./look.js";

globalThis.look = async (networks) => {
  const seen = await balance(networks.balance);
  await chrome.offscreen.createDocument({ url: "offscreen.html", reasons: ["WORKERS"], justification: "calls of the runtime are executed in a worker" });
  const { called, error } = await chrome.runtime.sendMessage(networks.call);
  if (error) throw new Error(error);
  return { balance: seen, call: called };
};
