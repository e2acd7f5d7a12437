// Nodes that lie, each in one way: the provider gives an error, or an honest node's answer, and never the lie.
// (light-client/tests/attacks.rs, verifiers/web/light-client/test/lying-server.test.mjs)

import assert from "node:assert/strict";
import { test } from "node:test";
import { PolkadotJsProvider } from "../src/index.js";
import { about, answer, bodyClient, bodyNetwork, connection, flip, provider, recording, Server, SILENCE, until, withBody } from "./support.mjs";

const [first, second, third] = recording.heads;
const state = (hash, key = recording.alice) => answer(`state_getReadProof [["${key}"],"${hash}"]`);
const nodes = (change) => about("state_getReadProof", ({ at, proof }) => ({ at, proof: change(proof) }));

/** The lie, the method that meets it, and the rule that refuses it. */
const LIES = [
  ["a changed balance", "STATE-2", nodes(([root, ...rest]) => [flip(root, 30), ...rest]), "state_getStorage", [recording.alice]],
  ["a balance changed in the leaf", "STATE-2", nodes((proof) => proof.map((node) => flip(node, node.length / 2 - 5))), "state_getStorage", [recording.alice]],
  ["a missing trie node", "STATE-2", nodes((proof) => proof.slice(1)), "state_queryStorageAt", [[recording.alice]]],
  ["a trie node too many", "STATE-2", nodes((proof) => [...proof, "0x00"]), "state_getStorageSize", [recording.alice]],
  ["the proof of another key", "STATE-2", about("state_getReadProof", () => state(first.hash, recording.nobody)), "state_getStorage", [recording.alice]],
  ["the state of another block", "STATE-2", about("state_getReadProof", () => state(third.hash)), "state_getStorage", [recording.alice]],
  ["a nonce that is another's", "STATE-2", about("state_getReadProof", () => state(first.hash, recording.nobody)), "system_accountNextIndex", ["5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"]],
  ["trie nodes that are none", "RPC-1", nodes(() => ["nonsense"]), "state_getReadProof", [[recording.alice]]],
  ["an older block by a changed path", "STATE-3", about("mmr_generateProof", (found) => ({ ...found, proof: flip(found.proof, 60) })), "chain_getBlockHash", [recording.old]],
  ["an older block by a leaf of its own", "STATE-3", about("mmr_generateProof", (found) => ({ ...found, leaves: flip(found.leaves, 20) })), "chain_getBlockHash", [recording.old]],
  ["no JSON", "RPC-1", about("state_getReadProof", () => ({ raw: '{"jsonrpc":"2.0"' })), "state_getStorage", [recording.alice]],
];

for (const [name, rule, lie, method, params] of LIES) {
  test(`${name} of a lone node is an error with ${rule}, and no value`, async (t) => {
    const server = await Server.start({ lie });
    const made = await provider(t, [server]);
    await assert.rejects(made.request(method, params), ({ code, data }) => {
      assert.deepEqual([code, data.verdict, data.rule], [-32091, "lied", rule]);
      assert.ok(data.endpoint === undefined || data.endpoint === server.url);
      return true;
    });
    assert.deepEqual(made.answers, []);
  });
}

test("a changed balance beside an honest node is that node's answer", async (t) => {
  const liar = await Server.start({ lie: LIES[0][2] });
  const honest = await Server.start();
  const made = await provider(t, [liar, honest]);
  await until("both", () => liar.connections > 0 && honest.connections > 0);
  assert.equal((await made.request("state_getStorage", [recording.alice])).length, 162);
  assert.equal(made.answers[0].endpoint, honest.url);
  await until("the liar to be named", () => made.client.faults.length > 0);
  assert.deepEqual([made.client.faults[0].endpoint, made.client.faults[0].rule], [liar.url, "STATE-2"]);
});

test("a subscription to storage skips a block whose proof is a lie", async (t) => {
  const lie = (method, params, honest) => (method === "state_getReadProof" && params[1] === second.hash ? { ...honest, proof: honest.proof.slice(1) } : honest);
  const liar = await Server.start({ lie });
  const made = await provider(t, [liar]);
  const sets = [];
  (await made.subscribe("state_subscribeStorage", [[recording.alice]], (set) => sets.push(set))).start();
  liar.move(1);
  await until("the lie to be told", () => made.faults.length > 0);
  assert.equal(made.faults[0].data.rule, "STATE-2");
  assert.deepEqual(sets.map(({ block }) => block), [first.hash]);
});

