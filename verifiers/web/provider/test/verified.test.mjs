// What a provider answers over an honest node, and what each answer is said to be worth.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aged, bodyClient, bodyNetwork, connection, provider, recording, Server, until, withBody } from "./support.mjs";

const [first, second, third] = recording.heads;
const ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
const headerOf = ({ hash }) => recording.answers[`chain_getHeader ["${hash}"]`];

test("heads, hashes and headers are those that are proven", async (t) => {
  const made = await provider(t, [await Server.start({ head: 2 })]);
  assert.equal(await made.request("chain_getFinalizedHead"), third.hash);
  assert.equal(await made.request("chain_getBlockHash"), third.hash);
  assert.equal(await made.request("chain_getBlockHash", [third.number + 1]), null);
  const [old, newest] = await made.request("chain_getBlockHash", [[recording.old, third.number]]);
  assert.deepEqual([old.length, newest], [66, third.hash]);
  assert.deepEqual(await made.request("chain_getHeader", [third.hash]), headerOf(third));
  assert.deepEqual(await made.request("chain_getHeader"), headerOf(third));
  assert.equal(await made.request("archive_v1_finalizedHeight"), third.number);
  assert.deepEqual(await made.request("archive_v1_hashByHeight", [third.number]), [third.hash]);
  assert.equal(await made.request("chainSpec_v1_genesisHash"), recording.genesis);
  assert.ok(made.answers.every((one) => one.class === "verified"));
  const header = made.answers.find(({ method }) => method === "chain_getHeader");
  assert.deepEqual([header.block, header.hash], [third.number, third.hash]);
});

test("a block has the extrinsics that its header commits to", async (t) => {
  const made = await provider(t, [await Server.start(bodyNetwork)], bodyClient);
  const hash = await made.request("chain_getBlockHash", [withBody.block.number]);
  assert.equal(hash, withBody.block.hash);
  const { block } = await made.request("chain_getBlock", [hash]);
  assert.deepEqual(block, withBody.answers[`chain_getBlock ["${hash}"]`].block);
  assert.deepEqual(await made.request("archive_v1_body", [hash]), block.extrinsics);
});

test("entries of the state are proven, and so is that there is none", async (t) => {
  const made = await provider(t, [await Server.start()]);
  const value = await made.request("state_getStorage", [recording.alice]);
  assert.equal(value.length, 2 + 2 * 80);
  assert.equal(await made.request("state_getStorage", [recording.nobody, first.hash]), null);
  assert.equal(await made.request("state_getStorageSize", [recording.alice]), 80);
  assert.equal(await made.request("state_getStorageSize", [recording.nobody]), null);
  assert.match(await made.request("state_getStorageHash", [recording.alice]), /^0x[0-9a-f]{64}$/);
  assert.equal(await made.request("state_getStorageHash", [recording.nobody]), null);
  assert.deepEqual(await made.request("state_queryStorageAt", [[recording.alice]]), [{ block: first.hash, changes: [[recording.alice, value]] }]);
  const { at, proof } = await made.request("state_getReadProof", [[recording.alice], first.hash]);
  assert.equal(at, first.hash);
  assert.deepEqual([...proof].sort(), [...recording.answers[`state_getReadProof [["${recording.alice}"],"${first.hash}"]`].proof].sort());
  assert.ok(made.answers.every((one) => one.class === "verified" && one.hash === first.hash));
});

test("a nonce is that of System.Account, by whichever name it is asked", async (t) => {
  const made = await provider(t, [await Server.start()]);
  const nonce = await made.request("system_accountNextIndex", [ALICE]);
  assert.equal(await made.request("account_nextIndex", [ALICE]), nonce);
  assert.equal(made.answers.at(-1).class, "verified");
});

test("subscribed heads are the proven ones, also those between two that come with proofs", async (t) => {
  const server = await Server.start();
  const made = await provider(t, [server]);
  const heads = [];
  const { start } = await made.subscribe("chain_subscribeNewHeads", [], (head) => heads.push(Number(head.number)));
  start();
  await until("the first head", () => heads.length === 1);
  server.move(2);
  await until("the others", () => heads.length === 3);
  assert.deepEqual(heads, [first.number, second.number, third.number]);
});

test("subscribed storage is read anew under each proven block, and told when it changed", async (t) => {
  const server = await Server.start();
  const made = await provider(t, [server]);
  const sets = [];
  const { id, start } = await made.subscribe("state_subscribeStorage", [[recording.nobody]], (set) => sets.push(set));
  start();
  assert.deepEqual(sets, [{ block: first.hash, changes: [[recording.nobody, null]] }]);
  server.move(1);
  await until("the next read", () => made.client.head.block === second.number);
  assert.equal(await made.request("state_unsubscribeStorage", [id]), true);
  assert.equal(await made.request("state_unsubscribeStorage", [id]), false);
  assert.equal(sets.length, 1);
});

