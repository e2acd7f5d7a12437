// What neither nodes nor applications can make grow, and what happens when the light client ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PolkadotJsProvider } from "../src/index.js";
import { about, connection, flip, provider, recording, Server, SILENCE, until } from "./support.mjs";

const [first, second] = recording.heads;
const items = [{ key: recording.alice, type: "value" }];

test("a storage operation of the archive makes room when it is done", async (t) => {
  const made = await provider(t, [await Server.start()]);
  for (let count = 0; count < 140; count += 1) {
    const events = [];
    const { start } = await made.subscribe("archive_v1_storage", [first.hash, items, null], (event) => events.push(event));
    await start();
    assert.deepEqual(events.map(({ event }) => event), ["storage", "storageDone"]);
    assert.equal(events[0].value.length, 162);
  }
});

test("more than 16 operations of a follow at once are told to wait, and stopped ones make room", async (t) => {
  const made = await connection(t, [await Server.start({ lie: about("state_getReadProof", () => SILENCE) })]);
  const { result: id } = await made.ask("chainHead_v1_follow", false);
  await until("the first block", () => made.pushed.length === 2);
  const start = async () => (await made.ask("chainHead_v1_storage", id, first.hash, items, null)).result;
  const started = [];
  for (let count = 0; count < 16; count += 1) started.push(await start());
  assert.ok(started.every(({ result }) => result === "started"));
  assert.deepEqual(await start(), { result: "limitReached" });
  assert.equal((await made.ask("chainHead_v1_stopOperation", id, started[0].operationId)).result, null);
  assert.equal((await start()).result, "started");
});

test("a request is not handed to a node that has not shown a head of this chain", async (t) => {
  const lie = (method, _params, honest) => (method === "duet_getFinalizedHead" ? SILENCE : honest);
  const slow = await Server.start({ lie });
  const honest = await Server.start({ lie: about("system_chain", () => "here") });
  const made = await provider(t, [slow, honest]);
  assert.equal(await made.request("system_chain"), "here");
  assert.ok(!slow.asked.includes("system_chain"));
});

test("when the light client ends, operations and requests say why, and polkadot.js hears of it", async (t) => {
  const lie = (method, [block], honest) => (method === "duet_getStatelessProof" && block === second.number ? flip(honest, 40) : honest);
  const server = await Server.start({ lie });
  const made = await connection(t, [server]);
  const { result: follow } = await made.ask("chainHead_v1_follow", false);
  await until("the first block", () => made.pushed.length === 2);
  const js = new PolkadotJsProvider(made.client);
  const told = [];
  for (const name of ["connected", "disconnected", "error"]) js.on(name, () => told.push(name));
  await until("the connection", () => js.isConnected);
  server.move(1);
  await until("the end", () => told.includes("disconnected"));
  assert.deepEqual(told, ["connected", "error", "disconnected"]);
  const { result } = await made.ask("chainHead_v1_storage", follow, first.hash, items, null);
  await until("the error", () => made.pushed.length === 3);
  const { event, operationId, error } = made.pushed[2].params.result;
  assert.deepEqual([event, operationId], ["operationError", result.operationId]);
  assert.match(error, /no honest endpoint is left/);
  assert.match((await made.ask("chain_getHeader", second.hash)).error.message, /no honest endpoint is left/);
});

test("a provider that was disconnected asks nobody and pushes nothing", async (t) => {
  const server = await Server.start();
  const made = await provider(t, [server]);
  const heads = [];
  (await made.subscribe("chain_subscribeFinalizedHeads", [], (head) => heads.push(head))).start();
  made.end();
  await assert.rejects(made.request("chain_getFinalizedHead"), { message: /disconnected/ });
  server.move(1);
  await until("the next head", () => made.client.head.block === second.number);
  assert.equal(heads.length, 1);
});
