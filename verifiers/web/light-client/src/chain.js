// Which chain is meant, and from where on.

import { DuetError, misuse } from "./error.js";
import { equal, fromHex, toHex } from "./text.js";

/** The 32 bytes of the genesis hash that the caller names, if it names one. */
export function genesisHashOf(text) {
  return text === undefined ? undefined : hashOf(text, "genesisHash");
}

/** The 32 bytes of a hash that the caller gives under a name. */
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
    message: `it serves the chain with genesis ${toHex(got)}, not ${toHex(expected)}`,
    expected: toHex(expected),
    got: toHex(got),
  });
}

/** The newer of what was kept and the checkpoint; one that contradicts what was proven is refused. */
export function newer(kept, given) {
  if (!kept || !given) return kept ?? given;
  return isNewer("the checkpoint", given.status(), kept.status()) ? given : kept;
}

/** Whether a block that the user vouches for is newer than what was kept. One that contradicts it is refused. */
export function isNewer(who, { block, hash }, kept) {
  if (block === kept.block && !equal(hash, kept.hash)) {
    throw misuse(`${who} says that block ${block} is ${toHex(hash)}, and ${toHex(kept.hash)} was proven`);
  }
  return block > kept.block;
}

