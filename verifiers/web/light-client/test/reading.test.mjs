// What is read under a block: several keys at once, by hash, in one answer; and what is handed on to a node as it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeHeader } from "../src/header.js";
import { fromHex, toHex } from "../src/text.js";
import { client, flip, recording, Server, SILENCE, TIMES, until } from "./support.mjs";

const ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
const [first, second, third] = recording.heads;
const answer = (name) => recording.answers[name];
const headerOf = (hash) => answer(`chain_getHeader ["${hash}"]`);
const NO_METHOD = { error: { code: -32601, message: "Method not found" } };

/** What an honest node answers to `duet_getProofs`, from what was recorded of the calls that it stands for. */
function proofs([keys, block, under]) {
  const newest = recording.heads.find(({ number }) => number === under);
  const old = answer(`mmr_generateProof ${JSON.stringify([[block + 1], under, newest?.hash])}`);
  const hash = block === under ? newest.hash : `0x${old.leaves.slice(-64)}`;
  const header = toHex(encodeHeader(headerOf(block === under ? hash : Object.keys(recording.answers).findLast((name) => name.startsWith("chain_getHeader")).slice(18, -2)), "it"));
  const nodes = keys.length === 0 ? [] : answer(`state_getReadProof ${JSON.stringify([keys, hash])}`).proof;
  const path = block === under ? null : { leaves: old.leaves, proof: old.proof };
  return { proof: answer(`duet_getStatelessProof [${under}]`), header, nodes, path };
}

/** A server that has `duet_getProofs`, and may change its answer. */
function withProofs(change = (found) => found) {
  return Server.start({ lie: (method, params, honest) => (method === "duet_getProofs" ? change(proofs(params)) : honest) });
}

test("a node with duet_getProofs is asked once for an account, and once for an older block", async (t) => {
  const server = await withProofs();
  const made = client(t, [server]);
  await made.ready;
  server.asked.length = 0;
  assert.ok((await made.account(ALICE)).free > 0n);
  assert.equal((await made.block(recording.old)).block, recording.old);
  const follower = ["chain_getFinalizedHead", "duet_getFinalizedHead", "chain_getHeader", "state_call"];
  assert.deepEqual(server.asked.filter((method) => !follower.includes(method)), ["duet_getProofs", "duet_getProofs"]);
});

test("a node without duet_getProofs is asked for it once, and then for each part", async (t) => {
  const server = await Server.start({ lie: (method, _params, honest) => (method === "duet_getProofs" ? NO_METHOD : honest) });
  const made = client(t, [server]);
  await made.ready;
  assert.ok((await made.account(ALICE)).free > 0n);
  assert.equal((await made.block(recording.old)).block, recording.old);
  assert.equal(server.asked.filter((method) => method === "duet_getProofs").length, 1);
  assert.ok(server.asked.includes("state_getReadProof") && server.asked.includes("mmr_generateProof"));
});

const LIES = [
  ["a changed trie node", "STATE-2", (found) => ({ ...found, nodes: [flip(found.nodes[0], 30), ...found.nodes.slice(1)] })],
  ["a header of another block", "STATE-1", (found) => ({ ...found, header: flip(found.header, 40) })],
  ["a path to the block itself", "RPC-1", (found) => ({ ...found, path: { leaves: "0x", proof: "0x" } })],
  ["no trie nodes", "RPC-1", (found) => ({ ...found, nodes: null })],
  ["no proof", "RPC-1", ({ proof: _proof, ...found }) => found],
  ["a proof of another block", "RPC-1", (found) => ({ ...found, proof: answer(`duet_getStatelessProof [${second.number}]`) })],
  ["a proof of another root", "JUST-5", (found) => ({ ...found, proof: flip(found.proof, 40) })],
  ["a proof that is none", "ENC-6", (found) => ({ ...found, proof: "0x00" })],
];
for (const [name, rule, change] of LIES) {
  test(`in an answer of duet_getProofs, ${name} is a lie against ${rule}`, async (t) => {
    const made = client(t, [await withProofs(change)]);
    await made.ready;
    await assert.rejects(made.account(ALICE), { verdict: "lied", rule });
  });
}

test("a state that the node no longer has is no lie (9008)", async (t) => {
  const made = client(t, [await withProofs(() => ({ error: { code: 9008, message: "gone" } }))]);
  await made.ready;
  await assert.rejects(made.account(ALICE), { verdict: "incomplete", message: /state-pruning archive/ });
  assert.deepEqual(made.faults, []);
});

