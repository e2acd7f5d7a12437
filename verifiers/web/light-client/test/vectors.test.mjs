// The conformance vectors, through the verifier in WASM: every case whose operation a light client does.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { concat, fromHex, toHex } from "../src/text.js";
import * as glue from "../wasm/duet_light_wasm.js";

const VECTORS = new URL("../../../conformance/vectors/", import.meta.url);
await glue.default({ module_or_path: readFileSync(new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url)) });
const { LightClient } = glue;

/** An input with its bytes as such, and with the data of the file in the place of names. */
function resolve(value, data) {
  if (typeof value === "string" && value.startsWith("$")) return fromHex(data[value.slice(1)]);
  if (typeof value === "string" && value.startsWith("0x")) return fromHex(value);
  if (Array.isArray(value)) return value.map((item) => resolve(item, data));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolve(field, data)]));
  }
  return value;
}

function state(client) {
  if (client === undefined) return null;
  const { block, hash, set, nextSet } = client.status();
  return { block_number: block, block_hash: toHex(hash), signing: String(set), next: nextSet === undefined ? null : String(nextSet) };
}

function begin({ checkpoint, ...start }, mode) {
  if (checkpoint) return LightClient.fromCheckpoint(checkpoint, mode);
  if (start.start_hash) return LightClient.fromStart(start.genesis_hash, start.start_hash, start.start_proof, mode);
  return LightClient.fromGenesis(start.genesis_hash, start.genesis_proof, mode);
}

/** Begins, and takes the steps until one is refused. */
function reach({ mode, start, steps }) {
  const outcomes = [];
  let client;
  try {
    client = begin(start, mode);
    for (const { form, bytes, set } of steps) {
      if (form === "keys") client.addKeys(BigInt(set), bytes);
      const outcome = form === "keys" ? "keys" : client.verify(form, bytes) === undefined ? "known" : "new";
      outcomes.push(outcome);
    }
  } catch (error) {
    return { client, outcomes, error };
  }
  return { client, outcomes };
}

const verdict = (error) => (error === undefined ? { valid: true } : { valid: false, rule: error.rule, blame: error.culprit, next_step: error.nextStep });

function follow(input) {
  const { client, outcomes, error } = reach(input);
  return { ...verdict(error), outcomes, trusted: state(client) };
}

function followTogether(input) {
  const { client } = reach(input);
  const [{ form }] = input.together;
  const { verified, error } = client.verifyAll(form, input.together.map(({ bytes }) => bytes));
  return { ...verdict(error), outcomes: verified.map(() => "new"), trusted: state(client) };
}

const u64 = (value) => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
};
const compact = (number) => (number < 64 ? Uint8Array.of(number << 2) : Uint8Array.of(((number & 63) << 2) | 1, number >> 6));

function older(best, { leaf, leaf_index: index, leaf_count: count, hashes }) {
  const leaves = concat([compact(1), compact(leaf.length), leaf]);
  const proof = concat([compact(1), u64(index), u64(count), compact(hashes.length), ...hashes]);
  const number = new DataView(leaf.buffer, leaf.byteOffset).getUint32(1, true);
  return best.older(number, leaves, proof);
}

function read(input) {
  const { client, error } = reach(input);
  assert.equal(error, undefined);
  try {
    let block = client.best();
    if (input.older) block = older(block, input.older);
    const outputs = { valid: true, block_number: block.number, block_hash: toHex(block.hash) };
    if (!input.header) return outputs;
    const { parentHash, stateRoot, extrinsicsRoot } = block.header(input.header);
    outputs.parent_hash = parentHash ? toHex(parentHash) : null;
    outputs.state_root = toHex(stateRoot);
    outputs.extrinsics_root = toHex(extrinsicsRoot);
    if (input.extrinsics) {
      block.body(input.header, input.extrinsics);
      if (input.transaction) outputs.index = block.find(input.header, input.extrinsics, input.transaction) ?? null;
    }
    if (!input.keys) return outputs;
    const values = block.read(input.header, input.keys, input.nodes);
    return { ...outputs, values: values.map((value) => (value ? toHex(value) : null)) };
  } catch (thrown) {
    return verdict(thrown);
  }
}

/** A proof alone: under a checkpoint of block 0 with the set that should have signed. */
function alone({ genesis_hash: genesis, commitment, keys }, mode, bytes) {
  const checkpoint = concat([genesis, new Uint8Array(4), genesis, commitment, commitment]);
  const client = LightClient.fromCheckpoint(checkpoint, mode);
  if (keys) client.addKeys(new DataView(commitment.buffer, commitment.byteOffset).getBigUint64(0, true), keys);
  try {
    const { signers, of } = client.verify(mode === "full" ? "justification" : "stateless", bytes);
    return { valid: true, signers, non_signers: of - signers };
  } catch (thrown) {
    return verdict(thrown);
  }
}

const OPERATIONS = {
  follow,
  follow_together: followTogether,
  read,
  justification: (input) => alone(input, "full", input.justification),
  stateless_proof: (input) => alone(input, "stateless", input.proof),
};
// A light client refuses these before it comes to the rule: it never looks at a proof of a set that it does not trust, and
// a checkpoint with such a total is no checkpoint.
const BEFORE = ["JUST-1", "SET-3"];
// What the answers say more than is compared here, and how words are written.
const words = (text) => text?.replaceAll(" ", "-");

for (const name of readdirSync(VECTORS).sort()) {
  const { format, data, cases } = JSON.parse(readFileSync(new URL(name, VECTORS)));
  const ours = cases.filter(({ operation, expected }) => {
    const isAlone = ["justification", "stateless_proof"].includes(operation);
    return operation in OPERATIONS && !(isAlone && BEFORE.includes(expected.rule));
  });
  if (ours.length === 0) {
    console.log(`${name}: none of ${cases.length} cases is an operation of a light client`);
    continue;
  }
  test(`${name}: ${ours.length} of ${cases.length} cases have the answers that the vectors say`, () => {
    assert.equal(format, 1);
    for (const { id, operation, input, expected } of ours) {
      const got = OPERATIONS[operation](resolve(input, data));
      const wanted = { ...expected };
      delete wanted.cause;
      // In a proof alone the apk and hashes are outputs too, which a light client does not have.
      for (const field of ["apk1", "digest", "point", "t"]) delete wanted[field];
      // Whose a checkpoint's bytes are, a program knows that was given them by its user.
      if (input.start?.checkpoint && wanted.trusted === null) {
        delete wanted.blame;
        delete wanted.next_step;
      }
      if (wanted.next_step) wanted.next_step = words(wanted.next_step);
      for (const [field, value] of Object.entries(wanted)) assert.deepEqual(got[field], value, `${id}: ${field}`);
    }
  });
}
