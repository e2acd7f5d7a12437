// polkadot-api (PAPI): code generated from the checked-in metadata, typed storage, a transfer, and our own methods.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { duet } from "@polkadot-api/descriptors";
import { merkleizeMetadata } from "@polkadot-api/merkleize-metadata";
import { createClient } from "polkadot-api";
import { getWsProvider } from "polkadot-api/ws";
import { WebSocket } from "ws";
import { check, expect, seen, step } from "./support/check.mjs";
import { commitment, proofOf } from "./support/proof.mjs";
import { accounts, transfer } from "./support/transfer.mjs";

const SUBSCRIPTION = ["duet_subscribeJustifications", "duet_unsubscribeJustifications"];

await check("polkadot-api", async ({ url }) => {
  step("connect");
  // Node has a WebSocket of its own from version 22 on.
  const client = createClient(getWsProvider(url, { websocketClass: WebSocket }));
  const { name } = await client.getChainSpecData();
  const api = client.getTypedApi(duet);
  seen(name);
  const { alice, bob } = accounts();

  step("read typed values");
  const free = async () => (await api.query.System.Account.getValue(bob, { at: "best" })).data.free;
  const { current } = await api.apis.DuetApi.keysets();
  const limit = await api.constants.Duet.MaxValidators();
  seen(`free balance ${await free()}, set ${current.id}, limit ${limit} validators`);

  step("subscribe to proofs");
  const first = await new Promise((resolve, reject) => {
    const subscription = client._subscribe(...SUBSCRIPTION, []).subscribe({
      next: (bytes) => {
        subscription.unsubscribe();
        resolve(bytes);
      },
      error: reject,
    });
  });
  seen(`block ${commitment(first).number}`);

  const block = await transfer(api, { alice, bob }, free);

  step("see the proof of its block");
  const proof = await proofOf(block.number, block.hash, (number) => client._request("duet_getJustification", [number]));
  seen(`${proof.bytes} bytes`);
  if (process.env.DUET_LIGHT) {
    step("compare the digest of the metadata with the light client's");
    const metadata = await api.apis.Metadata.metadata_at_version(15);
    const digest = merkleizeMetadata(metadata, { decimals: 12, tokenSymbol: "DUET" }).digest();
    const run = promisify(execFile);
    const flags = ["--digest", "DUET:12", "--genesis", await client._request("chainSpec_v1_genesisHash", []), "--url", url];
    // `serve` is a node for another light client, too.
    const { stdout } = await run(process.env.DUET_LIGHT, ["metadata", ...flags, "--quiet"]);
    expect(stdout.trim() === `0x${Buffer.from(digest).toString("hex")}`, `another digest: ${stdout}`);
    seen(stdout.trim());
  }
  client.destroy();
});
