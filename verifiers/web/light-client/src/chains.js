// Known chains as data, which an application brings.

import { misuse } from "./error.js";
import { fromHex, shown } from "./text.js";

const isHash = (value) => fromHex(value)?.length === 32;
const HASH = [isHash, "0x and 64 hexadecimal digits"];
const isUrl = (url) => typeof url === "string" && /^wss?:\/\//.test(url);
const isNumber = (value, least, most) => Number.isSafeInteger(value) && value >= least && value <= most;

/** The fields of a chain: what each has to be, and whether it may be absent. */
const FIELDS = {
  name: [(name) => typeof name === "string" && name !== "", "a text that is not empty"],
  genesisHash: HASH,
  startHash: [...HASH, true],
  endpoints: [(list) => Array.isArray(list) && isNumber(list.length, 1, 16) && list.every(isUrl) && new Set(list).size === list.length, "1 to 16 different URLs that begin with ws:// or wss://"],
  trustingPeriod: [(value) => isNumber(value, 1, Number.MAX_SAFE_INTEGER), "a number of seconds, 1 or more", true],
  ss58Prefix: [(value) => isNumber(value, 0, 16_383), "a number from 0 to 16383", true],
};

/**
 * The options of `create` for the chain with this name in a list of chains, which is checked as a whole. Throws a
 * `DuetError` that names the field.
 */
export function chain(chains, name) {
  if (!Array.isArray(chains)) throw misuse("chains has to be a list");
  const names = chains.map(named);
  const twice = names.findIndex((one, index) => names.indexOf(one) !== index);
  if (twice >= 0) throw misuse(`chains[${twice}].name is that of another chain, too: ${shown(names[twice])}`);
  const found = chains[names.indexOf(name)];
  if (!found) throw misuse(`no chain ${shown(name)}: there are ${names.map(shown).join(", ") || "none"}`);
  const { genesisHash, startHash, endpoints, trustingPeriod } = found;
  return { genesisHash, startHash, endpoints, trustingPeriod };
}

/** The name of a chain whose fields are all as they have to be. */
function named(given, index) {
  const where = `chains[${index}]`;
  if (typeof given !== "object" || given === null) throw misuse(`${where} has to be an object`);
  const unknown = Object.keys(given).find((field) => !Object.hasOwn(FIELDS, field));
  if (unknown !== undefined) throw misuse(`${where} has an unknown field ${shown(unknown)}`);
  for (const [field, [holds, wanted, isOptional]] of Object.entries(FIELDS)) {
    const value = given[field];
    if (value === undefined && isOptional) continue;
    if (!holds(value)) throw misuse(`${where}.${field} has to be ${wanted}`);
  }
  return given.name;
}
