// Sending and watching transactions. Statuses are unverified claims of a node, except finality.

import { toHex } from "duet-light-client/text";
import { fromHex } from "../bytes.js";
import { badParams, NOT_PROVEN, ProviderError } from "../error.js";
import { hashOf } from "./params.js";

const HASH = 32;

/** The block in which the transaction is final according to a status of `author_` or `transactionWatch_v1_`. */
function finalIn(status) {
  if (typeof status !== "object" || status === null) return undefined;
  return status.event === "finalized" ? status.block?.hash : status.finalized;
}

/** Verifies that a block is proven and has the transaction. */
async function included({ client, wait }, transaction, block) {
  const found = await client.transaction(transaction, { ...wait, at: hashOf(block) });
  if (found.included) return { block: found.block, hash: block, endpoint: found.endpoint, class: "verified" };
  const message = `a node says that transaction ${transaction} is final in block ${block}, but the block does not have it`;
  throw new ProviderError(NOT_PROVEN, message, { verdict: "lied", rule: "STATE-4" });
}

/** Sends a transaction. Reports `finalized` when the block is proven and has the transaction, otherwise an error. */
async function submitAndWatch(context, params, push, row, method) {
  const bytes = fromHex(params[0]);
  if (!bytes) throw badParams("a transaction is 0x and hexadecimal digits");
  const transaction = toHex(await context.client.blake2b(bytes, HASH));
  const take = async (status, about) => {
    const block = finalIn(status);
    if (block === undefined) {
      push(status, about);
      return;
    }
    try {
      push(status, await included(context, transaction, block));
    } catch (thrown) {
      push(undefined, { error: context.failed(thrown) });
    }
  };
  return context.passOn(row, method, params, take, row.ends);
}

export const submitAnswers = { submitAndWatch };