test("subscribed justifications are the proofs that moved the client", async (t) => {
  const server = await Server.start();
  const made = await provider(t, [server]);
  const proofs = [];
  (await made.subscribe("duet_subscribeJustifications", [], (proof) => proofs.push(proof))).start();
  server.move(1);
  await until("the proof", () => proofs.length === 1);
  assert.deepEqual(proofs, [recording.answers[`duet_getJustification [${second.number}]`]]);
});

test("a follow tells of each proven block in order, and reads pinned blocks", async (t) => {
  const server = await Server.start();
  const made = await connection(t, [server]);
  const { result: id } = await made.ask("chainHead_v1_follow", false);
  const events = () => made.pushed.filter(({ method }) => method === "chainHead_v1_followEvent").map(({ params }) => params.result);
  await until("the first block", () => events().length === 2);
  assert.deepEqual(events(), [
    { event: "initialized", finalizedBlockHashes: [first.hash] },
    { event: "bestBlockChanged", bestBlockHash: first.hash },
  ]);
  server.move(2);
  await until("the others", () => events().length === 6);
  assert.deepEqual(events().slice(2), [
    { event: "newBlock", blockHash: second.hash, parentBlockHash: first.hash, newRuntime: null },
    { event: "newBlock", blockHash: third.hash, parentBlockHash: second.hash, newRuntime: null },
    { event: "bestBlockChanged", bestBlockHash: third.hash },
    { event: "finalized", finalizedBlockHashes: [second.hash, third.hash], prunedBlockHashes: [] },
  ]);
  const items = [{ key: recording.alice, type: "value" }];
  const { result: started } = await made.ask("chainHead_v1_storage", id, third.hash, items, null);
  assert.deepEqual([started.result, started.discardedItems], ["started", 0]);
  await until("the value", () => events().length === 8);
  const [found, done] = events().slice(6);
  assert.deepEqual([found.event, found.items[0].key, found.items[0].value.length], ["operationStorageItems", recording.alice, 162]);
  assert.deepEqual(done, { event: "operationStorageDone", operationId: started.operationId });
  assert.equal((await made.ask("chainHead_v1_unpin", id, [first.hash])).result, null);
  assert.equal((await made.ask("chainHead_v1_header", id, first.hash)).error.code, -32801);
  assert.equal((await made.ask("chainHead_v1_unfollow", id)).result, null);
  assert.deepEqual((await made.ask("chainHead_v1_storage", id, third.hash, items, null)).result, { result: "limitReached" });
});

test("bounds are kept: follows, subscriptions, and operations at once", async (t) => {
  const made = await provider(t, [await Server.start()]);
  for (let count = 0; count < 4; count += 1) (await made.subscribe("chainHead_v1_follow", [false], () => {})).start();
  await assert.rejects(made.subscribe("chainHead_v1_follow", [false], () => {}), { code: -32800 });
  for (let count = 4; count < 128; count += 1) await made.subscribe("chain_subscribeAllHeads", [], () => {});
  await assert.rejects(made.subscribe("chain_subscribeAllHeads", [], () => {}), { code: -32092 });
});

test("what the caller gives wrong is its own mistake", async (t) => {
  const made = await provider(t, [await Server.start()]);
  for (const [method, params] of [
    ["chain_getHeader", ["0x12"]],
    ["chain_getBlockHash", [-1]],
    ["state_getStorage", ["nonsense"]],
    ["state_queryStorageAt", [[]]],
    ["system_accountNextIndex", [7]],
    ["system_accountNextIndex", ["5Grwva"]],
  ]) {
    await assert.rejects(made.request(method, params), { code: -32602 }, method);
  }
  assert.deepEqual(made.client.faults, []);
});

test("a verified answer has the time of the newest block, and fails with a code of its own when that is too old", async (t) => {
  const options = { genesisHash: aged.genesis };
  const made = await provider(t, [await Server.start({ network: aged })], { client: options });
  const [{ hash }] = aged.heads;
  await made.request("chain_getHeader", [hash]);
  const { time } = await made.client.ready;
  assert.deepEqual([made.answers.map(({ headTime }) => headTime), typeof time], [[time], "number"]);
  const strict = await provider(t, [await Server.start({ network: aged })], { client: { ...options, maxAge: 60 } });
  await assert.rejects(strict.request("chain_getHeader", [hash]), ({ code, data }) => code === -32093 && data.verdict === "stale" && data.expected === "60");
});
