// Servers that lie, each in one way: the lie is named with its rule and the server is left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { client, flip, recording, Server, SILENCE, TIMES, until } from "./support.mjs";

const ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
const [first, second, third] = recording.heads;
const answer = (name) => recording.answers[name];

/** Lies about one method. */
const about = (name, change) => (method, params, honest) => (method === name ? change(honest, params) : honest);

/** A lone liar: what the client says of it when it gives up. */
async function alone(t, lie, options) {
  const server = await Server.start({ lie });
  const made = client(t, [server], options);
  await assert.rejects(made.ready, { name: "DuetError", verdict: "fatal" });
  const [fault] = made.faults;
  assert.equal(fault.endpoint, server.url);
  assert.equal(made.heads.filter(({ block }) => block >= first.number).length, 0);
  return fault;
}

/** A liar beside an honest server: the client gets its answers, and the liar is named. */
async function beside(t, lie, rule) {
  const liar = await Server.start({ lie });
  const made = client(t, [liar, await Server.start()]);
  const { block } = await made.ready;
  assert.equal(block, first.number);
  await until("the liar to be named", () => made.faults.length > 0);
  const [fault] = made.faults;
  assert.deepEqual([fault.endpoint, fault.verdict, fault.rule], [liar.url, "lied", rule]);
  return made;
}

const LIES = [
  ["a forged head", "JUST-5", about("duet_getStatelessProof", (proof) => flip(proof, 40))],
  ["a proof of another block than asked", "RPC-1", about("duet_getStatelessProof", () => answer(`duet_getStatelessProof [${second.number}]`))],
  ["a head and a proof that are of two blocks", "RPC-2", about("duet_getStatelessProof", (proof) => flip(proof, 4))],
  ["a forged handoff", "JUST-5", about("duet_getStatelessSetProofs", (list, [set]) => (set === 0 ? flip(list, 60) : list))],
  ["a list of handoffs of another set", "RPC-1", about("duet_getStatelessSetProofs", (list, [set]) => (set === 1 ? answer("duet_getStatelessSetProofs [0,64]") : list))],
  ["bytes that are no hexadecimal digits", "ENC-6", about("duet_getStatelessProof", () => "0xnonsense")],
  ["something else than bytes", "ENC-6", about("duet_getStatelessProof", () => ({ much: "ado" }))],
  ["an answer to nothing", "RPC-1", about("duet_getFinalizedHead", () => ({ raw: '{"jsonrpc":"2.0","id":999999,"result":null}' }))],
  ["no JSON", "RPC-1", about("duet_getFinalizedHead", () => ({ raw: '{"jsonrpc":"2.0"' }))],
  ["JSON of a thousand levels", "RPC-1", about("duet_getFinalizedHead", () => ({ raw: (id) => `{"jsonrpc":"2.0","id":${id},"result":${"[".repeat(1000)}${"]".repeat(1000)}}` }))],
  ["result and error at once", "RPC-1", about("duet_getFinalizedHead", () => ({ raw: (id) => `{"jsonrpc":"2.0","id":${id},"result":null,"error":{"code":1,"message":""}}` }))],
  ["a huge answer to a small question", "RPC-1", about("duet_getFinalizedHead", () => "0x".padEnd(20_000_000, "0"))],
  ["a push of what was not subscribed to", "RPC-1", about("duet_getFinalizedHead", () => ({ raw: '{"jsonrpc":"2.0","method":"chain_newHead","params":{"subscription":"sub","result":"0x"}}' }))],
  ["a push of nothing", "ENC-6", about("duet_subscribeJustifications", () => ({ raw: '{"jsonrpc":"2.0","method":"duet_justifications"}' }))],
  ["an error that is none", "RPC-1", about("duet_getFinalizedHead", () => ({ raw: (id) => `{"jsonrpc":"2.0","id":${id},"error":null}` }))],
  ["a header that is a number", "RPC-1", about("chain_getHeader", () => 7)],
  ["a head with a number of escape sequences", "RPC-1", about("chain_getHeader", (header) => ({ ...header, number: "\u001b[2K\rsynced to block 7" }))],
];

for (const [name, rule, lie] of LIES) {
  test(`${name}: the server is named with ${rule} and left, and the honest one is followed`, async (t) => {
    const made = await beside(t, lie, rule);
    assert.ok(!made.faults[0].message.includes("\u001b"));
    assert.ok(made.faults[0].message.length < 500);
  });
}