test("several keys are read under one block, in the order asked, each as often as asked", async (t) => {
  const made = client(t, [await Server.start()]);
  await made.ready;
  const { entries, block } = await made.entries([recording.alice, recording.alice]);
  assert.deepEqual(entries.map(({ key }) => key), [recording.alice, recording.alice]);
  assert.deepEqual(entries.map(({ value }) => value.length), [80, 80]);
  assert.equal(block, first.number);
});

test("a block is read by its hash", async (t) => {
  const made = client(t, [await Server.start({ head: 2 })]);
  await made.ready;
  const found = await made.block(third.hash);
  assert.deepEqual([found.block, found.hash], [third.number, third.hash]);
});

test("hashes are text with the bytes beside it, and a block is its number", async (t) => {
  const made = client(t, [await Server.start({ head: 2 })]);
  const status = await made.ready;
  const { headers, ...ofHeaders } = await made.headers(second.number);
  for (const given of [status, made.head, await made.block(), await made.account(recording.nobody.slice(-64).padStart(66, "0x")), ofHeaders, ...headers]) {
    const hashes = Object.entries(given).filter(([name]) => /(hash|root)$/i.test(name));
    assert.ok(hashes.length > 0);
    for (const [name, text] of hashes) {
      assert.match(text, /^0x[0-9a-f]{64}$/, name);
      assert.deepEqual(given[`${name}Bytes`], fromHex(text), name);
    }
    assert.ok(Number.isInteger(given.block) && !("number" in given));
  }
  for (const at of [third.hash, headers.at(-1).hashBytes]) assert.equal((await made.block(at)).block, third.number);
});

test("a header that has another hash than asked is a lie (STATE-1)", async (t) => {
  const lie = (method, [hash], honest) => (method === "chain_getHeader" && hash === second.hash ? headerOf(first.hash) : honest);
  const made = client(t, [await Server.start({ lie })]);
  await made.ready;
  await assert.rejects(made.block(second.hash), { verdict: "lied", rule: "STATE-1" });
});

test("a block beside the proven one of its number is refused, and the node that has it is no liar (STATE-3)", async (t) => {
  const header = { ...headerOf(first.hash), stateRoot: flip(headerOf(first.hash).stateRoot, 0) };
  let fork;
  const lie = (method, [hash], honest) => (method === "chain_getHeader" && hash === fork ? header : honest);
  const made = client(t, [await Server.start({ lie })]);
  await made.ready;
  fork = toHex(await made.blake2b(encodeHeader(header, "it"), 32));
  await assert.rejects(made.block(fork), { verdict: "refused", rule: "STATE-3", expected: first.hash, got: fork });
  assert.deepEqual(made.faults, []);
});

test("a question about a block waits for its proof as long as it may, and no longer", async (t) => {
  const server = await Server.start();
  const made = client(t, [server]);
  await made.ready;
  await assert.rejects(made.block(second.hash, { within: 50 }), { verdict: "refused", message: /is not proven yet/ });
  const waiting = made.block(second.hash, { within: 10_000 });
  server.move(1);
  assert.equal((await waiting).block, second.number);
});

test("headers between two blocks are proven by the hashes that they name", async (t) => {
  const made = client(t, [await Server.start({ head: 2 })]);
  await made.ready;
  const { headers } = await made.headers(first.number, third.number);
  assert.deepEqual(headers.map(({ hash }) => hash), recording.heads.map(({ hash }) => hash));
  await assert.rejects(made.headers(0, third.number), { message: /at most 256 headers/ });
});

test("a header in between that was changed is a lie (STATE-1)", async (t) => {
  const lie = (method, [hash], honest) => (method === "chain_getHeader" && hash === second.hash ? { ...honest, stateRoot: first.hash } : honest);
  const made = client(t, [await Server.start({ head: 2, lie })]);
  await made.ready;
  await assert.rejects(made.headers(first.number, third.number), { verdict: "lied", rule: "STATE-1" });
});

