// Outcomes of transactions over a recorded chain, and the watch of a transaction that is sent: servers that lie change
// neither. (STATE-9)

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fromHex, toHex } from "../src/text.js";
import { blake2b } from "../wasm/duet_light_wasm.js";
import * as glue from "../wasm/duet_outcomes_wasm.js";
import { client, flip, readProof, Server, SILENCE, transacting, until } from "./support.mjs";

const { heads, transactions } = transacting;
const EVENTS = "0x26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7";
const [CODE, PROBE] = [":code", ":code\0"].map((text) => toHex(new TextEncoder().encode(text)));
const FEE = { paid: 1n << 60n, tip: 3n };
const WHO = `0x${"01".repeat(32)}`;
const ENDS = {
  transfer: { at: 2, success: true },
  insufficient: { at: 3, success: false, error: { pallet: "Balances", error: "InsufficientBalance", docs: "Balance too low to send value." } },
  // The block changes the code: its events are those of the code before it.
  underflow: { at: 4, success: false, error: { other: { Arithmetic: "Underflow" } } },
  badOrigin: { at: 5, success: false, error: { other: "BadOrigin" } },
};

/** A client of servers that lie in these ways, or not at all, at the head of this block. */
async function begin(t, { lies = [undefined], head = 8, ...options } = {}) {
  const servers = await Promise.all(lies.map((lie) => Server.start({ network: transacting, head: head - 1, lie })));
  const made = client(t, servers, { genesisHash: transacting.genesis, ...options });
  await made.ready;
  await until("all servers", () => servers.every(({ connections }) => connections > 0));
  return { made, servers, hash: async (name) => toHex(await made.blake2b(fromHex(transactions[name]), 32)) };
}

for (const worker of [false, true]) {
  test(`the outcome, the fee and the events of a transaction are proven${worker ? ", in a worker" : ""}`, async (t) => {
    const { made, hash } = await begin(t, { worker });
    for (const [name, { at, ...end }] of Object.entries(ENDS)) {
      const found = await made.outcome(await hash(name), { at });
      const { success, error, fee, index, block, included, value } = found;
      assert.deepEqual({ success, ...(error && { error }) }, end, name);
      assert.deepEqual({ fee, index, block, included, value: toHex(value) }, { fee: FEE, index: 1, block: at, included: true, value: transactions[name] });
      assert.ok(found.hash.startsWith("0x") && found.proofBytes > 1_000 && found.endpoint);
      const events = found.events.map(({ pallet, name: event }) => `${pallet}.${event}`);
      const last = success ? "System.ExtrinsicSuccess" : "System.ExtrinsicFailed";
      assert.deepEqual(events, [...(success ? ["Balances.Transfer"] : []), "TransactionPayment.TransactionFeePaid", last]);
    }
    const { events } = await made.outcome(await hash("transfer"), { at: 2 });
    assert.deepEqual(events[0].fields, { from: WHO, to: `0x${"02".repeat(32)}`, amount: 7 });
    assert.deepEqual(events[1].fields, { who: WHO, actual_fee: String(1n << 60n), tip: 3 });
  });
}

test("a transaction that a block does not have has no outcome, and that is proven", async (t) => {
  const { made, servers, hash } = await begin(t);
  const { included, success, events } = await made.outcome(await hash("transfer"), { at: 3 });
  assert.deepEqual([included, success, events], [false, undefined, undefined]);
  assert.equal(servers[0].asked.includes("state_getReadProof"), false);
});

/** Changes the trie nodes of an answer that has this key. */
const about = (key, change) => (method, params, honest) => (method === "state_getReadProof" && params[0].includes(key) ? change(honest, params) : honest);
const values = (block) => heads.find(({ number }) => number === block).values;
const changed = (block, key, offset, mask) => about(key, ({ at, proof }) => {
  const whole = transacting.nodes[values(block)[key]];
  return { at, proof: proof.map((node) => (node === whole ? flip(node, offset, mask) : node)) };
});
const hashOf = (block) => heads.find(({ number }) => number === block).hash;
/** The state of another block. */
const ofBlock = (key, block) => about(key, (_honest, [keys]) => readProof(transacting, keys, hashOf(block)));
const length = (block, key) => fromHex(transacting.nodes[values(block)[key]]).length;
/** Changes the path to block 2. */
const parent = (change) => (method, params, honest) => (method === "mmr_generateProof" && params[0][0] === 3 ? change(honest) : honest);
const body = (change) => (method, _params, honest) => (method === "chain_getBlock" && honest.block ? { block: { extrinsics: change(honest.block.extrinsics) } } : honest);
/** The offset of the paid fee, and that of the end of the call: the events end with `index, pallet, event, …`. */
const events = transacting.nodes[values(3)[EVENTS]];
const FEE_AT = (events.indexOf(`${"00".repeat(7)}10${"00".repeat(8)}`) - 2) / 2;
const END_AT = fromHex(events).length - 1 - 8 - 6 - 1;

