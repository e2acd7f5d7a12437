// Calls of the runtime, over a recorded state with a small runtime: answers, limits, and servers that lie. (STATE-5 to
// STATE-8)

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Calls } from "../src/calls.js";
import { file } from "../src/node.js";
import { fromHex, toHex } from "../src/text.js";
import * as glue from "../wasm/duet_calls_wasm.js";
import { calling, client, flip, readProof, Server, until } from "./support.mjs";

const [first, , upgraded] = calling.heads;
const hex = (text) => toHex(new TextEncoder().encode(text));
const [CODE, PROBE, LONG, SHORT, FEE] = [":code", ":code\0", "long", "short", "fee"].map(hex);
const step = (number) => hex(`step ${number}`.padEnd(45));
/** The value of an entry, as `Test_read` gives it: an `Option` in SCALE. */
const LONG_VALUE = `0x01a10f${"07".repeat(1_000)}`;

/** A client of servers that lie in these ways, or not at all; and all keys that each was asked for. */
async function begin(t, lies = [undefined], options = {}) {
  const servers = [];
  const keys = [];
  for (const lie of lies) {
    const of = [];
    keys.push(of);
    const told = (method, params, honest) => {
      if (method === "state_getReadProof") of.push(...params[0]);
      return lie ? lie(method, params, honest) : honest;
    };
    servers.push(await Server.start({ network: calling, lie: told }));
  }
  const made = client(t, servers, { genesisHash: calling.genesis, ...options });
  await made.ready;
  await until("all servers", () => servers.every(({ connections }) => connections > 0));
  return { made, servers, keys };
}

/** The result of a call, as hex. */
async function call(made, method, parameters, options) {
  return toHex((await made.call(method, parameters, options)).result);
}

for (const worker of [false, true]) {
  test(`a call reads proven entries under a named block${worker ? ", in a worker" : ""}`, async (t) => {
    const { made } = await begin(t, [undefined], { worker });
    const found = await made.call("Test_read", LONG);
    assert.deepEqual([toHex(found.result), found.method, found.block, found.hash], [LONG_VALUE, "Test_read", first.number, first.hash]);
    assert.ok(found.proofBytes > 1_000 && found.endpoint && "headTime" in found);
    assert.equal(await call(made, "Test_read", new TextEncoder().encode("short")), `0x014c${SHORT.length && toHex(new TextEncoder().encode("a value in its node")).slice(2)}`);
  });
}

test("that there is no entry is proven, and so is the key after another one", async (t) => {
  const { made } = await begin(t);
  assert.equal(await call(made, "Test_read", hex("longer")), "0x00");
  assert.equal(await call(made, "Test_next", hex("longer")), `0x0114${SHORT.slice(2)}`);
  assert.equal(await call(made, "Test_next", "0xffff"), "0x00");
});

test("the code is fetched once, and the keys of the last call come with the first question of the next one", async (t) => {
  const { made, keys } = await begin(t);
  const [one, two] = await Promise.all([made.call("TransactionPaymentApi_query_info"), made.call("Test_read", SHORT)]);
  assert.deepEqual([one.rounds, two.rounds], [2, 2]);
  assert.equal(keys[0].filter((key) => key === CODE).length, 1);
  keys[0].length = 0;
  const again = await made.call("TransactionPaymentApi_query_info");
  assert.deepEqual([again.rounds, toHex(again.result)], [1, toHex(one.result)]);
  assert.deepEqual(keys[0].sort(), [PROBE, hex(":heappages"), FEE].sort());
});

test("the code is stored beside the state, and a client that finds another code there fetches the chain's", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "calls-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "trusted");
  const fetched = async () => {
    const { made, keys } = await begin(t, [undefined], { storage: file(path) });
    assert.equal(await call(made, "Test_read", LONG), LONG_VALUE);
    await made.destroy();
    return keys[0].filter((key) => key === CODE).length;
  };
  assert.equal(await fetched(), 1);
  assert.equal(await fetched(), 0);
  const code = await readFile(`${path}.code`);
  code[code.length - 1] ^= 1;
  await writeFile(`${path}.code`, code);
  assert.equal(await fetched(), 1);
  assert.equal(await fetched(), 0);
});

test("the keys that a call read are stored, and the next client's call takes one round; other bytes there are ignored", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "calls-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "trusted");
  const rounds = async (worker) => {
    const { made } = await begin(t, [undefined], { storage: file(path), worker });
    const found = await made.call("Test_read", LONG);
    assert.equal(toHex(found.result), LONG_VALUE);
    await made.destroy();
    return found.rounds;
  };
  for (const worker of [false, true]) {
    assert.deepEqual([await rounds(worker), await rounds(worker)], [2, 1]);
    const kept = String(await readFile(`${path}.keys`));
    assert.deepEqual(JSON.parse(kept), [["Test_read", [LONG]]]);
    const others = [kept.slice(1), kept.replace(LONG, "0x"), kept.replace(LONG, SHORT), '[["Test_read",[7]]]', "7", " ".repeat(5 << 20) + kept];
    for (const other of others) {
      await writeFile(`${path}.keys`, other);
      assert.deepEqual([await rounds(worker), await rounds(worker)], [2, 1], other.slice(0, 99));
    }
    await rm(`${path}.keys`);
  }
});

