// Providers over servers that serve a recording, and lie where they are told to.

import { calling, client, recording, Server, withBody } from "../../light-client/test/support.mjs";
import { Provider } from "../src/provider.js";
import { papiProvider } from "../src/papi.js";

export { aged, calling, flip, recording, Server, SILENCE, until, withBody } from "../../light-client/test/support.mjs";

/** A provider over servers, which ends with the test; `answers` and `faults` are what it told. */
export async function provider(test, servers, { isReady = true, client: clientOptions, ...options } = {}) {
  const made = client(test, servers, clientOptions);
  if (isReady) await made.ready;
  const provided = new Provider(made, options);
  Object.assign(provided, { client: made, answers: [], faults: [] });
  provided.on("answer", (answer) => provided.answers.push(answer));
  provided.on("fault", (fault) => provided.faults.push(fault));
  test.after(() => provided.end());
  return provided;
}

/** A connection as PAPI has it: `ask` gives the answer's message, `pushed` are the notifications. */
export async function connection(test, servers, { client: clientOptions, ...options } = {}) {
  const made = client(test, servers, clientOptions);
  await made.ready;
  const connect = papiProvider(made, options);
  const waiting = new Map();
  const pushed = [];
  const { send, disconnect } = connect((message) => {
    if ("id" in message) waiting.get(message.id)(message);
    else pushed.push(message);
  });
  test.after(disconnect);
  let next = 1;
  const ask = (method, ...params) =>
    new Promise((resolve) => {
      waiting.set(next, resolve);
      send({ jsonrpc: "2.0", id: next++, method, params });
    });
  return { ask, pushed, connect, client: made };
}

/** Lies about one method. */
export const about = (name, change) => (method, params, honest) => (method === name ? change(honest, params) : honest);

export const answer = (name) => recording.answers[name];
export const callsNetwork = { network: calling };
export const callsClient = { client: { genesisHash: calling.genesis } };
export const bodyNetwork = { network: withBody };
export const bodyClient = { client: { genesisHash: withBody.genesis } };
