// What a justification says. It is read here, not verified: that is what the light client is for.

import { expect, until } from "./check.mjs";

/** A commitment stands first in a justification: the number, little-endian in 4 bytes, then the hash of the block. */
export function commitment(bytes) {
  const hex = bytes.toString().slice(2);
  expect(hex.length >= 2 * 313, `a justification of only ${hex.length / 2} bytes`);
  const number = Buffer.from(hex.slice(0, 8), "hex").readUInt32LE();
  return { number, hash: `0x${hex.slice(8, 72)}`, bytes: hex.length / 2 };
}

/** Waits for the proof of a block. `ask` calls `duet_getJustification`, which is null until there is one. */
export async function proofOf(number, hash, ask) {
  const proof = commitment(await until(async () => (await ask(number)) ?? undefined));
  expect(proof.number === number && proof.hash === hash, `the proof is for block ${proof.number} (${proof.hash})`);
  return proof;
}
