// The caller's recovery proof: text as `duet-recovery` writes it, or its bytes.

import { misuse } from "./error.js";
import { equal, fromHex, toHex } from "./text.js";

const KIND = "proof";
const PREFIX = "duet-recovery-";
const MAX_TEXT = 1 << 24;
const CHECKSUM_DIGITS = 8;
const HASH = 32;

/**
 * The recovery proof in a text or in bytes that begin with the genesis hash; `sha256(bytes)` hashes bytes. The checksum
 * shows a slip of the pen, and not a forger.
 */
export function readRecovery(given, genesis, sha256) {
  const bytes = given instanceof Uint8Array ? given : read(given, sha256);
  if (bytes.length <= HASH) throw refused("has no proof");
  const got = bytes.subarray(0, HASH);
  if (!equal(got, genesis)) throw refused(`is of the chain with genesis ${toHex(got)}, expected ${toHex(genesis)}`);
  return bytes.slice(HASH);
}

function read(text, sha256) {
  if (text.length > MAX_TEXT) throw refused(`has ${text.length} characters, more than ${MAX_TEXT}`);
  const [prefixed, hex, sum, ...more] = text.trim().split(":");
  if (!prefixed.startsWith(PREFIX) || sum === undefined || more.length > 0) throw refused(`is not a text of the form ${PREFIX}${KIND}:HEX:CHECKSUM in one line`);
  if (prefixed !== PREFIX + KIND) throw refused(`is a text of another kind than ${KIND}`);
  const hash = toHex(sha256(new TextEncoder().encode(`${KIND}:${hex}`)));
  if (sum !== hash.slice(2, 2 + CHECKSUM_DIGITS)) throw refused("is damaged: its checksum differs");
  const bytes = /[A-F]/.test(hex) ? undefined : fromHex(`0x${hex}`);
  if (bytes === undefined) throw refused("is not in lower-case hexadecimal digits");
  return bytes;
}

function refused(what) {
  return misuse(`recoveryProof ${what}`);
}
