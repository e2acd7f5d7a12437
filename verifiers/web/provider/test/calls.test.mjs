// Calls of the runtime over a recorded state with a small runtime: metadata, version and fees are verified, also
// strictly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { about, calling, callsClient, callsNetwork, connection, flip, provider, Server, until } from "./support.mjs";

const [first, second, upgraded] = calling.heads;
const METADATA = "0x6d6574610f01000000";
const VERSION = {
  specName: "test", implName: "test-impl", authoringVersion: 1, specVersion: 1, implVersion: 1,
  apis: [["0xdf6acb689907609b", 5]], transactionVersion: 1, systemVersion: 1, stateVersion: 1,
};
const SPEC = { specName: "test", implName: "test-impl", specVersion: 1, implVersion: 1, transactionVersion: 1, apis: { "0xdf6acb689907609b": 5 } };
const LONG = "0x6c6f6e67";

const start = (options) => Server.start({ ...callsNetwork, ...options });

/** The method, its parameters, and what a node would answer. */
const CALLS = [
  ["state_call", ["Test_read", LONG], `0x01a10f${"07".repeat(1_000)}`],
  ["state_callAt", ["Test_read", "0x00", first.hash], "0x00"],
  ["archive_v1_call", [first.hash, "Test_read", "0x00"], { success: true, value: "0x00" }],
  ["state_getMetadata", [], METADATA],
  ["state_getRuntimeVersion", [], VERSION],
  ["chain_getRuntimeVersion", [first.hash], VERSION],
  ["payment_queryInfo", ["0x00"], { weight: { ref_time: 7, proof_size: 9 }, class: "normal", partialFee: "1002" }],
  ["payment_queryFeeDetails", ["0x00"], { inclusionFee: { baseFee: "0x1", lenFee: "0x2", adjustedWeightFee: "0x3" } }],
];

test("metadata, version, fees and calls are verified under a named block, strictly and without a pin, and no node is asked for them", async (t) => {
  const called = new Set();
  const note = (method, [name], honest) => {
    if (method === "state_call") called.add(name);
    return honest;
  };
  const server = await start({ lie: note });
  const made = await provider(t, [server], { strict: true, ...callsClient });
  for (const [method, params, expected] of CALLS) {
    assert.deepEqual(await made.request(method, params), expected, method);
    const told = made.answers.at(-1);
    assert.deepEqual([told.method, told.class, told.block, told.hash, told.endpoint], [method, "verified", first.number, first.hash, server.url]);
    assert.ok(method === "state_call" || !server.asked.includes(method));
  }
  // The light client itself asks whether a set signs.
  called.delete("DuetApi_commitment_payload");
  assert.deepEqual([...called], []);
});

test("a follow has the proven version, and the new one after an upgrade", async (t) => {
  const server = await start();
  const made = await connection(t, [server], { strict: true, ...callsClient });
  await made.ask("chainHead_v1_follow", true);
  await until("the first block", () => made.pushed.length === 2);
  const events = () => made.pushed.map(({ params }) => params.result);
  assert.deepEqual(events()[0].finalizedBlockRuntime, { type: "valid", spec: SPEC });
  server.move(2);
  await until("the upgrade", () => events().some(({ event }) => event === "finalized"));
  const blocks = events().filter(({ event }) => event === "newBlock");
  assert.deepEqual(blocks.map(({ blockHash }) => blockHash), [second.hash, upgraded.hash]);
  assert.deepEqual(blocks.map(({ newRuntime }) => newRuntime?.spec.specVersion), [undefined, 2]);
});

test("a subscription has the proven version, and the new one after an upgrade", async (t) => {
  const server = await start();
  const made = await provider(t, [server], { strict: true, ...callsClient });
  const versions = [];
  (await made.subscribe("state_subscribeRuntimeVersion", [], (version) => versions.push(version))).start();
  assert.deepEqual(versions, [VERSION]);
  server.move(1);
  server.move(2);
  await until("the upgrade", () => versions.length === 2);
  assert.equal(versions[1].specVersion, 2);
});

test("an operation of a follow calls the runtime", async (t) => {
  const made = await connection(t, [await start()], { strict: true, ...callsClient });
  const { result: id } = await made.ask("chainHead_v1_follow", false);
  await until("the first block", () => made.pushed.length === 2);
  for (const name of ["Test_read", "Test_trap"]) await made.ask("chainHead_v1_call", id, first.hash, name, "0x00");
  await until("both ends", () => made.pushed.length === 4);
  const [done, failed] = made.pushed.slice(2).map(({ params }) => params.result);
  assert.deepEqual([done.event, done.output], ["operationCallDone", "0x00"]);
  assert.deepEqual([failed.event, /Test_trap: the runtime stopped/.test(failed.error)], ["operationError", true]);
});

/** Changes the nodes of every proof. */
const nodes = (change) => about("state_getReadProof", ({ at, proof }) => ({ at, proof: proof.map(change) }));
const isCode = (node) => node.startsWith("0x0061736d");

for (const [name, lie] of [
  // The last bytes of the module are those of its data, the metadata among them.
  ["code with other metadata", nodes((node) => (isCode(node) ? flip(node, node.length / 2 - 40) : node))],
  ["another fee", nodes((node) => (isCode(node) ? node : flip(node, node.length / 2 - 10)))],
]) {
  for (const strict of [false, true]) {
    test(`a lone node with ${name} gives an error, and never a value${strict ? ", strictly" : ""}`, async (t) => {
      for (const [method, params] of [["state_getMetadata", []], ["payment_queryInfo", ["0x00"]]]) {
        const made = await provider(t, [await start({ lie })], { strict, ...callsClient });
        await assert.rejects(made.request(method, params), ({ code, data }) => code === -32091 && data.verdict === "lied" && data.rule === "STATE-2");
        assert.deepEqual(made.answers, []);
      }
    });
  }

  test(`beside a node with ${name}, the honest node's answer is given`, async (t) => {
    const servers = [await start({ lie }), await start()];
    const made = await provider(t, servers, callsClient);
    await until("both", () => servers.every(({ connections }) => connections > 0));
    assert.equal(await made.request("state_getMetadata"), METADATA);
    assert.equal(made.answers[0].endpoint, servers[1].url);
  });
}

test("a call without a result is an error of its own, and is not handed on", async (t) => {
  const server = await start({ lie: about("state_call", () => "0x01") });
  const made = await provider(t, [server], callsClient);
  await assert.rejects(made.request("state_call", ["Test_trap", "0x"]), ({ code, data }) => code === -32094 && data.verdict === "stopped" && data.culprit === "nobody");
  await assert.rejects(made.request("state_call", ["Test_read", "0xzz"]), { code: -32602 });
  assert.deepEqual(made.answers, []);
});

test("a call that only a node can make is passed on, and refused in strict mode", async (t) => {
  const lie = (method, params, honest) => (method === "state_call" && params[0] === "Test_walk" ? "0x01" : honest);
  const servers = [await start({ lie })];
  const walk = ["Test_walk", `0x${Buffer.from("step 0".padEnd(45)).toString("hex")}`];
  const open = await provider(t, servers, callsClient);
  assert.equal(await open.request("state_call", walk), "0x01");
  assert.deepEqual(open.answers.map(({ class: worth }) => worth), ["passed"]);
  const strict = await provider(t, servers, { strict: true, ...callsClient });
  await assert.rejects(strict.request("state_call", walk), ({ code, data }) => code === -32094 && data.rule === "STATE-8");
});