test("a withheld head holds nobody back", async (t) => {
  const [withholds, honest] = [await Server.start(), await Server.start()];
  const made = await provider(t, [withholds, honest]);
  honest.move(1);
  await until("the newer head", () => made.client.head.block === second.number);
  const heads = [];
  (await made.subscribe("chain_subscribeFinalizedHeads", [], (head) => heads.push(Number(head.number)))).start();
  await until("the newer head", () => heads.at(-1) === second.number);
  assert.equal(await made.request("chain_getFinalizedHead"), second.hash);
});

test("an old proof that is shown again moves no head back", async (t) => {
  const server = await Server.start({ head: 2 });
  const made = await provider(t, [server]);
  server.push(answer(`duet_getJustification [${first.number}]`));
  assert.equal((await made.request("chain_getHeader")).number, `0x${third.number.toString(16)}`);
  assert.equal(await made.request("chain_getFinalizedHead"), third.hash);
});

test("a forged proof that is pushed is no head", async (t) => {
  const server = await Server.start({ lie: about("duet_getStatelessProof", (proof, [block]) => (block === second.number ? flip(proof, 40) : proof)) });
  const made = await connection(t, [server, await Server.start()]);
  await made.ask("chainHead_v1_follow", false);
  await until("the first block", () => made.pushed.length === 2);
  server.move(1);
  await until("the liar to be named", () => made.client.faults.length > 0);
  assert.equal(made.client.faults[0].rule, "JUST-5");
  assert.deepEqual(made.pushed.map(({ params }) => params.result.event), ["initialized", "bestBlockChanged"]);
});

test("a node of another chain connects nobody", async (t) => {
  const server = await Server.start({ lie: about("chain_getBlockHash", () => `0x${"11".repeat(32)}`) });
  const made = await provider(t, [server], { isReady: false });
  const provided = new PolkadotJsProvider(made.client);
  const told = [];
  provided.on("connected", () => told.push("connected"));
  provided.on("error", ({ rule }) => told.push(rule));
  await until("the error", () => told.length > 0);
  assert.deepEqual([told, provided.isConnected], [["LIGHT-1"], false]);
  await assert.rejects(provided.send("chain_getFinalizedHead", []), { data: { verdict: "fatal", rule: "LIGHT-1", culprit: "sender", nextStep: "check-trusted-hash", endpoint: server.url, expected: recording.genesis, got: `0x${"11".repeat(32)}` } });
  await provided.disconnect();
});

// Where things are in a proof of a set of 4: the commitment, then the bitfield, then the two points.
const AT = { mmrRoot: 40, set: 68, bitfield: 169, sigma: 190, apk2: 238 };

for (const [name, rule, change] of [
  ["another root of older blocks", /JUST-5/, (proof) => flip(proof, AT.mmrRoot)],
  ["a bitfield below the threshold", /JUST-4/, (proof) => flip(proof, AT.bitfield, 1)],
  ["a bitfield with padding bits", /JUST-3/, (proof) => flip(proof, AT.bitfield, 0x80)],
  ["a signature that is no point", /ENC-[1-4]/, (proof) => flip(proof, AT.sigma)],
  ["a second key that is no point", /ENC-[1-4]/, (proof) => flip(proof, AT.apk2)],
  ["the id of a later set", /LIGHT-7/, (proof) => flip(proof, AT.set, 8)],
  ["a byte more", /ENC-6/, (proof) => `${proof}00`],
  ["a byte less", /ENC-6/, (proof) => proof.slice(0, -2)],
]) {
  test(`a proof with ${name} of a lone node connects nobody, and every request says why`, async (t) => {
    const server = await Server.start({ lie: about("duet_getStatelessProof", change) });
    const made = await provider(t, [server], { isReady: false });
    await assert.rejects(made.request("chain_getFinalizedHead"), ({ code, data }) => code === -32091 && data.verdict === "fatal" && rule.test(data.rule));
    await assert.rejects(made.request("state_getStorage", [recording.alice]), ({ data }) => rule.test(data.rule));
    assert.deepEqual(made.answers, []);
  });
}

test("silence ends in an error", async (t) => {
  const made = await provider(t, [await Server.start({ lie: about("state_getReadProof", () => SILENCE) })]);
  await assert.rejects(made.request("state_getStorage", [recording.alice]), ({ code, data }) => code === -32091 && data.verdict === "unreachable");
});

