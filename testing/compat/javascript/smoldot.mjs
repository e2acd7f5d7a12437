// smoldot: a light client that follows GRANDPA from the raw chain specification, over a WebSocket address of a node.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { duet } from "@polkadot-api/descriptors";
import { WsProvider } from "@polkadot/api";
import { createClient } from "polkadot-api";
import { getSmProvider } from "polkadot-api/sm-provider";
import { start } from "smoldot";
import { check, seen, step } from "./support/check.mjs";
import { executable } from "./support/node.mjs";
import { proofOf } from "./support/proof.mjs";
import { accounts, transfer } from "./support/transfer.mjs";

/** Errors have level 1, warnings 2. */
const WARNINGS = 2;
const LONGEST_SPECIFICATION = 64 * 1024 * 1024;

await check("smoldot", async ({ url }) => {
  step("make the raw chain specification");
  const node = new WsProvider(url);
  await node.isReady;
  const addresses = await node.send("system_localListenAddresses", []);
  const flags = ["export-chain-spec", "--chain", "dev", "--raw"];
  const { stdout } = await promisify(execFile)(executable(), flags, { maxBuffer: LONGEST_SPECIFICATION });
  const chainSpec = JSON.stringify({ ...JSON.parse(stdout), bootNodes: addresses });
  seen(`${chainSpec.length} characters, and the address ${addresses[0].replace(/\d+\/ws.*/, "…/ws/p2p/…")}`);

  step("connect");
  const warnings = [];
  const logCallback = (_level, target, message) => warnings.push(`${target}: ${message}`);
  const smoldot = start({ maxLogLevel: WARNINGS, logCallback });
  const client = createClient(getSmProvider(() => smoldot.addChain({ chainSpec })));
  const api = client.getTypedApi(duet);
  const { number } = await client.getFinalizedBlock();
  seen(`finalized block ${number}`);

  step("read typed values, each with its trie nodes");
  const { alice, bob } = accounts();
  const free = async () => (await api.query.System.Account.getValue(bob)).data.free;
  const { current } = await api.apis.DuetApi.keysets();
  seen(`free balance ${await free()}, set ${current.id}`);

  const block = await transfer(api, { alice, bob }, free);

  step("see the proof of its block, asked of the node");
  const proof = await proofOf(block.number, block.hash, (number) => node.send("duet_getJustification", [number]));
  seen(`${proof.bytes} bytes`);
  client.destroy();
  await smoldot.terminate();
  await node.disconnect();
  step("warnings");
  for (const warning of warnings) seen(warning);
});
