import { create, type Account, type Called, type LightClient } from "duet-light-client";
import { papiProvider } from "duet-provider";
import { rpc } from "duet-types";

interface Network {
  genesisHash: string;
  endpoint: string;
}

interface Networks {
  balance: Network & { address: string };
  call: Network & { method: string; parameters: string };
}

async function read<T>({ genesisHash, endpoint }: Network, what: (client: LightClient) => Promise<T>): Promise<T & { ms: number }> {
  const start = performance.now();
  const client = create({ genesisHash, endpoints: [endpoint], trustOldStart: true });
  await client.ready;
  papiProvider(client);
  const seen = await what(client);
  await client.destroy();
  return { ...seen, ms: Math.round(performance.now() - start) };
}

const { balance, call } = JSON.parse(process.argv[2] ?? "") as Networks;
const account: Account & { ms: number } = await read(balance, (client) => client.account(balance.address));
const called: Called & { ms: number } = await read(call, (client) => client.call(call.method, call.parameters));
const seen = { balance: { free: String(account.free), ms: account.ms }, call: { result: Array.from(called.result), ms: called.ms } };
if (rpc.duet === undefined) throw new Error("no definitions");
console.log(JSON.stringify(seen));