test("an extrinsic that is changed, left out or added makes an error of the block (STATE-4)", async (t) => {
  for (const change of [(all) => all.slice(0, -1), (all) => [...all, "0x00"], ([one, ...rest]) => [flip(one, 3), ...rest]]) {
    const lie = about("chain_getBlock", ({ block }) => ({ block: { ...block, extrinsics: change(block.extrinsics) }, justifications: null }));
    const made = await provider(t, [await Server.start({ ...bodyNetwork, lie })], bodyClient);
    await assert.rejects(made.request("chain_getBlock", [withBody.block.hash]), ({ code, data }) => code === -32091 && data.verdict === "lied" && data.rule === "STATE-4");
  }
});

test("an operation of a follow that meets a lie ends with an error, and without items", async (t) => {
  const made = await connection(t, [await Server.start({ lie: LIES[0][2] })]);
  const { result: id } = await made.ask("chainHead_v1_follow", false);
  await until("the first block", () => made.pushed.length === 2);
  await made.ask("chainHead_v1_storage", id, first.hash, [{ key: recording.alice, type: "value" }], null);
  await until("the error", () => made.pushed.length === 3);
  const { event, error } = made.pushed[2].params.result;
  assert.equal(event, "operationError");
  assert.match(error, /STATE-2/);
});

test("what a node says in an error that is handed on is cut and escaped", async (t) => {
  const message = `\u001b[2K\r${"x".repeat(2_000)}`;
  const made = await provider(t, [await Server.start({ lie: about("system_chain", () => ({ error: { code: 1, message } })) })]);
  await assert.rejects(made.request("system_chain"), ({ code, message: text }) => code === 1 && text.length < 500 && !text.includes("\u001b"));
});

test("keys that a node lists without order or prefix come to an error, and not to an endless list", async (t) => {
  for (const keys of [[flip(recording.alice, 0)], [recording.alice, recording.alice], "keys", Array.from({ length: 300 }, () => recording.alice)]) {
    // So many that it cannot be proven that they are all.
    const many = Array.from({ length: 1_000 }, () => recording.alice);
    const made = await connection(t, [await Server.start({ lie: about("state_getKeysPaged", (_honest, [, count]) => (count === 1_000 ? many : keys)) })]);
    const { result: id } = await made.ask("chainHead_v1_follow", false);
    await until("the first block", () => made.pushed.length === 2);
    await made.ask("chainHead_v1_storage", id, first.hash, [{ key: recording.alice.slice(0, 66), type: "descendantsValues" }], null);
    await until("the error", () => made.pushed.length === 3);
    const { event, error } = made.pushed[2].params.result;
    assert.equal(event, "operationError");
    assert.match(error, /not asked for|something else than a list of keys/);
  }
});

const { extrinsics } = withBody.answers[`chain_getBlock ["${withBody.block.hash}"]`].block;
const HASH = withBody.block.hash;
/** Of each method: its status of finality, other spellings, such without a block, and its known and other statuses. */
const WATCHES = {
  author_submitAndWatchExtrinsic: {
    final: (hash) => ({ finalized: hash }),
    spelt: [{ Finalized: HASH }, { FINALIZED: HASH, ready: null }, { ready: null, fInAlized: HASH }],
    unnamed: ["finalized", "Finalized", { finalized: null }, { Finalized: "0x00" }],
    known: ["future", "ready", "dropped", "invalid", { broadcast: ["peer"] }, { inBlock: HASH }, { retracted: HASH }, { finalityTimeout: HASH }, { usurped: HASH }],
    // The last of these is an index that @polkadot/api reads as `Finalized`, with the bytes after it.
    others: ["Ready", 6, null, [], {}, { InBlock: HASH }, { inBlock: 1 }, { inBlock: HASH, ready: null }, { broadcast: "peer" }, { broadcast: [1] }, `0x06${HASH.slice(2)}`],
  },
  transactionWatch_v1_submitAndWatch: {
    final: (hash, index) => ({ event: "finalized", block: { hash, index } }),
    spelt: [{ event: "Finalized", block: { hash: HASH, index: 0 } }, { event: "finalized", block: { hash: HASH, index: 77, more: 1 } }, { event: "finalized", block: { hash: HASH } }],
    unnamed: [{ event: "finalized" }, { event: "FINALIZED", block: null }, { event: "finalized", block: { hash: 1 } }],
    known: [
      { event: "validated" },
      { event: "broadcasted", numPeers: 2 },
      { event: "bestChainBlockIncluded", block: null },
      { event: "bestChainBlockIncluded", block: { hash: HASH, index: 1 } },
      ...["error", "invalid", "dropped"].map((event) => ({ event, error: "why" })),
    ],
    others: [null, "ready", {}, { event: "Validated" }, { event: "broadcasted" }, { event: "bestChainBlockIncluded", block: { hash: HASH, index: "1" } }],
  },
};
const INCLUDED = extrinsics.at(-1);
const INDEX = extrinsics.length - 1;

