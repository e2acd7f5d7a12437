// Strict mode: what cannot be verified is refused with the reason, unless the application pinned it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TABLE } from "../src/index.js";
import { ANSWERS } from "../src/provider.js";
import { about, provider, recording, Server, until } from "./support.mjs";

const VERSION = { specName: "x", implName: "x", specVersion: 1, implVersion: 1, transactionVersion: 1, apis: [["0xdf6acb689907609b", 5]] };
const METADATA = "0x6d6574610e00";
const pinned = { metadata: METADATA, runtimeVersion: VERSION, chain: "A chain", properties: { ss58Format: 42 } };

const calls = TABLE.filter(({ pushes }) => !pushes);

test("every method that strict mode refuses is refused, with its reason, and no node is asked", async (t) => {
  const server = await Server.start();
  const made = await provider(t, [server], { strict: true });
  server.asked.length = 0;
  for (const { methods, note } of calls.filter(({ strict }) => strict === "refused")) {
    for (const method of methods) {
      await assert.rejects(made.request(method, []), ({ code, message }) => code === -32090 && message.includes(note), method);
      assert.ok(!server.asked.includes(method), method);
    }
  }
});

test("what can only be pinned is refused with the pin's name", async (t) => {
  const made = await provider(t, [await Server.start()], { strict: true });
  for (const [method, pin] of [["system_chain", "chain"], ["chainSpec_v1_properties", "properties"]]) {
    await assert.rejects(made.request(method, []), { code: -32090, message: new RegExp(`pin \`${pin}\``) });
  }
});

test("what is pinned is answered, and said to be pinned", async (t) => {
  const server = await Server.start();
  const made = await provider(t, [server], { strict: true, pinned });
  assert.equal(await made.request("state_getMetadata"), METADATA);
  assert.deepEqual(await made.request("state_getRuntimeVersion"), VERSION);
  assert.equal(await made.request("system_chain"), "A chain");
  assert.deepEqual(await made.request("system_properties"), { ss58Format: 42 });
  assert.equal(await made.request("state_call", ["Metadata_metadata_versions", "0x"]), "0x040e000000");
  assert.equal(await made.request("state_call", ["Metadata_metadata_at_version", "0x0e000000"]), `0x0118${METADATA.slice(2)}`);
  assert.equal(await made.request("state_call", ["Metadata_metadata_at_version", "0x0f000000"]), "0x00");
  assert.ok(made.answers.every((one) => one.class === "pinned"));
  const versions = [];
  (await made.subscribe("state_subscribeRuntimeVersion", [], (version) => versions.push(version))).start();
  assert.deepEqual(versions, [VERSION]);
});

test("a follow has the pinned version", async (t) => {
  const made = await provider(t, [await Server.start()], { strict: true, pinned });
  const events = [];
  (await made.subscribe("chainHead_v1_follow", [true], (event) => events.push(event))).start();
  await until("the first block", () => events.length === 2);
  assert.deepEqual(events[0].finalizedBlockRuntime, { type: "valid", spec: { ...VERSION, apis: { "0xdf6acb689907609b": 5 } } });
});

test("a transaction is sent in strict mode too, and by one node only", async (t) => {
  // BLAKE2b-256 of a zero byte.
  const hash = "0x03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314";
  const lie = about("author_submitExtrinsic", () => hash);
  const servers = [await Server.start({ lie }), await Server.start({ lie })];
  const made = await provider(t, servers, { strict: true });
  assert.equal(await made.request("author_submitExtrinsic", ["0x00"]), hash);
  assert.equal(made.answers[0].class, "passed");
  assert.equal(servers.flatMap(({ asked }) => asked).filter((method) => method === "author_submitExtrinsic").length, 1);
});

test("rpc_methods names what is served: strictly the table, else what the node has besides", async (t) => {
  const lie = about("rpc_methods", () => ({ methods: ["custom_call", "author_rotateKeys", 7] }));
  const servers = [await Server.start({ lie })];
  const strict = (await (await provider(t, servers, { strict: true })).request("rpc_methods")).methods;
  const open = (await (await provider(t, servers)).request("rpc_methods")).methods;
  assert.ok(strict.includes("state_getStorage") && strict.includes("payment_queryInfo") && !strict.includes("system_health"));
  assert.ok(open.includes("system_health") && open.includes("custom_call") && !open.includes("author_rotateKeys"));
});

test("a method that the table does not know is handed on, and refused in strict mode", async (t) => {
  const servers = [await Server.start({ lie: about("custom_call", () => 7) })];
  const open = await provider(t, servers);
  assert.equal(await open.request("custom_call"), 7);
  assert.equal(open.answers[0].class, "passed");
  await assert.rejects((await provider(t, servers, { strict: true })).request("custom_call"), { code: -32090 });
});

test("a subscription that the table does not know is an error, and is not handed on as a request", async (t) => {
  const server = await Server.start({ lie: about("custom_subscribeThings", () => "it") });
  const made = await provider(t, [server]);
  await assert.rejects(made.request("custom_subscribeThings"), { code: -32601 });
  await assert.rejects(made.subscribe("custom_subscribeThings", [], () => {}), { code: -32601 });
  assert.ok(!server.asked.includes("custom_subscribeThings"));
});

test("methods for operators are never handed on", async (t) => {
  const server = await Server.start({ lie: about("author_rotateKeys", () => "0x00") });
  const made = await provider(t, [server]);
  for (const { methods } of TABLE.filter((row) => row.class === "refused")) {
    for (const method of methods) await assert.rejects(made.request(method, []), { code: -32090 }, method);
  }
  assert.ok(!server.asked.includes("author_rotateKeys"));
});

test("every verified method has an answer of its own, and no method is named twice", () => {
  const methods = TABLE.flatMap((row) => [...row.methods, ...row.ends]);
  assert.equal(new Set(methods).size, methods.length);
  for (const row of TABLE) {
    assert.equal(row.class === "verified", row.class === "verified" && typeof ANSWERS[row.answer] === "function", row.methods[0]);
    if (row.answer) assert.equal(typeof ANSWERS[row.answer], "function", row.answer);
    assert.ok(row.ends.length === (row.pushes ? row.methods.length : 0), row.methods[0]);
  }
});

test("an option that does not exist is the caller's mistake", async (t) => {
  const made = await provider(t, [await Server.start()]);
  const { Provider } = await import("../src/provider.js");
  assert.throws(() => new Provider(made.client, { strickt: true }), { message: /unknown option strickt/ });
  assert.throws(() => new Provider(made.client, { pinned: { metadata: "0x00" } }), { message: /pinned.metadata/ });
  assert.equal(recording.heads.length, 3);
});
