// Sending and watching transactions. Statuses are unverified claims of a node, except finality. Only known statuses are
// passed on, rebuilt with their exact names: @polkadot/api reads a name in any case, an index and bytes as well.

import { isPrefixed, shown, toHex } from "duet-light-client/text";
import { fromHex } from "../bytes.js";
import { badParams, NOT_PROVEN, ProviderError } from "../error.js";

const HASH = 32;

const isText = (value) => typeof value === "string";
const isHash = (value) => isText(value) && /^0x[0-9a-fA-F]{64}$/.test(value);

/** The transaction in the first parameter, `{ hex, hash }`. */
async function transactionOf({ client }, [given]) {
  const bytes = fromHex(given);
  if (!bytes || !isPrefixed(bytes)) {
    throw badParams("a transaction is its length in SCALE's compact form and so many bytes, as 0x and hexadecimal digits");
  }
  return { hex: toHex(bytes), hash: toHex(await client.blake2b(bytes, HASH)) };
}

const PLAIN = ["future", "ready", "dropped", "invalid"];
const WITH_HASH = ["inBlock", "retracted", "finalityTimeout", "usurped"];

/** A known status of `author_submitAndWatchExtrinsic` without finality; `undefined` for any other. */
function authorStatus(status) {
  if (PLAIN.includes(status)) return status;
  const [[name, value] = [], more] = Object.entries(status ?? {});
  if (more) return undefined;
  if (WITH_HASH.includes(name) && isHash(value)) return { [name]: value };
  if (name === "broadcast" && Array.isArray(value) && value.every(isText)) return { broadcast: value.map(shown) };
  return undefined;
}

/** The same for the events of `transactionWatch_v1_submitAndWatch`. */
function watchEvent(status) {
  const { event, block = null, error, numPeers } = status ?? {};
  if (event === "validated") return { event };
  if (event === "broadcasted" && Number.isInteger(numPeers)) return { event, numPeers };
  if (["error", "invalid", "dropped"].includes(event)) return { event, error: isText(error) ? shown(error) : "" };
  if (event !== "bestChainBlockIncluded") return undefined;
  if (block === null) return { event, block };
  const { hash, index } = block;
  return isHash(hash) && Number.isInteger(index) ? { event, block: { hash, index } } : undefined;
}

/** How each method tells of a transaction: its known statuses, and that of a transaction that is proven final. */
const FORMS = {
  author_submitAndWatchExtrinsic: { known: authorStatus, final: ({ hash }) => ({ finalized: hash }) },
  transactionWatch_v1_submitAndWatch: {
    known: watchEvent,
    final: ({ hash, index }) => ({ event: "finalized", block: { hash, index } }),
  },
};

/** The block in which a transaction is final by a status, however spelt; `null` if it names none, `undefined` if not. */
function finalIn(status) {
  const isFinal = (name) => isText(name) && name.toLowerCase() === "finalized";
  if (isFinal(status)) return null;
  const name = Object.keys(status ?? {}).find(isFinal);
  if (name === undefined && !isFinal(status?.event)) return undefined;
  const block = name === undefined ? status.block?.hash : status[name];
  return isHash(block) ? block : null;
}

/** Verifies that a block is proven and has the transaction. */
async function included({ client, wait }, transaction, block, endpoint) {
  const lie = (rule, what) => {
    const message = `a node says that transaction ${transaction} is final ${what}`;
    throw new ProviderError(NOT_PROVEN, message, { verdict: "lied", rule, endpoint });
  };
  if (block === null) lie("RPC-1", "and names no block");
  const found = await client.transaction(transaction, { ...wait, at: block });
  if (!found.included) lie("STATE-4", `in block ${block}, but the block does not have it`);
  return found;
}

/** Sends a transaction. Reports `finalized` when the block is proven and has the transaction, otherwise an error. */
async function submitAndWatch(context, params, push, row, method) {
  const { hex, hash: transaction } = await transactionOf(context, params);
  const { known, final } = FORMS[method];
  let isOver = false;
  const take = async (status, about) => {
    // Nothing follows finality, and a liar has no second try.
    if (isOver) return;
    const block = finalIn(status);
    if (block === undefined) {
      const rebuilt = known(status);
      if (about.error || rebuilt !== undefined) push(rebuilt, about);
      return;
    }
    isOver = true;
    try {
      const found = await included(context, transaction, block, about.endpoint);
      push(final(found), { block: found.block, hash: found.hash, endpoint: found.endpoint, class: "verified" });
    } catch (thrown) {
      watched.end();
      push(undefined, { error: context.failed(thrown) });
    }
  };
  const watched = await context.passOn(row, method, [hex], take, row.ends[0]);
  return watched;
}

/** Sends a transaction. A node that returns another hash than the transaction's has lied. (RPC-1) */
async function submit(context, params, _row, method) {
  const { hex, hash } = await transactionOf(context, params);
  return context.handOn(method, [hex], hash);
}

async function broadcast(context, params, _row, method) {
  return context.handOn(method, [(await transactionOf(context, params)).hex]);
}

export const submitAnswers = { submit, broadcast, submitAndWatch };
