// A transfer on the development chain, signed and sent by polkadot-api.

import { Keyring } from "@polkadot/keyring";
import { getPolkadotSigner } from "polkadot-api/signer";
import { expect, seen, step } from "./check.mjs";

const AMOUNT = 1_000_000_000_000n;

/** Alice's pair of keys, and Bob's address. */
export function accounts() {
  const keyring = new Keyring({ type: "sr25519" });
  return { alice: keyring.addFromUri("//Alice"), bob: keyring.addFromUri("//Bob").address };
}

/** Sends an amount from Alice to Bob and returns the block that finalized it. `free` reads Bob's balance. */
export async function transfer(api, { alice, bob }, free) {
  step("send a transfer, and see it finalized");
  const before = await free();
  const signer = getPolkadotSigner(alice.publicKey, "Sr25519", (bytes) => alice.sign(bytes));
  const call = api.tx.Balances.transfer_keep_alive({ dest: { type: "Id", value: bob }, value: AMOUNT });
  const { ok, block } = await call.signAndSubmit(signer);
  expect(ok, "the transfer failed");
  expect((await free()) === before + AMOUNT, "the amount did not arrive");
  seen(`in block ${block.number}`);
  return block;
}
