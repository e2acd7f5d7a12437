// The chain, and the start of verification.

import { DuetError, misuse } from "./error.js";
import { equal, fromHex, toHex } from "./text.js";

/** The 32 bytes of the caller's genesis hash, if given. */
export function genesisHashOf(text) {
  return text === undefined ? undefined : hashOf(text, "genesisHash");
}

/** The 32 bytes of a hash in the option `name`. */
export function hashOf(text, name) {
  const bytes = text instanceof Uint8Array ? text : fromHex(text);
  if (bytes?.length !== 32) throw misuse(`${name} has to be 0x and 64 hexadecimal digits, or 32 bytes`);
  return bytes;
}

/** LIGHT-1: the endpoint serves another chain. */
export function otherChain(expected, got) {
  return new DuetError({
    verdict: "other_chain",
    rule: "LIGHT-1",
    culprit: "sender",
    nextStep: "check-trusted-hash",
    message: `the endpoint serves the chain with genesis ${toHex(got)}, expected ${toHex(expected)}`,
    expected: toHex(expected),
    got: toHex(got),
  });
}

/** The newer of the stored state and the checkpoint. A checkpoint that contradicts a proven block is refused. */
export function newer(kept, given) {
  if (!kept || !given) return kept ?? given;
  return isNewer("the checkpoint", given.status(), kept.status()) ? given : kept;
}

/** Whether a block that the user vouches for is newer than the stored state. A contradicting block is refused. */
export function isNewer(who, { block, hash }, kept) {
  if (block === kept.block && !equal(hash, kept.hash)) {
    throw misuse(`${who} names ${toHex(hash)} as block ${block}, but ${toHex(kept.hash)} is proven`);
  }
  return block > kept.block;
}

