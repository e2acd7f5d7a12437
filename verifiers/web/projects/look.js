// What each project does: it reads a verified balance, and the result of a call of the runtime. Each is of a network of its
// own. The times are milliseconds from the start of the client.

import { create } from "duet-light-client";

/** `{ free, ms }`: the balance of an account in one network. */
export async function balance({ genesisHash, endpoint, address }) {
  return measured(genesisHash, endpoint, async (client) => ({ free: String((await client.account(address)).free) }));
}

/** `{ result, ms }`: what a function of the other network's runtime returns. */
export async function call({ genesisHash, endpoint, method, parameters }) {
  return measured(genesisHash, endpoint, async (client) => ({ result: Array.from((await client.call(method, parameters)).result) }));
}

/** Both, one after the other. */
export async function look(networks) {
  return { balance: await balance(networks.balance), call: await call(networks.call) };
}

async function measured(genesisHash, endpoint, read) {
  const start = performance.now();
  const client = create({ genesisHash, endpoints: [endpoint], trustOldStart: true });
  await client.ready;
  const seen = await read(client);
  const ms = Math.round(performance.now() - start);
  await client.destroy();
  return { ...seen, ms };
}
