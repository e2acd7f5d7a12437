// polkadot-api (PAPI): code generated from the checked-in metadata, typed storage, a transfer, and our own methods.

import { duet } from "@polkadot-api/descriptors";
import { Keyring } from "@polkadot/keyring";
import { createClient } from "polkadot-api";
import { getPolkadotSigner } from "polkadot-api/signer";
import { getWsProvider } from "polkadot-api/ws";
import { WebSocket } from "ws";
import { check, expect, seen, step } from "./support/check.mjs";
import { commitment, proofOf } from "./support/proof.mjs";

const AMOUNT = 1_000_000_000_000n;
const SUBSCRIPTION = ["duet_subscribeJustifications", "duet_unsubscribeJustifications"];

await check("polkadot-api", async ({ url }) => {
  step("connect");
  // Node has a WebSocket of its own from version 22 on.
  const client = createClient(getWsProvider(url, { websocketClass: WebSocket }));
  const { name } = await client.getChainSpecData();
  const api = client.getTypedApi(duet);
  seen(name);
  const keyring = new Keyring({ type: "sr25519" });
  const alice = keyring.addFromUri("//Alice");
  const bob = keyring.addFromUri("//Bob").address;

  step("read typed values");
  const free = async () => (await api.query.System.Account.getValue(bob, { at: "best" })).data.free;
  const before = await free();
  const { current } = await api.apis.DuetApi.keysets();
  const limit = await api.constants.Duet.MaxValidators();
  seen(`free balance ${before}, set ${current.id}, limit ${limit} validators`);

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

  step("send a transfer, and see it finalized");
  const signer = getPolkadotSigner(alice.publicKey, "Sr25519", (bytes) => alice.sign(bytes));
  const transfer = api.tx.Balances.transfer_keep_alive({ dest: { type: "Id", value: bob }, value: AMOUNT });
  const { ok, block } = await transfer.signAndSubmit(signer);
  expect(ok, "the transfer failed");
  expect((await free()) === before + AMOUNT, "the amount did not arrive");
  seen(`in block ${block.number}`);

  step("see the proof of its block");
  const proof = await proofOf(block.number, block.hash, (number) => client._request("duet_getJustification", [number]));
  seen(`${proof.bytes} bytes`);
  client.destroy();
});