test("`ready` is rejected when no endpoint can be reached, and names each", { timeout: 20_000 }, async (t) => {
  const gone = [await Server.start(), await Server.start()];
  const urls = gone.map(({ url }) => url);
  await Promise.all(gone.map((server) => server.stop()));
  const made = client(t, [], { endpoints: urls, times: { requestTimeout: 500, settleAfter: 100, readyWithin: 700 } });
  const started = made.ready;
  await assert.rejects(started, ({ verdict, message }) => verdict === "unreachable" && urls.every((url) => message.includes(url)));
  assert.notEqual(made.ready, started);
});

test("after `ready` was rejected it is tried on, and the next one comes with a head", { timeout: 30_000 }, async (t) => {
  let isSilent = true;
  const server = await Server.start({ lie: (method, _params, honest) => (isSilent && method === "chain_getBlockHash" ? SILENCE : honest) });
  const made = client(t, [server], { times: { requestTimeout: 300, settleAfter: 100, readyWithin: 500 } });
  await assert.rejects(made.ready, { verdict: "unreachable" });
  isSilent = false;
  const status = await made.ready.catch(() => made.ready);
  assert.equal(status.block, first.number);
});

test("a request is handed on, and a node's error is given as it came", async (t) => {
  const lie = (method, _params, honest) => (method === "system_chain" ? "a chain" : honest);
  const server = await Server.start({ lie });
  const made = client(t, [server]);
  await made.ready;
  assert.deepEqual(await made.request("system_chain"), { result: "a chain", endpoint: server.url });
  const { error } = await made.request("state_call", ["Core_version", "0x"]);
  assert.deepEqual(error, { code: -32000, message: "not recorded" });
});

for (const [name, raw] of [
  ["no JSON", "{"],
  ["an answer to nothing", '{"jsonrpc":"2.0","id":77,"result":1}'],
  ["a huge answer to nothing", `{"jsonrpc":"2.0","id":77,"result":"${"0".repeat(17_000_000)}"}`],
  ["JSON of a thousand levels", (id) => `{"jsonrpc":"2.0","id":${id},"result":${"[".repeat(1000)}${"]".repeat(1000)}}`],
]) {
  test(`${name} to a request that is handed on is that endpoint's fault`, async (t) => {
    const liar = await Server.start({ lie: (method, _params, honest) => (method === "system_chain" ? { raw } : honest) });
    const made = client(t, [liar, await Server.start()]);
    await made.ready;
    await until("both", () => liar.connections > 0);
    await assert.rejects(made.request("system_chain"), { verdict: "lied", rule: "RPC-1", endpoint: liar.url });
    await until("it to be left", () => made.faults.length > 0);
    assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict], [liar.url, "lied"]);
  });
}

const LONG = "0".repeat(17_000_000);
for (const [name, raw] of [
  ["its id first", (id) => `{"jsonrpc":"2.0","id":${id},"result":"${LONG}"}`],
  ["its id last", (id) => `{"jsonrpc":"2.0","result":{"id":1,"x":"${LONG}"},"id":${id}}`],
]) {
  test(`an answer with ${name} that is too long because of what was asked is nobody's lie`, async (t) => {
    const server = await Server.start({ lie: (method, _params, honest) => (method === "state_getPairs" ? { raw } : method === "system_chain" ? "here" : honest) });
    const made = client(t, [server]);
    await made.ready;
    assert.equal((await made.request("system_chain")).result, "here");
    const long = made.request("state_getPairs", ["0x"]);
    const other = made.request("system_chain");
    await assert.rejects(long, { verdict: "too_large", culprit: "nobody", endpoint: server.url, message: /^state_getPairs: the answer is longer than 16777216 characters/ });
    assert.deepEqual([(await other).result, made.faults], ["here", []]);
  });
}

const LIMIT = 20_000;
const TOO_LARGE = [
  ["above our limit", "state_getReadProof", ({ at }) => ({ at, proof: ["0x".padEnd(17_000_000, "0")] })],
  ["above the limit of trie nodes", "duet_getProofs", (_honest, params) => ({ ...proofs(params), ...(params[0].length > 0 && { nodes: ["0x".padEnd(18_000_000, "0")] }) })],
  ["above the node's limit", "state_getReadProof", () => ({ error: { code: -32008, message: "Response is too big" } })],
];
for (const [name, method, change] of TOO_LARGE) {
  test(`a proof of state ${name} is nobody's lie, and the next node is asked`, async (t) => {
    const long = await Server.start({ lie: (asked, params, honest) => (asked === method ? change(honest, params) : honest) });
    // Such answers take a slow machine seconds.
    const times = { ...TIMES, requestTimeout: LIMIT, stallAfter: LIMIT, lagAfter: LIMIT };
    const made = client(t, [long, await Server.start()], { times });
    await made.ready;
    await until("both", () => long.asked.includes("duet_getFinalizedHead"));
    assert.notEqual((await made.account(ALICE)).endpoint, long.url);
    const alone = client(t, [long], { times });
    await alone.ready;
    await assert.rejects(alone.account(ALICE), { verdict: "too_large", nextStep: "go-on" });
    assert.equal((await alone.block()).block, first.number);
    assert.deepEqual([...made.faults, ...alone.faults], []);
  });
}

