// Checkpoints: the JSON of `duet-light status --checkpoint`, and the bytes for the verifier.

import { misuse } from "./error.js";
import { concat, fromHex, toHex } from "./text.js";

const HASH = 32;
const KEY = 48;
const KEYSET = 8 + 4 + HASH + KEY;
const DATE = ["time", "trusting_period"];

/** A checkpoint that is given as JSON or as an object. */
export function parseCheckpoint(checkpoint) {
  const json = typeof checkpoint === "string" ? parse(checkpoint) : checkpoint;
  only(json, ["genesis_hash", "block_number", "block_hash", "current", "next"], DATE);
  for (const name of DATE) if (json[name] !== undefined) integer(json[name], 8, name);
  return json;
}

/** Encodes a checkpoint, without its date. */
export function encodeCheckpoint(json) {
  return concat([
    bytes(json.genesis_hash, HASH, "genesis_hash"),
    integer(json.block_number, 4, "block_number"),
    bytes(json.block_hash, HASH, "block_hash"),
    keyset(json.current),
    keyset(json.next),
  ]);
}

/** Decodes the verifier's bytes. */
export function decodeCheckpoint(encoded) {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const hex = (from, length) => toHex(encoded.subarray(from, from + length));
  const set = (from) => ({
    id: safe(view.getBigUint64(from, true)),
    len: view.getUint32(from + 8, true),
    root: hex(from + 12, HASH),
    apk1: hex(from + 12 + HASH, KEY),
  });
  const sets = HASH + 4 + HASH;
  return {
    genesis_hash: hex(0, HASH),
    block_number: view.getUint32(HASH, true),
    block_hash: hex(HASH + 4, HASH),
    current: set(sets),
    next: set(sets + KEYSET),
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw misuse("the checkpoint is not JSON");
  }
}

/** Refuses an object without one of these names, or with another one that is not optional. */
function only(object, names, optional = []) {
  if (typeof object !== "object" || object === null) throw misuse("the checkpoint is not an object");
  const keys = Object.keys(object).filter((key) => !optional.includes(key));
  if (keys.length !== names.length || !names.every((name) => keys.includes(name))) {
    throw misuse(`the checkpoint has to have exactly the fields ${names.join(", ")}`);
  }
}

function keyset(set) {
  only(set, ["id", "len", "root", "apk1"]);
  return concat([integer(set.id, 8, "id"), integer(set.len, 4, "len"), bytes(set.root, HASH, "root"), bytes(set.apk1, KEY, "apk1")]);
}

function bytes(text, length, name) {
  const read = fromHex(text);
  if (read?.length !== length) throw misuse(`${name} of the checkpoint has to be 0x and ${2 * length} hexadecimal digits`);
  return read;
}

function integer(value, length, name) {
  const most = length === 4 ? 0xffff_ffff : Number.MAX_SAFE_INTEGER;
  if (!Number.isInteger(value) || value < 0 || value > most) throw misuse(`${name} of the checkpoint is not a valid number`);
  const view = new DataView(new ArrayBuffer(length));
  if (length === 4) view.setUint32(0, value, true);
  else view.setBigUint64(0, BigInt(value), true);
  return new Uint8Array(view.buffer);
}

function safe(id) {
  if (id > BigInt(Number.MAX_SAFE_INTEGER)) throw misuse(`the id of set ${id} is too large for a JSON number`);
  return Number(id);
}