test("keys that cannot be proven are forgotten", async (t) => {
  let isPruned = false;
  const gone = (method, [keys], honest) => (method === "state_getReadProof" && isPruned && keys.includes(LONG) ? { error: { code: 4003, message: "pruned" } } : honest);
  const { made } = await begin(t, [gone]);
  assert.equal(await call(made, "Test_read", LONG), LONG_VALUE);
  isPruned = true;
  await assert.rejects(made.call("Test_read", SHORT), { verdict: "incomplete" });
  assert.equal((await made.call("Test_read", SHORT)).rounds, 2);
});

test("after an upgrade the new code is called", async (t) => {
  const { made, servers, keys } = await begin(t);
  const version = async () => fromHex(await call(made, "Metadata_metadata"))[6];
  assert.equal(await version(), 1);
  servers[0].move(2);
  await until("the upgrade", () => made.head.block === upgraded.number);
  assert.equal(await version(), 2);
  assert.equal(await version(), 2);
  assert.equal(keys[0].filter((key) => key === CODE).length, 2);
});

test("a call that traps, or has no function, is told as that, and nobody is to blame", async (t) => {
  const { made } = await begin(t);
  const stopped = { name: "DuetError", verdict: "stopped", culprit: "nobody", nextStep: "go-on" };
  await assert.rejects(made.call("Test_trap"), { ...stopped, message: /^Test_trap: the runtime stopped: / });
  await assert.rejects(made.call("Test_missing"), { ...stopped, message: /has no function Test_missing/ });
  await assert.rejects(made.call("\u001b[2K\r"), ({ verdict, message }) => verdict === "stopped" && !message.includes("\u001b"));
  assert.equal(await call(made, "Test_read", LONG), LONG_VALUE);
  assert.deepEqual(made.faults, []);
});

test("a call that does not end is ended, and the next one is executed", { timeout: 20_000 }, async (t) => {
  const { made } = await begin(t, [undefined], { times: { callTimeout: 1_000 } });
  const endless = assert.rejects(made.call("Test_endless"), { verdict: "stopped", rule: "STATE-8", message: /more than 1000 ms/, expected: "at most 1000 ms" });
  // This one waits for its turn.
  assert.equal(await call(made, "Test_read", LONG), LONG_VALUE);
  await endless;
  assert.deepEqual(made.faults, []);
});

test("a call gets no more memory than the runtime has", async (t) => {
  const { made } = await begin(t);
  await assert.rejects(made.call("Test_grow"), { verdict: "stopped", message: /^Test_grow: the runtime stopped: / });
  assert.equal(await call(made, "Test_read", LONG), LONG_VALUE);
});

test("a call that reads on and on ends after some rounds (STATE-8)", async (t) => {
  const { made, servers } = await begin(t);
  const near = await made.call("Test_walk", step(40));
  assert.deepEqual([toHex(near.result), near.rounds], [step(50), 12]);
  servers[0].asked.length = 0;
  await assert.rejects(made.call("Test_walk", step(0)), { verdict: "stopped", message: /32 rounds/ });
  assert.equal(servers[0].asked.filter((method) => method === "state_getReadProof").length, 32);
  assert.deepEqual(made.faults, []);
});

test("what is no call is the caller's mistake, and no endpoint is asked", async (t) => {
  const { made, keys } = await begin(t);
  await assert.rejects(made.call(7), { verdict: "refused", culprit: "caller" });
  await assert.rejects(made.call("Test_read", "0xg0"), { verdict: "refused" });
  await assert.rejects(made.call("Test_read", new Uint8Array((5 << 20) + 1)), { verdict: "refused", message: /bytes of parameters/ });
  await assert.rejects(made.call("Test_read", LONG, { at: 99 }), { verdict: "refused", message: /is not proven yet/ });
  assert.deepEqual(keys, [[]]);
});

/** Changes the answer to questions about this key. */
const about = (key, change) => (method, params, honest) => (method === "state_getReadProof" && params[0].includes(key) ? change(honest, params) : honest);
const nodes = (change) => ({ at, proof }) => ({ at, proof: change(proof) });
/** Without the longest node, which is the value. */
const withoutValue = (proof) => proof.filter((node) => node.length < Math.max(...proof.map(({ length }) => length)));
const ofBlock = (keys, { hash }) => readProof(calling, keys, hash);