// Each is told of the failing transaction of block 3.
const LIES = [
  ["an event is changed", "STATE-2", changed(3, EVENTS, 9, 1)],
  ["the fee is changed", "STATE-2", changed(3, EVENTS, FEE_AT, 1)],
  ["the failure is made a success", "STATE-2", changed(3, EVENTS, END_AT, 1)],
  ["the events are those of a block where it succeeded", "STATE-2", ofBlock(EVENTS, 2)],
  ["the code, which has the metadata, is changed", "STATE-2", changed(2, CODE, length(2, CODE) - 9, 1)],
  ["the code is that of another version", "STATE-2", ofBlock(CODE, 4)],
  ["the block before is another one", "RPC-1", parent(() => transacting.answers[`mmr_generateProof [[2],8,"${hashOf(8)}"]`])],
  ["the path to the block before is changed", "STATE-3", parent(({ leaves, proof }) => ({ leaves, proof: flip(proof, proof.length / 2 - 9) }))],
  ["the transaction is moved", "STATE-4", body((list) => [...list].reverse())],
  ["another transaction is put before it", "STATE-4", body((list) => [list[0], transactions.mortal, ...list.slice(1)])],
];
for (const [what, rule, lie] of LIES) {
  test(`where ${what}, a lone server has no outcome to give (${rule})`, async (t) => {
    const { made, hash } = await begin(t, { lies: [lie] });
    await assert.rejects(made.outcome(await hash("insufficient"), { at: 3 }), { name: "DuetError", verdict: "lied", rule });
  });

  test(`where ${what}, the outcome is the honest server's, and the liar is named`, async (t) => {
    const { made, servers, hash } = await begin(t, { lies: [lie, undefined] });
    const { success, error, fee } = await made.outcome(await hash("insufficient"), { at: 3 });
    assert.deepEqual([success, error, fee], [false, ENDS.insufficient.error, FEE]);
    await until("the liar to be named", () => made.faults.length > 0);
    assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict], [servers[0].url, "lied"]);
  });
}

test("a server without the state is not at fault: the transaction is there, and its outcome is missing", async (t) => {
  const gone = about(EVENTS, () => ({ error: { code: 4003, message: "State already discarded" } }));
  const { made, hash } = await begin(t, { lies: [gone] });
  await assert.rejects(made.outcome(await hash("transfer"), { at: 2 }), { verdict: "incomplete", culprit: "nobody" });
  assert.equal((await made.transaction(await hash("transfer"), { at: 2 })).included, true);
  assert.deepEqual(made.faults, []);
});

test("the code is fetched once for all outcomes before an upgrade", async (t) => {
  let fetched = 0;
  const count = about(CODE, (honest) => {
    fetched += 1;
    return honest;
  });
  const { made, hash } = await begin(t, { lies: [count] });
  for (const at of [2, 3, 2, 3]) await made.outcome(await hash(at === 2 ? "transfer" : "insufficient"), { at });
  assert.equal(fetched, 1);
  await made.outcome(await hash("badOrigin"), { at: 5 });
  assert.equal(fetched, 2);
});

async function module() {
  await glue.default({ module_or_path: await readFile(new URL("../wasm/duet_outcomes_wasm_bg.wasm", import.meta.url)) });
  return new glue.Outcomes();
}

/** The metadata in the code of a block, with its length of two bytes in front. */
function metadataOf(block) {
  const code = fromHex(transacting.nodes[values(block)[CODE]]);
  const start = toHex(code).indexOf("6d6574610f") / 2 - 3;
  return code.slice(start, start + 2 + ((code[start] | (code[start + 1] << 8)) >> 2));
}

test("bytes that are no metadata or no events of it have no outcome, at every length (STATE-9)", async () => {
  const outcomes = await module();
  const metadata = metadataOf(3);
  const bytes = fromHex(transacting.nodes[values(3)[EVENTS]]);
  assert.equal(JSON.parse(outcomes.outcome(metadata, bytes, 1)).success, false);
  const refused = (...given) => assert.throws(() => outcomes.outcome(...given), (error) => typeof error === "string" && error.startsWith("STATE-9: "));
  for (let end = 0; end < bytes.length; end += 1) refused(metadata, bytes.slice(0, end), 1);
  for (let end = 0; end < metadata.length; end += 7) refused(metadata.slice(0, end), bytes, 1);
  refused(metadata, bytes, 2);
  refused(metadata, Uint8Array.of(3, 255, 255, 255, 255), 1);
});

