// `chainHead_v1_*`: requests about blocks that a `follow` has pinned.

import { toHex } from "duet-light-client/text";
import { runtimeCall } from "../answers/calls.js";
import { keyOf } from "../answers/params.js";
import { CLOSEST, closestItem, DESCENDANTS, descendantItems, items, PROVEN } from "../answers/state.js";
import { badParams, ProviderError, refused } from "../error.js";
import { Follow } from "./follow.js";

const NOT_PINNED = -32801;
const MAX_FOLLOWS = 4;
const MAX_ITEMS = 256;
// The number of keys that are listed at once, read at once, and sent before the application has to continue.
const [LISTED, READ, SENT] = [256, 64, 512];

async function follow(context, [withRuntime], push) {
  if (context.follows.size >= MAX_FOLLOWS) throw new ProviderError(-32800, `there are already ${MAX_FOLLOWS} follow subscriptions`);
  // Without a proven head there is nothing to follow: then the request itself fails.
  await context.chain.head();
  const made = new Follow(context, withRuntime === true, push);
  return {
    start: (id) => {
      context.follows.set(id, made);
      return made.start();
    },
    end: (id) => {
      made.end();
      context.follows.delete(id);
    },
  };
}

/** The follow subscription and its pinned block; nothing if the subscription has ended. */
function pinned({ follows }, id, hash) {
  const found = follows.get(id);
  if (!found || found.ended) return {};
  const block = found.block(hash);
  if (!block) throw new ProviderError(NOT_PINNED, "the block is not pinned");
  return { found, block };
}

/** Starts an operation on a pinned block. The answers come as events; the start itself is not reported as an answer. */
function operate(context, method, [id, hash], run, more = {}) {
  const { found, block } = pinned(context, id, hash);
  const operationId = found?.begin(method, (operation) => run(operation, block));
  const result = operationId === undefined ? { result: "limitReached" } : { result: "started", operationId, ...more };
  return { result, isSilent: true };
}

async function followHeader(context, [id, hash]) {
  const { block } = pinned(context, id, hash);
  if (!block) return { result: null, isSilent: true };
  return { result: toHex(block.header), block: block.number, hash: block.hash };
}

async function followBody(context, params, _row, method) {
  const [, hash] = params;
  return operate(context, method, params, async (operation, { number }) => {
    const { extrinsics, endpoint } = await context.client.body(number);
    operation.tell({ event: "operationBodyDone", value: extrinsics.map(toHex) }, { number, hash, endpoint });
  });
}

async function followCall(context, params, row, method) {
  const [, hash, name, argument] = params;
  const call = [name, argument, hash];
  return operate(context, method, params, async (operation, { number }) => {
    const { result, class: answerClass, endpoint } = await runtimeCall(context, row, call, ["state_call", call]);
    operation.tell({ event: "operationCallDone", output: result }, { number, hash, endpoint, class: answerClass });
  });
}

async function followStorage(context, params, _row, method) {
  const [, , wanted, childTrie] = params;
  if (!Array.isArray(wanted)) throw badParams("items are an array");
  const taken = wanted.slice(0, MAX_ITEMS);
  const run = async (operation, block) => {
    if (childTrie) throw refused("chainHead_v1_storage", "child tries are not verified");
    const other = taken.find(({ type }) => ![...PROVEN, CLOSEST].includes(type) && !(type in DESCENDANTS));
    if (other) throw badParams(`unknown kind ${other.type}`);
    const alone = taken.filter(({ type }) => PROVEN.includes(type));
    for (let from = 0; from < alone.length && !operation.stopped; from += READ) {
      await send(context, operation, block, alone.slice(from, from + READ));
    }
    for (const { key } of taken.filter(({ type }) => type === CLOSEST)) tell(operation, block, await closestItem(context, key, block.number));
    for (const item of taken.filter(({ type }) => type in DESCENDANTS)) await descendants(context, operation, block, item);
    operation.tell({ event: "operationStorageDone" });
  };
  return operate(context, method, params, run, { discardedItems: wanted.length - taken.length });
}

function tell(operation, { number, hash }, { items: found, endpoint, class: answerClass }) {
  if (found.length > 0) operation.tell({ event: "operationStorageItems", items: found }, { number, hash, endpoint, class: answerClass });
  return found.length;
}

async function send(context, operation, block, wanted, answerClass) {
  // By number: the block with this number is proven to have the hash.
  return tell(operation, block, { ...(await items(context, wanted, block.number)), class: answerClass });
}

/** All entries under a key. If they are too many, a node lists the keys; the values are proven, the list is not. */
async function descendants(context, operation, block, { key, type }) {
  const found = await descendantItems(context, { key, type }, block.number);
  if (found) {
    tell(operation, block, found);
    return;
  }
  if (context.isStrict) throw refused("chainHead_v1_storage", "a list of so many keys cannot be proven complete");
  const prefix = keyOf(key);
  let last = prefix;
  let sent = 0;
  for (;;) {
    const { result, error } = await context.client.request("state_getKeysPaged", [prefix, LISTED, last, block.hash], { again: true });
    if (error) throw new ProviderError(error.code, "no node lists the keys");
    const keys = listed(result, prefix, last);
    for (let from = 0; from < keys.length && !operation.stopped; from += READ) {
      const wanted = keys.slice(from, from + READ).map((found) => ({ key: found, type: DESCENDANTS[type] }));
      sent += await send(context, operation, block, wanted, "passed");
      if (sent >= SENT && !operation.stopped) {
        sent = 0;
        await operation.paused();
      }
    }
    if (keys.length < LISTED || operation.stopped) return;
    last = keys.at(-1);
  }
}

/** Checks a node's list of keys: all under the prefix and in ascending order, so that the listing ends. */
function listed(keys, prefix, after) {
  if (!Array.isArray(keys) || keys.length > LISTED) throw new ProviderError(-32603, "a node answered with something else than a list of keys");
  let last = after;
  for (const key of keys) {
    if (typeof key !== "string" || !key.startsWith(prefix) || (key <= last && last !== prefix)) {
      throw new ProviderError(-32603, "a node listed keys that were not asked for");
    }
    last = keyOf(key);
  }
  return keys;
}

async function followUnpin({ follows }, [id, hashes]) {
  const found = follows.get(id);
  if (found && !found.ended && !found.unpin([hashes].flat())) throw new ProviderError(NOT_PINNED, "the block is not pinned");
  return { result: null, isSilent: true };
}

async function followContinue({ follows }, [id, operation]) {
  follows.get(id)?.continue(operation);
  return { result: null, isSilent: true };
}

async function followStop({ follows }, [id, operation]) {
  follows.get(id)?.stopOperation(operation);
  return { result: null, isSilent: true };
}

export const chainHeadAnswers = { follow, followHeader, followBody, followCall, followStorage, followUnpin, followContinue, followStop };