// What JSON-RPC servers answer to a message that they do not read.
const UNREAD = '{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"Request is too big"}}';

test("a request that a node refuses unread is refused with its error, asked nowhere else, and nobody's lie", async (t) => {
  const sockets = [];
  let short;
  const lie = (method, _params, honest) => {
    if (method === "duet_reportProof") return { raw: UNREAD };
    // Answered later; until then, a push of nothing.
    if (method === "system_chain") return { raw: (id) => ((short = id), '{"jsonrpc":"2.0","method":"x"}') };
    return honest;
  };
  const servers = [];
  for (let count = 0; count < 2; count += 1) servers.push(await Server.start({ lie, opened: (socket) => sockets.push(socket) }));
  const made = client(t, servers);
  await made.ready;
  const other = made.request("system_chain");
  const { error } = await made.request("duet_reportProof", ["0x00"], { again: true });
  assert.deepEqual(error, { code: -32007, message: "Request is too big" });
  // An answer that comes all the same is no answer to nothing.
  sockets.at(-1).send(`{"jsonrpc":"2.0","id":${short + 1},"result":"read"}`);
  sockets.at(-1).send(`{"jsonrpc":"2.0","id":${short},"result":"here"}`);
  assert.equal((await other).result, "here");
  assert.equal(servers.flatMap(({ asked }) => asked).filter((method) => method === "duet_reportProof").length, 1);
  assert.deepEqual(made.faults, []);
});

test("an error to nobody while nothing is asked ends a connection, and is nobody's lie", async (t) => {
  const server = await Server.start({ lie: (method, _params, honest) => (method === "system_chain" ? { before: UNREAD, raw: UNREAD } : honest) });
  const made = client(t, [server]);
  await made.ready;
  for (let count = 0; count < 2; count += 1) assert.equal((await made.request("system_chain")).error.code, -32007);
  await until("the end of the connection", () => server.connections === 1);
  assert.deepEqual(made.faults, []);
});

test("a result to nobody is a lie", async (t) => {
  const liar = await Server.start({ lie: (method, _params, honest) => (method === "system_chain" ? { raw: '{"jsonrpc":"2.0","id":null,"result":1}' } : honest) });
  const made = client(t, [liar, await Server.start()]);
  await made.ready;
  await until("both", () => liar.asked.includes("duet_getFinalizedHead"));
  await assert.rejects(made.request("system_chain"), { verdict: "lied", rule: "RPC-1", endpoint: liar.url });
});

test("what no node reads, and what is no JSON, is refused before any node is asked", async (t) => {
  const server = await Server.start();
  const made = client(t, [server]);
  await made.ready;
  for (const param of ["0".repeat(15 << 20), 1n]) {
    await assert.rejects(made.request("author_submitExtrinsic", [param]), { verdict: "refused", culprit: "caller" });
  }
  assert.ok(!server.asked.includes("author_submitExtrinsic"));
  assert.deepEqual(made.faults, []);
});

test("a node that gives another result than the only honest one has lied", async (t) => {
  const liar = await Server.start({ lie: (method, _params, honest) => (method === "system_chain" ? "there" : honest) });
  const made = client(t, [liar, await Server.start()]);
  await made.ready;
  await until("both", () => liar.asked.includes("duet_getFinalizedHead"));
  assert.equal((await made.request("system_chain", [], { expected: "there" })).result, "there");
  await assert.rejects(made.request("system_chain", [], { expected: "here" }), { verdict: "lied", rule: "RPC-1", endpoint: liar.url });
  await until("it to be left", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict], [liar.url, "lied"]);
});

