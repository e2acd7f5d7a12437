// Headers: the JSON form of the RPC, and the SCALE bytes, which have the hash.

import { DuetError, otherAnswer } from "./error.js";
import { concat, equal, fromHex, shown, toHex } from "./text.js";

const MAX_LOGS = 256;
const HASH = 32;
// Where the slot is in a log of Aura or BABE, which begins with its kind and the engine, and then has a length.
const SLOTS = { "0x0661757261": 0, "0x0642414245": 5 };

/** The SCALE bytes of a header that a node sent as JSON; `asked` names the request in errors. */
export function encodeHeader(header, asked) {
  const number = blockNumber(header, asked);
  const logs = header.digest?.logs;
  if (!Array.isArray(logs) || logs.length > MAX_LOGS) throw otherAnswer(asked, "no digest");
  const hashes = ["parentHash", "stateRoot", "extrinsicsRoot"].map((field) => bytesOf(header[field], asked));
  const [parent, state, extrinsics] = hashes;
  return concat([parent, compact(number), state, extrinsics, compact(logs.length), ...logs.map((log) => bytesOf(log, asked))]);
}

/** The block number in a header as JSON. */
export function blockNumber(header, asked) {
  const text = header?.number;
  if (typeof text !== "string" || !/^0x[0-9a-fA-F]{1,8}$/.test(text)) throw otherAnswer(asked, `number ${shown(JSON.stringify(text))}`);
  return Number.parseInt(text, 16);
}

/** The slot in a header of Aura or BABE as JSON; `undefined` if it has none. */
export function slotOf(header) {
  for (const log of header?.digest?.logs ?? []) {
    const bytes = fromHex(log);
    const offset = bytes && SLOTS[log.slice(0, 12)];
    if (offset === undefined) continue;
    const at = 5 + [1, 2, 4, 5][bytes[5] & 3] + offset;
    if (bytes.length >= at + 8) return little64(bytes, at);
  }
  return undefined;
}

/** The number in eight bytes. */
export function little64(bytes, at = 0) {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
}

/** The number and the parent hash in the bytes of a header; `undefined` if they are not a header. */
export function readHeader(bytes) {
  const first = bytes[HASH];
  const length = [1, 2, 4, 5][first & 3];
  if (bytes.length < HASH + length) return undefined;
  const tail = bytes.subarray(HASH, HASH + length);
  // A number of 2³⁰ or more is in the four bytes after the first, which marks this form.
  const number = length === 5 ? little(tail.subarray(1)) : Math.floor(little(tail) / 4);
  if (length === 5 && first !== 3) return undefined;
  return { number, parentHash: bytes.slice(0, HASH) };
}

/**
 * The content of a header, after a check of its hash; `hashOf(bytes)` hashes bytes. Its number is then the number of
 * the block with this hash. (STATE-1)
 */
export function readHeaderOf(hash, bytes, hashOf) {
  const got = hashOf(bytes);
  const header = equal(got, hash) ? readHeader(bytes) : undefined;
  if (header) return header;
  const [expected, other] = [toHex(hash), toHex(got)];
  const message = `STATE-1: the header has the hash ${other}, expected ${expected}`;
  throw new DuetError({ verdict: "lied", rule: "STATE-1", culprit: "sender", nextStep: "leave-sender", message, expected, got: other });
}

/** Bytes that a node sent as 0x-hex. */
export function bytesOf(text, asked) {
  const bytes = fromHex(text);
  if (bytes === undefined) throw otherAnswer(asked, "bytes that are not 0x-hex");
  return bytes;
}

function little(bytes) {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** A number up to 2³² in SCALE's compact form. */
function compact(number) {
  if (number < 1 << 6) return Uint8Array.of(number << 2);
  if (number < 1 << 14) return Uint8Array.of(((number & 0x3f) << 2) | 1, number >> 6);
  if (number < 2 ** 30) return Uint8Array.of(((number & 0x3f) << 2) | 2, number >> 6, number >> 14, number >> 22);
  return Uint8Array.of(3, number, number >>> 8, number >>> 16, number >>> 24);
}