test("the era of a transaction is that which FRAME encodes", async () => {
  const outcomes = await module();
  const metadata = metadataOf(3);
  const era = (bytes) => [...outcomes.mortality(metadata, fromHex(bytes))];
  const [before, after] = transactions.mortal.split("0100612063616c6c");
  assert.equal(after, "");
  const encoded = (text) => era(`${before}${text}612063616c6c`);
  assert.deepEqual(encoded("0100"), [4, 0]);
  assert.deepEqual(encoded("a502"), [64, 42]);
  // Above 4 096 blocks the phase is quantised.
  assert.deepEqual(encoded("4e9c"), [32_768, 20_000]);
  // A phase outside the period, a period of two, an immortal one before something else.
  for (const none of ["4100", "1000", "002a"]) assert.deepEqual(encoded(none), [], none);
  for (const other of [transactions.immortal, before, before.slice(0, 60), "0x", "0x0c040301"]) assert.deepEqual(era(other), []);
});

/** Answers to a transaction that is sent; the others are honest. */
const sending = (answer) => (method, params, honest) => (method === "author_submitExtrinsic" ? answer(params, honest) : honest);
const taken = sending(([bytes]) => toHex(blake2b(fromHex(bytes), 32)));
const refusing = (code, message, data) => sending(() => ({ error: { code, message, data } }));
const STALE = refusing(1010, "Invalid Transaction", "Transaction is outdated\u001b[2K");

/** Watches, and moves all servers on to each of these blocks when the one before was looked into. */
async function watching(made, servers, name, blocks, options = {}) {
  const told = [];
  const progress = (step) => told.push(step);
  const ended = made.watch(transactions[name], { progress, ...options });
  ended.catch(() => {});
  for (const block of blocks) {
    await until(`a look into block ${block - 1}`, () => told.some((step) => step.block === block - 1));
    for (const server of servers) server.move(block - 1);
  }
  return { told, ...(await ended) };
}

test("a transaction is sent to every server, and its proven outcome ends the watch", async (t) => {
  const sent = [];
  const lies = [0, 1].map(() => (...asked) => {
    if (asked[0] === "author_submitExtrinsic") sent.push(...asked[1]);
    return taken(...asked);
  });
  const { made, servers } = await begin(t, { lies, head: 2 });
  const { end, success, error, block, fee, told } = await watching(made, servers, "insufficient", [3]);
  assert.deepEqual({ end, success, error, block, fee }, { end: "included", success: false, error: ENDS.insufficient.error, block: 3, fee: FEE });
  assert.deepEqual(sent, [transactions.insufficient, transactions.insufficient]);
  assert.deepEqual(told.filter((step) => step.endpoint).map(({ endpoint }) => endpoint).sort(), servers.map(({ url }) => url).sort());
  assert.deepEqual(told.filter((step) => step.block).map((step) => step.block), [2, 3]);
});

test("a server that takes a transaction and returns another hash has lied, and the watch goes on (RPC-1)", async (t) => {
  const { made, servers, hash } = await begin(t, { lies: [sending(() => `0x${"77".repeat(32)}`), taken], head: 2 });
  const { end, told } = await watching(made, servers, "insufficient", [3]);
  assert.equal(end, "included");
  assert.deepEqual(told.filter((step) => step.endpoint).map(({ endpoint }) => endpoint), [servers[1].url]);
  const { endpoint, verdict, rule, expected } = made.faults[0];
  assert.deepEqual([endpoint, verdict, rule, expected], [servers[0].url, "lied", "RPC-1", await hash("insufficient")]);
});

test("blocks between two proven ones are looked into, and those from a named one on", async (t) => {
  const { made, servers } = await begin(t, { lies: [taken], head: 2 });
  const looked = [];
  const ended = made.watch(fromHex(transactions.insufficient), { timeout: 5_000, progress: ({ block }) => looked.push(block) });
  await until("the first look", () => looked.includes(2));
  servers[0].move(3);
  assert.deepEqual(await ended.then(({ end, block }) => [end, block]), ["included", 3]);
  const again = await made.watch(transactions.insufficient, { from: 3 });
  assert.deepEqual([again.end, again.block, again.success], ["included", 3, false]);
});

test("a server that says what is not so about a transaction ends nothing", async (t) => {
  // It claims to have it, puts it into each block, and refuses nothing.
  const lie = (method, params, honest) => (method === "author_submitExtrinsic" ? taken : body((list) => [...list, transactions.immortal]))(method, params, honest);
  const { made, servers } = await begin(t, { lies: [lie, taken], head: 2 });
  const { end, from, block } = await watching(made, servers.slice(1), "immortal", [3, 4], { timeout: 1_500 });
  assert.deepEqual({ end, from, block }, { end: "timed_out", from: 2, block: 4 });
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].rule], [servers[0].url, "STATE-4"]);
});

