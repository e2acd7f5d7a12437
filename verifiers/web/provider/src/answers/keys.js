// Lists of keys. Fewer than 1 000 keys under a prefix are proven complete. For more, a node's list is passed on.

import { toHex } from "duet-light-client/text";
import { badParams } from "../error.js";
import { hashOf, keyOf } from "./params.js";

const MAX_PAGE = 1_000;

/** All entries under a prefix, each `{ key, value, hex }`; `undefined` if there are too many to prove. */
export async function allUnder({ client, wait }, prefix, at) {
  try {
    const found = await client.under(prefix, { ...wait, at });
    const entries = found.entries.map(({ key, value }) => ({ key, value, hex: toHex(value) }));
    return { entries, block: found.block, hash: found.hash, endpoint: found.endpoint };
  } catch (error) {
    if (error.verdict === "refused" && error.got === "more") return undefined;
    throw error;
  }
}

/** An answer from all entries under a prefix, or the answer of a node. */
async function answer(context, prefix, hash, [row, method, params], result) {
  const found = await allUnder(context, keyOf(prefix ?? "0x"), hashOf(hash));
  if (!found) return context.pass(row, method, params);
  const { entries, ...about } = found;
  return { result: result(entries), class: "verified", ...about };
}

function keys(context, params, row, method) {
  const [prefix, hash] = params;
  return answer(context, prefix, hash, [row, method, params], (entries) => entries.map(({ key }) => key));
}

function pairs(context, params, row, method) {
  const [prefix, hash] = params;
  return answer(context, prefix, hash, [row, method, params], (entries) => entries.map(({ key, hex }) => [key, hex]));
}

function keysPaged(context, params, row, method) {
  const [prefix, count, start, hash] = params;
  if (!Number.isInteger(count) || count < 1 || count > MAX_PAGE) throw badParams(`a page has 1 to ${MAX_PAGE} keys`);
  // Hexadecimal digits in one case sort like the bytes.
  const after = start === undefined || start === null ? undefined : keyOf(start);
  const page = (entries) => entries.map(({ key }) => key).filter((key) => after === undefined || key > after).slice(0, count);
  return answer(context, prefix, hash, [row, method, params], page);
}

export const keyAnswers = { keys, pairs, keysPaged };