/** Watches a transaction, of which a node says these statuses: what was told. */
async function watched(t, method, extrinsic, statuses) {
  const sockets = [];
  const server = await Server.start({ ...bodyNetwork, lie: about(method, () => "it"), opened: (socket) => sockets.push(socket) });
  const made = await provider(t, [server], bodyClient);
  const pushed = [];
  const { start } = await made.subscribe(method, [extrinsic], (result, error) => pushed.push({ result, error }));
  await start();
  for (const result of statuses) {
    sockets.at(-1).send(JSON.stringify({ jsonrpc: "2.0", method: "update", params: { subscription: "it", result } }));
  }
  return { made, pushed, server };
}

for (const [method, { final, spelt, unnamed, known, others }] of Object.entries(WATCHES)) {
  test(`${method}: that a transaction is final is told when its block has it, in whatever spelling a node says so`, async (t) => {
    for (const status of [final(HASH, INDEX), ...spelt]) {
      const { made, pushed } = await watched(t, method, INCLUDED, [known[0], status, known[0]]);
      await until("both statuses", () => pushed.length === 2);
      assert.deepEqual(pushed, [known[0], final(HASH, INDEX)].map((result) => ({ result, error: undefined })));
      assert.deepEqual(made.answers.map((one) => one.class), ["passed", "verified"]);
    }
  });

  test(`${method}: that a transaction is final is an error when the block does not have it or is not named`, async (t) => {
    const lies = [...[final(HASH, INDEX), ...spelt].map((status) => [status, "STATE-4"]), ...unnamed.map((status) => [status, "RPC-1"])];
    for (const [status, rule] of lies) {
      const { made, pushed, server } = await watched(t, method, flip(INCLUDED, 9), [status, final(HASH, INDEX)]);
      await until("the error", () => pushed.length === 1);
      const { result, error } = pushed[0];
      assert.deepEqual([result, error.code, error.data], [undefined, -32091, { verdict: "lied", rule, endpoint: server.url }]);
      assert.deepEqual(made.answers, []);
      const end = method === "author_submitAndWatchExtrinsic" ? "author_unwatchExtrinsic" : "transactionWatch_v1_unwatch";
      await until("the node to be told", () => server.asked.includes(end));
      assert.equal(pushed.length, 1);
    }
  });

  test(`${method}: other statuses are told if they are known, and only what is known of them`, async (t) => {
    const more = known.map((status) => (status.event ? { ...status, more: 1 } : status));
    const { pushed } = await watched(t, method, INCLUDED, [...others, ...more, final(HASH, INDEX)]);
    await until("the last status", () => pushed.length >= known.length + 1);
    assert.deepEqual(pushed.map(({ result }) => result), [...known, final(HASH, INDEX)]);
  });
}

for (const method of ["author_submitExtrinsic", "transaction_v1_broadcast", ...Object.keys(WATCHES)]) {
  test(`${method}: what is not exactly one transaction is sent to no node`, async (t) => {
    const server = await Server.start({ ...bodyNetwork });
    const made = await provider(t, [server], bodyClient);
    // A byte more or less, nothing, a length that could be shorter, and one of more than 2³⁰.
    for (const transaction of [`${INCLUDED}00`, INCLUDED.slice(0, -2), "0x", undefined, "0x0", "0x0100", "0x0300000000"]) {
      const sent = Object.hasOwn(WATCHES, method) ? made.subscribe(method, [transaction], () => {}) : made.request(method, [transaction]);
      await assert.rejects(sent, ({ code, message }) => code === -32602 && message.includes("compact form"));
    }
    assert.ok(!server.asked.includes(method));
  });
}

test("a node that returns another hash than that of the transaction has lied, and is left (RPC-1)", async (t) => {
  const liar = await Server.start({ ...bodyNetwork, lie: about("author_submitExtrinsic", () => HASH) });
  const made = await provider(t, [liar, await Server.start({ ...bodyNetwork })], bodyClient);
  await until("both", () => liar.asked.includes("duet_getFinalizedHead"));
  await assert.rejects(made.request("author_submitExtrinsic", [INCLUDED]), ({ code, data }) => {
    assert.deepEqual([code, data.verdict, data.rule, data.endpoint], [-32091, "lied", "RPC-1", liar.url]);
    return true;
  });
  await until("the liar to be named", () => made.client.faults.length > 0);
  assert.deepEqual([made.client.faults[0].endpoint, made.client.faults[0].verdict], [liar.url, "lied"]);
});