test("where every server refuses a transaction, their words end the watch, and are marked as theirs", async (t) => {
  const { made, servers } = await begin(t, { lies: [STALE, refusing(1014, "Priority is too low")], head: 2 });
  const { end, rejections, block, transaction } = await watching(made, servers, "immortal", []);
  assert.deepEqual([end, block, transaction.length], ["rejected", 2, 66]);
  const said = rejections.map(({ code, message }) => [code, message]);
  assert.deepEqual(said, [[1010, "Invalid Transaction: Transaction is outdated\\u{1b}[2K"], [1014, "Priority is too low"]]);
  // It is in block 3 all the same: who looks finds it.
  const { made: other } = await begin(t, { lies: [STALE], head: 3 });
  assert.equal((await other.watch(transactions.insufficient)).end, "included");
});

for (const [what, other] of [["takes", taken], ["knows", refusing(1013, "Transaction is already imported")], ["had", refusing(1012, "Transaction is temporarily banned")]]) {
  test(`a transaction that one server ${what} is not rejected`, async (t) => {
    const { made, servers } = await begin(t, { lies: [STALE, other], head: 2 });
    assert.equal((await watching(made, servers, "insufficient", [3])).end, "included");
  });
}

test("a server that does not answer may have the transaction", async (t) => {
  const silent = sending(() => SILENCE);
  const { made, servers } = await begin(t, { lies: [STALE, silent], head: 2, times: { requestTimeout: 300, settleAfter: 300 } });
  const ended = made.watch(transactions.insufficient);
  await until("the end of the wait for it", () => servers[0].asked.includes("author_submitExtrinsic"));
  await new Promise((resolve) => setTimeout(resolve, 600));
  for (const server of servers) server.move(2);
  assert.equal((await ended).end, "included");
});

test("a mortal transaction is expired when its era is over and the proven runtime calls it invalid", async (t) => {
  const { made, servers } = await begin(t, { lies: [taken], head: 3 });
  const { end, from, block } = await watching(made, servers, "mortal", [4, 5, 6, 7, 8]);
  // In block 6 its first era is over, and the runtime still takes it: it may be of the next one.
  assert.deepEqual({ end, from, block }, { end: "expired", from: 3, block: 8 });
});

test("an immortal transaction does not expire", async (t) => {
  const { made, servers } = await begin(t, { lies: [taken], head: 3 });
  const { end, block } = await watching(made, servers, "immortal", [4, 5, 6, 7, 8], { timeout: 2_500 });
  assert.deepEqual({ end, block }, { end: "timed_out", block: 8 });
});

test("a transaction whose events no server has is included, with the reason why its outcome is missing", async (t) => {
  const gone = (method, params, honest) => about(EVENTS, () => ({ error: { code: 4003, message: "State already discarded" } }))(method, params, taken(method, params, honest));
  const { made, servers } = await begin(t, { lies: [gone], head: 2 });
  const { end, success, block, fault } = await watching(made, servers, "insufficient", [3], { timeout: 1_000 });
  assert.deepEqual([end, success, block, fault.verdict], ["included", undefined, 3, "incomplete"]);
});

test("a watch ends with its signal, with the client, and with a mistake of its caller", async (t) => {
  const { made } = await begin(t, { lies: [taken], head: 2 });
  const abort = new AbortController();
  const begun = async (options) => {
    let isBegun = false;
    const ended = made.watch(transactions.immortal, { ...options, progress: ({ block }) => (isBegun ||= block !== undefined) });
    ended.catch(() => {});
    await until("the first look", () => isBegun);
    return { ended };
  };
  const aborted = await begun({ signal: abort.signal, timeout: 5_000 });
  abort.abort();
  await assert.rejects(aborted.ended, { name: "AbortError" });
  await assert.rejects(made.watch(transactions.immortal, { signal: abort.signal }), { name: "AbortError" });
  const [short, long] = [-2, 0].map((end) => (end ? transactions.immortal.slice(0, end) : `${transactions.immortal}00`));
  for (const bad of ["0x", "text", new Uint8Array((5 << 20) + 1), undefined, short, long, "0x03", "0x0100"]) await assert.rejects(made.watch(bad), { verdict: "refused", culprit: "caller" });
  for (const options of [{ timeout: -1 }, { from: 1.5 }, { until: 7 }]) await assert.rejects(made.watch(transactions.immortal, options), { verdict: "refused" });
  const progress = ({ endpoint }) => {
    if (endpoint) throw new RangeError("of the caller");
  };
  await assert.rejects(made.watch(transactions.immortal, { progress, timeout: 5_000 }), { name: "RangeError" });
  const destroyed = await begun({ timeout: 5_000 });
  await made.destroy();
  await assert.rejects(destroyed.ended, { verdict: "refused", message: /destroyed/ });
});
