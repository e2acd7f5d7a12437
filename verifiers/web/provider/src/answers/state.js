// `state_*` and similar methods: entries of the state at proven blocks.

import { toHex } from "duet-light-client/text";
import { badParams, refused } from "../error.js";
import { allUnder } from "./keys.js";
import { hashOf, keyOf, keysOf } from "./params.js";

const BLAKE2 = 32;
const MAX_ITEMS = 256;

/** Entries at one block: `{ entries, block, hash, nodes, endpoint }`, values as hex. */
export async function read({ client, wait }, keys, hash) {
  const found = await client.entries(keys, { ...wait, at: hash });
  const entries = found.entries.map(({ key, value }) => ({ key, value, hex: value === undefined ? null : toHex(value) }));
  return { ...found, entries };
}

function about({ block, hash, endpoint }) {
  return { block, hash, endpoint };
}

async function one(context, [key, hash]) {
  const found = await read(context, [keyOf(key)], hashOf(hash));
  return { ...found.entries[0], about: about(found) };
}

async function storage(context, params) {
  const found = await one(context, params);
  return { result: found.hex, ...found.about };
}

async function storageSize(context, params) {
  const found = await one(context, params);
  return { result: found.value?.length ?? null, ...found.about };
}

async function storageHash(context, params) {
  const found = await one(context, params);
  return { result: found.value && toHex(await context.client.blake2b(found.value, BLAKE2)), ...found.about };
}

async function queryStorageAt(context, [keys, hash]) {
  const found = await read(context, keysOf(keys), hashOf(hash));
  return { result: [changes(found)], ...about(found) };
}

async function readProof(context, [keys, hash]) {
  const found = await read(context, keysOf(keys), hashOf(hash));
  return { result: { at: found.hash, proof: found.nodes.map(toHex) }, ...about(found) };
}

/** Reads at each proven block. Of the blocks that arrive during a read, only the newest is read next. */
async function subscribeStorage(context, [keys], push) {
  const named = keysOf(keys);
  const before = new Map();
  let ended = false;
  let reading = false;
  let newest;
  const send = (found) => {
    const changed = found.entries.filter(({ key, hex }) => before.get(key) !== hex);
    for (const { key, hex } of changed) before.set(key, hex);
    if (changed.length > 0) push(changes({ ...found, entries: changed }), about(found));
  };
  const follow = async (hash) => {
    newest = hash;
    if (reading) return;
    reading = true;
    while (newest !== undefined && !ended) {
      const wanted = newest;
      newest = undefined;
      // If no endpoint proves the entries now, they are read again at the next block.
      const found = await read(context, named, wanted).catch((error) => {
        context.failed(error);
      });
      if (found && !ended) send(found);
    }
    reading = false;
  };
  await context.chain.head();
  const first = await read(context, named);
  let off;
  return {
    start: () => {
      send(first);
      off = context.chain.listen(({ blocks }) => follow(blocks.at(-1).hash));
    },
    end: () => {
      ended = true;
      off?.();
    },
  };
}

function changes({ hash, entries }) {
  return { block: hash, changes: entries.map(({ key, hex }) => [key, hex]) };
}

async function nextIndex({ client }, [account]) {
  if (typeof account !== "string") throw badParams("an account is an SS58 address, or 0x and 64 hexadecimal digits");
  const { nonce, block, hash, endpoint } = await client.account(account);
  return { result: nonce, block, hash, endpoint };
}

/** The kinds of items of `chainHead_v1_storage` and `archive_v1_storage` that `items` answers. */
export const PROVEN = ["value", "hash"];
/** The kinds for all entries under a key, and the field of each item. */
export const DESCENDANTS = { descendantsValues: "value", descendantsHashes: "hash" };
export const CLOSEST = "closestDescendantMerkleValue";

async function itemOf({ client }, type, { key, value, hex }) {
  return type === "value" ? { key, value: hex } : { key, hash: toHex(await client.blake2b(value, BLAKE2)) };
}

/** The Merkle value of all entries under a key; no item if there are none. */
export async function closestItem({ client, wait }, key, hash) {
  const found = await client.merkleValue(keyOf(key), { ...wait, at: hash });
  const { merkleValue } = found;
  const answered = merkleValue === undefined ? [] : [{ key, [CLOSEST]: toHex(merkleValue) }];
  return { items: answered, ...about(found) };
}

/** Items for all entries under a key; `undefined` if there are too many to prove. */
export async function descendantItems(context, { key, type }, hash) {
  const found = await allUnder(context, keyOf(key), hash);
  if (!found) return undefined;
  const answered = [];
  for (const entry of found.entries) answered.push(await itemOf(context, DESCENDANTS[type], entry));
  return { items: answered, ...about(found) };
}

/** Items that ask for a value or its hash. */
export async function items(context, wanted, hash) {
  if (wanted.length === 0) return { items: [] };
  const found = await read(context, wanted.map(({ key }) => keyOf(key)), hash);
  const answered = [];
  for (const [index, { type }] of wanted.entries()) {
    const entry = found.entries[index];
    if (entry.value !== undefined) answered.push(await itemOf(context, type, entry));
  }
  return { items: answered, ...about(found) };
}

async function archiveStorage(context, [hash, wanted, childTrie], push) {
  const at = hashOf(hash);
  if (at === undefined || !Array.isArray(wanted) || wanted.length > MAX_ITEMS) throw badParams(`expected a block hash and at most ${MAX_ITEMS} items`);
  if (childTrie) throw badParams("child tries are not verified");
  const other = wanted.find(({ type }) => ![...PROVEN, CLOSEST].includes(type) && !(type in DESCENDANTS));
  if (other) throw badParams(`unknown kind ${other.type}`);
  let ended = false;
  const answer = async () => {
    try {
      const found = [await items(context, wanted.filter(({ type }) => PROVEN.includes(type)), at)];
      for (const item of wanted.filter(({ type }) => type === CLOSEST)) found.push(await closestItem(context, item.key, at));
      for (const item of wanted.filter(({ type }) => type in DESCENDANTS)) {
        found.push((await descendantItems(context, item, at)) ?? refuse("a list of so many keys cannot be proven complete"));
      }
      for (const { items: all, ...where } of found) {
        for (const item of all) if (!ended) push({ event: "storage", ...item }, where);
      }
      if (!ended) push({ event: "storageDone" }, { isSilent: true, isLast: true });
    } catch (error) {
      if (!ended) push({ event: "storageError", error: context.failed(error).message }, { isSilent: true, isLast: true });
    }
  };
  return { start: answer, end: () => (ended = true) };
}

function refuse(why) {
  throw refused("archive_v1_storage", why);
}

export const stateAnswers = { storage, storageSize, storageHash, queryStorageAt, readProof, subscribeStorage, nextIndex, archiveStorage };