const LIES = [
  ["the code is changed in one byte", about(CODE, nodes((proof) => proof.map((node) => (node.startsWith("0x0061736d") ? flip(node, 500) : node))))],
  ["the code is left out", about(CODE, nodes(withoutValue))],
  ["the code is that after an upgrade", about(CODE, (_honest, [keys]) => ofBlock(keys, upgraded))],
  ["an entry is changed", about(LONG, nodes((proof) => proof.map((node) => (node.length === 2_002 ? flip(node, 9) : node))))],
  ["an entry is left out", about(LONG, nodes(withoutValue))],
  ["an entry is said to be absent, by the proof of another key", about(LONG, (_honest, [keys, at]) => readProof(calling, keys.map((key) => (key === LONG ? hex("zero") : key)), at))],
  ["a node is added", about(LONG, nodes((proof) => [...proof, "0x00"]))],
];

for (const [name, lie] of LIES) {
  test(`where ${name}, a call of a lone server has no result (STATE-2)`, async (t) => {
    const { made } = await begin(t, [lie]);
    await assert.rejects(made.call("Test_read", LONG), { name: "DuetError", verdict: "lied", rule: "STATE-2" });
  });

  test(`where ${name}, an honest server's result is given, and the liar is named`, async (t) => {
    const { made, servers } = await begin(t, [lie, undefined]);
    const { result, endpoint } = await made.call("Test_read", LONG);
    assert.deepEqual([toHex(result), endpoint], [LONG_VALUE, servers[1].url]);
    await until("the liar to be named", () => made.faults.length > 0);
    assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict, made.faults[0].rule], [servers[0].url, "lied", "STATE-2"]);
  });
}

test("an absence that a server hides from a later call is a lie, too (STATE-2)", async (t) => {
  const absent = hex("longer");
  let isLying = false;
  const lie = about(absent, (honest, [keys, at]) => (isLying ? readProof(calling, keys.filter((key) => key !== absent), at) : honest));
  const { made } = await begin(t, [lie]);
  assert.equal(await call(made, "Test_read", absent), "0x00");
  isLying = true;
  await assert.rejects(made.call("Test_read", absent), { verdict: "lied", rule: "STATE-2" });
});

test("a server that hides an upgrade of the code is named (STATE-2)", async (t) => {
  const lie = (method, [keys, at], honest) => (method === "state_getReadProof" && at === upgraded.hash ? ofBlock(keys, first) : honest);
  const { made, servers } = await begin(t, [lie]);
  await made.call("Metadata_metadata");
  servers[0].move(2);
  await until("the upgrade", () => made.head.block === upgraded.number);
  await assert.rejects(made.call("Metadata_metadata"), { verdict: "lied", rule: "STATE-2" });
});

test("a server without the state is not at fault, and the next one is asked", async (t) => {
  const gone = (method, _params, honest) => (method === "state_getReadProof" ? { error: { code: 4003, message: "State already discarded" } } : honest);
  const { made, servers } = await begin(t, [gone, undefined]);
  const { endpoint } = await made.call("Test_read", LONG);
  assert.equal(endpoint, servers[1].url);
  assert.deepEqual(made.faults, []);
});

test("where no worker can be started, no server is to blame", async () => {
  const calls = new Calls(() => {
    throw new ReferenceError("Worker is not defined");
  }, 1_000);
  const read = async () => ({ nodes: [], values: [], root: new Uint8Array(32) });
  await assert.rejects(calls.call("Test_read", new Uint8Array(), read), { verdict: "stopped", culprit: "nobody", message: /its worker cannot be started/ });
});

test("over nodes with a byte changed anywhere, the module has no result, and asks for what is missing (STATE-6)", async () => {
  const module = new URL("../wasm/duet_calls_wasm_bg.wasm", import.meta.url);
  await glue.default({ module_or_path: await readFile(module) });
  const root = fromHex(calling.answers[`chain_getHeader ["${first.hash}"]`].stateRoot);
  const nodes = ofBlock([CODE, hex(":heappages"), LONG], first).proof.map(fromHex);
  const run = (changed) => new glue.Calls().call("Test_read", fromHex(LONG), root, changed);
  assert.equal(toHex(run(nodes).output), LONG_VALUE);
  for (const [index, node] of nodes.entries()) {
    for (let at = 0; at < node.length; at += 1 + (node.length >> 6)) {
      const changed = [...nodes];
      changed[index] = node.with(at, node[at] ^ (1 << (at % 8)));
      const found = run(changed);
      assert.ok(found.needs?.length > 0, `byte ${at} of node ${index}`);
    }
  }
  assert.ok(nodes.length >= 5, `${nodes.length} nodes`);
});
