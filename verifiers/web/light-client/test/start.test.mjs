// A client that begins at a block whose hash its user trusts, on the chain of the conformance vectors. (LIGHT-1 to LIGHT-3)

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromHex, toHex } from "../src/text.js";
import * as glue from "../wasm/duet_light_wasm.js";
import { client, flip, Server, until } from "./support.mjs";

await glue.default({ module_or_path: readFileSync(new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url)) });
const { data, cases } = JSON.parse(readFileSync(new URL("../../../conformance/vectors/starts.json", import.meta.url)));
const NONE = { error: { code: 9005, message: "no proof of genesis" } };
// Where a start proof has its nodes.
const IN_NODES = 300;

const bytesOf = (text) => (text.startsWith("$") ? data[text.slice(1)] : text);
const list = (items) => `0x${(4 * items.length).toString(16).padStart(2, "0")}${items.map((item) => item.slice(2)).join("")}`;
const hashOf = (bytes) => toHex(glue.blake2b(bytes, 32));

/** The header in a start proof, which is short: its bytes, and as nodes show it. */
function headerOf(proof) {
  const bytes = fromHex(proof);
  const [start, length] = bytes[0] & 1 ? [2, ((bytes[1] << 8) | bytes[0]) >> 2] : [1, bytes[0] >> 2];
  const header = bytes.slice(start, start + length);
  const part = (at) => toHex(header.slice(at, at + 32));
  const json = { parentHash: part(0), number: `0x${(header[32] >> 2).toString(16)}`, stateRoot: part(33), extrinsicsRoot: part(65), digest: { logs: [] } };
  return { header, json };
}

/** What nodes of the chain answer that serves the steps of a case, of which the last is the head's proof. */
function networkOf(id, mode) {
  const { input, expected } = cases.find((one) => one.id === `starts/${id}, ${mode}`);
  const { genesis_hash: genesis, start_hash: hash } = input.start;
  const proof = bytesOf(input.start.start_proof);
  const steps = input.steps.map(({ bytes }) => bytesOf(bytes));
  const { block_number: number, block_hash: head } = expected.trusted;
  const ofSets = mode === "full" ? "duet_getSetProofs" : "duet_getStatelessSetProofs";
  const ofBlock = mode === "full" ? "duet_getJustification" : "duet_getStatelessProof";
  const answers = {
    "chain_getBlockHash [0]": genesis,
    "duet_getGenesisProof []": NONE,
    "duet_getStartProof []": proof,
    [`duet_getStartProof ["${hash}"]`]: proof,
    [`chain_getHeader ["${hash}"]`]: headerOf(proof).json,
    [`chain_getHeader ["${head}"]`]: { number: `0x${number.toString(16)}` },
    [`${ofSets} [1,64]`]: list(steps.slice(1, 3)),
    [`${ofSets} [3,64]`]: "0x00",
    [`${ofBlock} [${number}]`]: steps.at(-1),
  };
  return { genesis, start: { hash, proof }, head: number, heads: [{ number, hash: head }], answers };
}

const NETWORK = networkOf("from the first block of a set", "stateless");

/** Answers one question otherwise. */
const about = (name, answer) => (method, params, honest) => (method === name ? answer(params, honest) : honest);
const nothingProven = about("duet_getFinalizedHead", () => ({ error: { code: 9001, message: "not yet" } }));

function begin(t, servers, options) {
  return client(t, servers, { genesisHash: NETWORK.genesis, ...options });
}

/** What is kept, in memory. */
function memory() {
  let kept;
  return { load: async () => kept, save: async (bytes) => { kept = bytes; } };
}

/** Keeps the start block as the newest one. */
async function keptAtStart(t) {
  const storage = memory();
  const made = begin(t, [await Server.start({ network: NETWORK, lie: nothingProven })], { startHash: NETWORK.start.hash, storage });
  const { block } = await made.ready;
  assert.equal(block, 10);
  await made.destroy();
  return storage;
}

for (const mode of ["stateless", "full"]) {
  test(`a chain that took Duet up later is followed from a block of it, ${mode}`, async (t) => {
    const network = networkOf("from the first block of a set", mode);
    const server = await Server.start({ network });
    const made = begin(t, [server], { mode, startHash: network.start.hash });
    const status = await made.ready;
    assert.deepEqual([status.block, status.set, status.nextSet], [28, 2n, 3n]);
    assert.deepEqual(made.heads.map(({ block }) => block), [15, 25, 28]);
    assert.ok(!server.asked.includes("duet_getGenesisProof"));
    assert.deepEqual(made.faults, []);
  });
}

test("without a start the block that an endpoint claims is told, and not taken", async (t) => {
  const server = await Server.start({ network: NETWORK });
  const made = begin(t, [server]);
  await until("the claim", () => made.faults.length > 0);
  const [fault] = made.faults;
  const { hash } = NETWORK.start;
  assert.deepEqual([fault.endpoint, fault.verdict, fault.rule, fault.start], [server.url, "later_start", "LIGHT-1", { block: 10, hash }]);
  for (const said of [`at block 10 (${hash})`, "This is not proven", "startHash"]) assert.ok(fault.message.includes(said), fault.message);
  assert.equal(made.head, undefined);
});

