// What callers give: checked, so that a mistake is theirs and not a node's.

import { fromHex } from "../bytes.js";
import { badParams } from "../error.js";

const MAX_KEYS = 1_024;

/** A block's hash as the caller gave it; `undefined` when none was given. */
export function hashOf(value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw badParams("a block's hash is 0x and 64 hexadecimal digits");
  return value;
}

/** A block's number, as a JSON number or in hexadecimal digits. */
export function numberOf(value) {
  const number = typeof value === "string" && /^0x[0-9a-fA-F]{1,8}$/.test(value) ? Number.parseInt(value, 16) : value;
  if (!Number.isInteger(number) || number < 0 || number > 0xffff_ffff) throw badParams("a block's number is a number of 32 bits");
  return number;
}

/** A key, in hexadecimal digits. */
export function keyOf(value) {
  if (fromHex(value) === undefined || !value.startsWith("0x")) throw badParams("a key is 0x and hexadecimal digits");
  return value.toLowerCase();
}

/** Keys, of which there are not too many. */
export function keysOf(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_KEYS) throw badParams(`keys are an array of 1 to ${MAX_KEYS}`);
  return value.map(keyOf);
}