test("another head with the number of the newest proven block has to be proven (RPC-2)", async (t) => {
  const other = `0x${"ab".repeat(32)}`;
  let isLying = false;
  const lie = (method, [hash], honest) => {
    if (!isLying) return honest;
    if (method === "chain_getHeader" && hash === other) return answer(`chain_getHeader ["${first.hash}"]`);
    return method === "duet_getFinalizedHead" ? other : honest;
  };
  const liar = await Server.start({ lie });
  const made = client(t, [liar]);
  assert.equal((await made.ready).block, first.number);
  isLying = true;
  await until("the liar to be named", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].verdict, made.faults[0].rule], ["lied", "RPC-2"]);
});

test("an answer that comes twice is a lie", async (t) => {
  const twice = (id) => `{"jsonrpc":"2.0","id":${id},"result":"${recording.genesis}"}`;
  let sent = false;
  const lie = (method, _params, honest) => {
    if (method === "duet_getGenesisProof" && !sent) {
      sent = true;
      return { raw: (id) => twice(id - 1) };
    }
    return honest;
  };
  assert.deepEqual([(await alone(t, lie)).rule], ["RPC-1"]);
});

test("a server of another chain is left at once", async (t) => {
  const other = `0x${"11".repeat(32)}`;
  const fault = await alone(t, about("chain_getBlockHash", () => other));
  assert.deepEqual([fault.verdict, fault.rule, fault.got], ["other_chain", "LIGHT-1", other]);
});

test("a server that lies about its genesis is caught with its first proof", async (t) => {
  const fault = await alone(t, about("duet_getGenesisProof", (proof) => flip(proof, 10)));
  assert.deepEqual([fault.verdict, fault.rule], ["lied", "LIGHT-1"]);
});

test("a server without the methods is not asked again", async (t) => {
  const fault = await alone(t, about("duet_getGenesisProof", () => ({ error: { code: -32601, message: "Method not found" } })));
  assert.equal(fault.verdict, "incompatible");
});

test("a changed balance is never a value: the honest server's is given, and the liar is left", async (t) => {
  const lie = about("state_getReadProof", ({ at, proof }) => ({ at, proof: [flip(proof[0], 30), ...proof.slice(1)] }));
  const liar = await Server.start({ lie });
  const made = client(t, [liar, await Server.start()]);
  await made.ready;
  await until("both", () => liar.connections === 1);
  const { free, endpoint } = await made.account(ALICE);
  assert.ok(free > 0n && endpoint !== liar.url);
  await until("the liar to be named", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].rule], [liar.url, "STATE-2"]);
});

const G1 = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
const ROOT = "11".repeat(32);

/** SCALE's compact integer. */
function compact(number) {
  const [mode, length] = number < 1 << 6 ? [0, 1] : number < 1 << 14 ? [1, 2] : [2, 4];
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number * 4 + mode);
  return bytes.subarray(0, length).toString("hex");
}

/** The head's proof as one of set 9, which no handoff leads to, and the header with which `duet_getReset` explains it. */
function resetTo(number, log) {
  const claims = (proof) => `${flip(proof, 40).slice(0, 2 + 2 * 72)}0900000000000000${proof.slice(2 + 2 * 80)}`;
  const digest = `0404${Buffer.from("DUET").toString("hex")}${compact(log.length / 2)}${log}`;
  const header = `0x${ROOT}${compact(number)}${ROOT}${ROOT}${digest}`;
  return (method, params, honest) => {
    if (method === "duet_getStatelessSetProofs") return "0x00";
    if (method === "duet_getStatelessProof") return claims(honest);
    return method === "duet_getReset" ? header : honest;
  };
}

const RESET = `030000000000000000${"0900000000000000"}04000000${ROOT}${G1}`;

test("a reset is told with its checkpoint, and not crossed without the user's word", async (t) => {
  const server = await Server.start({ lie: resetTo(99_999, RESET) });
  const made = client(t, [server]);
  await until("the reset to be told", () => made.faults.length > 0);
  const [fault] = made.faults;
  assert.deepEqual([fault.endpoint, fault.verdict, fault.rule, fault.nextStep], [server.url, "reset", "LIGHT-8", "new-checkpoint"]);
  assert.match(fault.message, /block 99999 \(0x[0-9a-f]{64}\) began set 9/);
  assert.ok(made.heads.every(({ block }) => block < first.number));
  const { checkpoint } = fault;
  assert.deepEqual([checkpoint.block_number, checkpoint.current.id, checkpoint.next.apk1], [99_999, 9, `0x${G1}`]);
  // From there on nothing is known of a way that leads on.
  const begun = client(t, [await Server.start()], { genesisHash: undefined, checkpoint });
  assert.equal((await begun.checkpoint()).block_number, 99_999);
});

