// Headers in the JSON of the SDK's RPC. Their bytes were already proven by their hash.

import { toHex } from "duet-light-client/text";
import { Reader } from "./bytes.js";

const [OTHER, CONSENSUS, SEAL, PRE_RUNTIME, RUNTIME_UPDATED] = [0, 4, 5, 6, 8];

/** Decodes a proven header: `{ number, parentHash, stateRoot, extrinsicsRoot, logs }`, hashes and logs as hex. */
export function decodeHeader(bytes) {
  const reader = new Reader(bytes);
  const parentHash = toHex(reader.take(32));
  const number = reader.compact();
  const stateRoot = toHex(reader.take(32));
  const extrinsicsRoot = toHex(reader.take(32));
  const logs = Array.from({ length: reader.compact() }, () => toHex(log(reader)));
  return { number, parentHash, stateRoot, extrinsicsRoot, logs };
}

/** A proven header in the JSON of `chain_getHeader`. */
export function headerJson(bytes) {
  const { number, parentHash, stateRoot, extrinsicsRoot, logs } = decodeHeader(bytes);
  return { parentHash, number: `0x${number.toString(16)}`, stateRoot, extrinsicsRoot, digest: { logs } };
}

/** Whether the runtime changed in this block. */
export function changesRuntime(bytes) {
  return decodeHeader(bytes).logs.includes(toHex([RUNTIME_UPDATED]));
}

function log(reader) {
  const start = reader.at;
  const [kind] = reader.take(1);
  if ([CONSENSUS, SEAL, PRE_RUNTIME].includes(kind)) reader.take(4);
  if ([OTHER, CONSENSUS, SEAL, PRE_RUNTIME].includes(kind)) reader.take(reader.compact());
  else if (kind !== RUNTIME_UPDATED) throw new RangeError(`a digest item has the unknown kind ${kind}`);
  return reader.since(start);
}
