// Checks of the caller's parameters, so that no node is blamed for the caller's mistakes.

import { fromHex } from "../bytes.js";
import { badParams } from "../error.js";

const MAX_KEYS = 1_024;

/** The block hash from the caller; `undefined` if none was given. */
export function hashOf(value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw badParams("a block's hash is 0x and 64 hexadecimal digits");
  return value;
}

/** A block's number, as a JSON number or in hexadecimal digits. */
export function numberOf(value) {
  const number = typeof value === "string" && /^0x[0-9a-fA-F]{1,8}$/.test(value) ? Number.parseInt(value, 16) : value;
  if (!Number.isInteger(number) || number < 0 || number > 0xffff_ffff) throw badParams("a block number is an integer of 32 bits");
  return number;
}

/** A key, in hexadecimal digits. */
export function keyOf(value) {
  if (fromHex(value) === undefined || !value.startsWith("0x")) throw badParams("a key is 0x and hexadecimal digits");
  return value.toLowerCase();
}

/** A list of keys of bounded length. */
export function keysOf(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_KEYS) throw badParams(`keys are an array of 1 to ${MAX_KEYS} keys`);
  return value.map(keyOf);
}