test("a header without a reset is a lie, and beside an honest server nobody is held up", async (t) => {
  await beside(t, resetTo(99_999, "020100000000000000"), "LIGHT-8");
  await beside(t, resetTo(0, RESET), "LIGHT-8");
});

test("a changed balance of a lone server is an error, with the rule", async (t) => {
  const lie = about("state_getReadProof", ({ at, proof }) => ({ at, proof: proof.slice(1) }));
  const made = client(t, [await Server.start({ lie })]);
  await made.ready;
  await assert.rejects(made.account(ALICE), { name: "DuetError", verdict: "lied", rule: "STATE-2" });
});

test("a server that withholds the newest block holds nobody back, and is named within seconds", async (t) => {
  const [withholds, honest] = [await Server.start(), await Server.start()];
  const made = client(t, [withholds, honest]);
  await made.ready;
  honest.move(1);
  await until("the newer block", () => made.head.block === second.number);
  await until("the other to be named", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict], [withholds.url, "stalled"]);
});

test("a server that shows old proofs again changes nothing", async (t) => {
  const server = await Server.start({ head: 2 });
  const made = client(t, [server]);
  await made.ready;
  server.push(answer(`duet_getJustification [${first.number}]`));
  server.push(answer(`duet_getJustification [${third.number}]`));
  const { block } = await made.block(third.number);
  assert.equal(block, third.number);
  assert.equal(made.head.block, third.number);
  assert.deepEqual(made.faults, []);
});

test("without keys, a proof that lacks many signers is asked for a second later, and only the newest (ROUND-9)", async (t) => {
  const server = await Server.start();
  // So that no look at the head comes first.
  const made = client(t, [server], { times: { ...TIMES, stallAfter: 60_000 } });
  await made.ready;
  // The commitment has 168 bytes. Five empty bytes are the bitfield of forty.
  const early = (block) => {
    const proof = answer(`duet_getJustification [${block}]`).slice(2);
    const length = Number.parseInt(proof.slice(336, 338), 16) >> 2;
    return `0x${proof.slice(0, 336)}140000000000${proof.slice(338 + 2 * length)}`;
  };
  const asked = () => server.asked.filter((method) => method === "duet_getStatelessProof").length;
  const before = asked();
  const start = Date.now();
  server.move(2, { push: false });
  server.push(early(second.number));
  server.push(early(third.number));
  await until("the newest block", () => made.head.block === third.number);
  assert.ok(Date.now() - start >= 1_000);
  assert.equal(asked() - before, 1);
});

test("a server that pushes a forged proof is named and left", async (t) => {
  const server = await Server.start({ lie: about("duet_getStatelessProof", (proof, [block]) => (block === second.number ? flip(proof, 40) : proof)) });
  const made = client(t, [server, await Server.start()]);
  await made.ready;
  server.move(1);
  await until("the liar to be named", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].rule], [server.url, "JUST-5"]);
  assert.equal(made.head.block, first.number);
});

test("a server that falls silent is asked again later, and the other one is followed", async (t) => {
  const silent = await Server.start({ lie: about("duet_getFinalizedHead", () => SILENCE) });
  const made = client(t, [silent, await Server.start()]);
  const { block } = await made.ready;
  assert.equal(block, first.number);
  await until("the silence to be noticed", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict], [silent.url, "unreachable"]);
});

test("a refusal for want of old state is no lie, and names the remedy", async (t) => {
  const made = client(t, [await Server.start({ lie: about("state_getReadProof", () => ({ error: { code: 4003, message: "State already discarded" } })) })]);
  await made.ready;
  await assert.rejects(made.account(ALICE), { verdict: "incomplete", message: /state-pruning archive/ });
  assert.deepEqual(made.faults, []);
});

test("a block that is not proven yet is not asked for", async (t) => {
  const made = client(t, [await Server.start()]);
  await made.ready;
  await assert.rejects(made.block(third.number), { message: /is not proven yet/ });
});