test("silence to a request that is handed on ends in an error", async (t) => {
  const made = client(t, [await Server.start({ lie: (method, _params, honest) => (method === "system_chain" ? SILENCE : honest) })]);
  await made.ready;
  await assert.rejects(made.request("system_chain"), { verdict: "unreachable", message: /no answer within/ });
});

test("a subscription is handed on with what came before its answer, and a flood of it ends it", async (t) => {
  const push = (value) => JSON.stringify({ jsonrpc: "2.0", method: "x", params: { subscription: "it", result: value } });
  let socket;
  const server = await Server.start({
    lie: (method, _params, honest) => (method === "state_subscribeRuntimeVersion" ? { raw: (id) => `{"jsonrpc":"2.0","id":${id},"result":"it"}`, before: push(0) } : honest),
    opened: (made) => (socket = made),
  });
  const made = client(t, [server]);
  await made.ready;
  const got = [];
  await made.subscribe("state_subscribeRuntimeVersion", [], "state_unsubscribeRuntimeVersion", (pushed) => got.push(pushed));
  socket.send(push(1));
  await until("both pushes", () => got.length === 2);
  assert.deepEqual(got.map(({ value }) => value), [0, 1]);
  for (let count = 0; count < 3_000; count += 1) socket.send(push(2));
  await until("its end", () => got.at(-1).error !== undefined);
  assert.ok(got.length < 2_500, `${got.length}`);
  assert.equal(got.at(-1).error.verdict, "unreachable");
});

test("bytes that are no hexadecimal digits are not read as some", () => {
  for (const text of ["0x0", "0xg0", "0x0g", "00", "0x\u01300", 7, undefined]) assert.equal(fromHex(text), undefined, String(text));
  assert.deepEqual(fromHex("0x00aBFf"), Uint8Array.of(0, 0xab, 0xff));
});

const ACCOUNTS = recording.alice.slice(0, 66);
const aliceProof = () => answer(`state_getReadProof [["${recording.alice}"],"${first.hash}"]`);
/** A server that lists these keys, and shows the way to Alice's account whatever it is asked for. */
const listing = (keys) =>
  Server.start({
    lie: (method, [asked], honest) => {
      if (method === "state_getKeysPaged") return keys;
      if (method !== "state_getReadProof") return honest;
      // An account has 80 bytes, which are a node of their own: only who asks for it needs that.
      const { at, proof } = aliceProof();
      return { at, proof: proof.filter((node) => asked.includes(recording.alice) || node.length !== 2 + 2 * 80) };
    },
  });

test("all entries under a prefix are those that the trie shows, with the hash that stands for them", async (t) => {
  const made = client(t, [await listing([recording.alice])]);
  await made.ready;
  const { entries, merkleValue } = await made.under(recording.alice.slice(0, 80));
  assert.deepEqual(entries.map(({ key, value }) => [key, value.length]), [[recording.alice, 80]]);
  const again = await made.merkleValue(recording.alice.slice(0, 80));
  assert.deepEqual([merkleValue.length, toHex(again.merkleValue)], [32, toHex(merkleValue)]);
});

test("that there is nothing under a prefix is proven", async (t) => {
  const made = client(t, [await listing([])]);
  await made.ready;
  // Beside Alice's account, where the proof shows the end of the path.
  const beside = `${recording.alice.slice(0, -2)}00`;
  assert.deepEqual((await made.under(beside)).entries, []);
  assert.equal((await made.merkleValue(beside)).merkleValue, undefined);
});

for (const [name, prefix, keys] of [
  ["leaves out the only key", recording.alice.slice(0, 80), []],
  ["leaves out other keys", ACCOUNTS, [recording.alice]],
  ["names a key twice", recording.alice.slice(0, 80), [recording.alice, recording.alice]],
]) {
  test(`a node that ${name} contradicts its own proof (RPC-2)`, async (t) => {
    const made = client(t, [await listing(keys)]);
    await made.ready;
    await assert.rejects(made.under(prefix), { verdict: "lied", rule: "RPC-2" });
  });
}

test("of a thousand keys it is not proven that they are all, which is nobody's fault", async (t) => {
  const made = client(t, [await listing(Array.from({ length: 1_000 }, () => recording.alice))]);
  await made.ready;
  await assert.rejects(made.under(ACCOUNTS), { verdict: "refused", got: "more" });
  assert.deepEqual(made.faults, []);
});
