// `state_*` and what is like it: entries of the state under proven blocks.

import { fromHex, toHex, u32 } from "../bytes.js";
import { badParams } from "../error.js";
import { hashOf, keyOf, keysOf } from "./params.js";

const BLAKE2 = 32;
const MAX_ITEMS = 256;

/** Entries under one block: `{ entries, block, hash, nodes, endpoint }`, values and hash as hex. */
export async function read({ client, wait }, keys, hash) {
  const found = await client.entries(keys, { ...wait, at: hash });
  const entries = found.entries.map(({ key, value }) => ({ key, value, hex: value === undefined ? null : toHex(value) }));
  return { ...found, entries, hash: toHex(found.hash) };
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

/** Under each proven block; while one is read, newer ones wait, of which the newest counts. */
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
      // What no endpoint proves now is read again under the next block.
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
  return { result: nonce, block, hash: toHex(hash), endpoint };
}

/** The nonce of an account as `AccountNonceApi_account_nonce` answers it. */
export async function nonceCall({ client, wait }, argument, hash) {
  if (fromHex(argument)?.length !== 32) throw badParams("an account is 32 bytes");
  const found = await client.account(argument, { ...wait, at: hash });
  return { result: toHex(u32(found.nonce)), class: "verified", block: found.block, hash: toHex(found.hash), endpoint: found.endpoint };
}

/** Items of `chainHead_v1_storage` and `archive_v1_storage` that ask for a value or its hash. */
export async function items(context, wanted, hash) {
  if (wanted.length === 0) return { items: [] };
  const found = await read(context, wanted.map(({ key }) => keyOf(key)), hash);
  const answered = [];
  for (const [index, { type }] of wanted.entries()) {
    const { key, value, hex } = found.entries[index];
    if (value === undefined) continue;
    answered.push(type === "value" ? { key, value: hex } : { key, hash: toHex(await context.client.blake2b(value, BLAKE2)) });
  }
  return { items: answered, ...about(found) };
}

async function archiveStorage(context, [hash, wanted, childTrie], push) {
  const at = hashOf(hash);
  if (at === undefined || !Array.isArray(wanted) || wanted.length > MAX_ITEMS) throw badParams(`a block's hash and at most ${MAX_ITEMS} items`);
  if (childTrie) throw badParams("child tries are not verified");
  if (wanted.some(({ type }) => !["value", "hash"].includes(type))) throw badParams("only `value` and `hash` can be proven");
  let ended = false;
  const answer = async () => {
    try {
      const { items: found, ...where } = await items(context, wanted, at);
      for (const item of found) if (!ended) push({ event: "storage", ...item }, where);
      if (!ended) push({ event: "storageDone" });
    } catch (error) {
      if (!ended) push({ event: "storageError", error: context.failed(error).message });
    }
  };
  return { start: answer, end: () => (ended = true) };
}

export const stateAnswers = { storage, storageSize, storageHash, queryStorageAt, readProof, subscribeStorage, nextIndex, archiveStorage };
