// Compiled and not run: the types fit the libraries that take them, and each other.

import { ApiPromise } from "@polkadot/api";
import { createClient } from "polkadot-api";
import { create, DuetError, type Head } from "duet-light-client";
import { papiProvider, PolkadotJsProvider, ProviderError } from "duet-provider";
import { papiDuet, rpc, types } from "duet-types";

const client = create({ genesisHash: "0x00", endpoints: ["ws://127.0.0.1:1"], times: { readyWithin: 1_000 } });
client.on("head", (head: Head) => head.signers + head.of);
client.on("fault", (fault: DuetError) => fault.rule?.length);

export async function read(): Promise<bigint> {
  const { entries, block, nodes } = await client.entries(["0x00"], { at: "0x00", within: 5 });
  const { headers } = await client.headers(block - 2, block);
  const { result } = await client.request<string>("system_chain");
  const { result: version, rounds } = await client.call("Core_version", "0x", { at: block });
  const { included } = await client.transaction("0x00", { at: headers[0].block });
  const size = (entries[0].value?.length ?? 0) + nodes.length + (result?.length ?? 0) + version.length + rounds + Number(included);
  return (await client.account("5Grw")).free + BigInt(size);
}

export async function polkadotJs(): Promise<string> {
  const provider = new PolkadotJsProvider(client, { strict: true, pinned: { metadata: "0x", chain: "x" } });
  provider.on("answer", ({ method, class: worth }) => `${method} ${worth satisfies "verified" | "passed" | "pinned"}`);
  const api = await ApiPromise.create({ provider, rpc, types });
  return (await api.rpc.chain.getFinalizedHead()).toHex();
}

export async function papi(): Promise<number | undefined> {
  const connect = papiProvider(client);
  connect.on("fault", (fault: ProviderError) => fault.code);
  const app = createClient(connect);
  const duet = papiDuet(app);
  duet.justifications().subscribe({ next: (bytes: string) => bytes.length });
  return (await duet.getProofs(["0x00"]))?.nodes.length;
}

// @ts-expect-error A misspelt option is found.
create({ genesisHash: "0x00", endpoint: [] });
// @ts-expect-error So is a missing argument.
client.storage();
// @ts-expect-error And a class that does not exist.
papiProvider(client).on("answer", ({ class: worth }) => worth === "believed");