const CLAIMS = [
  ["a claimed start that does not hold is a lie", "lied", "LIGHT-2", ([hash], proof) => (hash === undefined ? flip(proof, IN_NODES) : proof)],
  ["who knows no start is not called a liar", "incomplete", undefined, () => NONE],
  ["who is too old to know a start is not left for good", "incomplete", undefined, () => ({ error: { code: -32601, message: "Method not found" } })],
];

for (const [name, verdict, rule, answer] of CLAIMS) {
  test(name, async (t) => {
    const made = begin(t, [await Server.start({ network: NETWORK, lie: about("duet_getStartProof", answer) })]);
    await until("the fault", () => made.faults.length > 0);
    assert.deepEqual([made.faults[0].verdict, made.faults[0].rule], [verdict, rule]);
  });
}

const STARTS = [
  ["the header of another block", "lied", "LIGHT-1", (_params, proof) => flip(proof, 10)],
  ["a changed trie node", "lied", "LIGHT-2", (_params, proof) => flip(proof, IN_NODES)],
  ["other keys", "lied", "LIGHT-3", (_params, proof) => flip(proof, proof.length / 2 - 20)],
  ["a byte behind the proof", "lied", "ENC-6", (_params, proof) => `${proof}00`],
  ["no proof", "incomplete", undefined, () => null],
];

for (const [name, verdict, rule, answer] of STARTS) {
  test(`a start with ${name}: the server is named, and the honest one begun with`, async (t) => {
    const liar = await Server.start({ network: NETWORK, lie: about("duet_getStartProof", answer) });
    const options = { startHash: NETWORK.start.hash };
    const alone = begin(t, [liar], options);
    await until("the fault", () => alone.faults.length > 0);
    assert.deepEqual([alone.faults[0].verdict, alone.faults[0].rule], [verdict, rule]);
    assert.equal(alone.head, undefined);
    const both = begin(t, [await Server.start({ network: NETWORK, lie: about("duet_getStartProof", answer) }), await Server.start({ network: NETWORK })], options);
    assert.equal((await both.ready).block, 28);
  });
}

test("the genesis of another chain is no start", async (t) => {
  const { input } = cases.find(({ id }) => id === "starts/the genesis of another chain as the start, stateless");
  const proof = bytesOf(input.start.start_proof);
  const server = await Server.start({ network: NETWORK, lie: about("duet_getStartProof", () => proof) });
  const made = begin(t, [server], { startHash: input.start.start_hash });
  await assert.rejects(made.ready, { verdict: "fatal", rule: "LIGHT-1", culprit: "caller", message: /genesis of another chain/ });
});

test("what is kept goes before a start that is not newer", async (t) => {
  const storage = await keptAtStart(t);
  const server = await Server.start({ network: NETWORK });
  const made = begin(t, [server], { startHash: NETWORK.start.hash, storage });
  assert.equal((await made.ready).block, 28);
  assert.ok(!server.asked.includes("duet_getStartProof"));
});

test("a start that is newer than what is kept is begun at", async (t) => {
  const storage = await keptAtStart(t);
  const later = networkOf("from block 23, in set 2", "stateless");
  const server = await Server.start({ network: later, lie: nothingProven });
  const made = begin(t, [server], { startHash: later.start.hash, storage });
  const { block, set } = await made.ready;
  assert.deepEqual([block, set], [23, 2n]);
});

test("a start that contradicts what is kept is refused", async (t) => {
  const storage = await keptAtStart(t);
  const { header, json } = headerOf(NETWORK.start.proof);
  header[0] ^= 1;
  const parentHash = flip(json.parentHash, 0);
  const lie = about("chain_getHeader", () => ({ ...json, parentHash }));
  const made = begin(t, [await Server.start({ network: NETWORK, lie })], { startHash: hashOf(header), storage });
  await assert.rejects(made.ready, { verdict: "fatal", message: /startHash names 0x[0-9a-f]{64} as block 10/ });
});

test("a header that is not of the start is a lie", async (t) => {
  const storage = await keptAtStart(t);
  const lie = about("chain_getHeader", ([hash], honest) => (hash === NETWORK.start.hash ? { ...honest, number: "0x1" } : honest));
  const made = begin(t, [await Server.start({ network: NETWORK, lie })], { startHash: NETWORK.start.hash, storage });
  await until("the fault", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].verdict, made.faults[0].rule], ["lied", "STATE-1"]);
});

test("a start that makes no sense is refused before anybody is asked", async (t) => {
  const startHash = NETWORK.start.hash;
  const endpoints = ["ws://127.0.0.1:1"];
  assert.throws(() => client(t, [], { endpoints, startHash, checkpoint: "{}" }), /startHash and checkpoint/);
  assert.throws(() => client(t, [], { endpoints, genesisHash: undefined, startHash }), /no chain given/);
  const made = begin(t, [], { endpoints, startHash: "0x12" });
  await assert.rejects(made.ready, /startHash has to be/);
});
