// LIGHT-9: a client continues from no block that is older than the trusting period. The recorded chain names 746 s;
// each test says how old its first head is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Age } from "../src/age.js";
import { little64, slotOf } from "../src/header.js";
import { fromHex } from "../src/text.js";
import { aged, client, flip, NO_STATE, Server, SILENCE, TIMES, until } from "./support.mjs";

const [first, second] = aged.heads;
const stated = (index, { hash }) => Number(little64(fromHex(aged.answers[`state_getStorage ["${aged.keys[index]}","${hash}"]`])));
const PERIOD = stated(1, first);
/** Block 1 is so many seconds older than the first head, by their slots. */
const SINCE = 2 * (first.number - 1);
const FATAL = { name: "DuetError", verdict: "fatal", rule: "LIGHT-9", culprit: "nobody", nextStep: "new-checkpoint", message: /^LIGHT-9: [\s\S]*trustOldStart/ };

const isOfTime = (method, params) => ["duet_getProofs", "state_getReadProof"].includes(method) && String(params[0]) === String(aged.keys);
/** Answers otherwise to who asks for the time of a block. */
const aboutTime = (change) => (method, params, honest) => (isOfTime(method, params) ? change(honest) : honest);
const pruned = aboutTime(() => ({ error: NO_STATE }));

const askedForTime = ({ asked }) => asked.filter((method) => method === "duet_getProofs").length;
/** Long enough for several looks at an endpoint. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 500));

/** Sets the clock so that the first head is so many seconds old; the returned function moves it on. */
function clock(t, age) {
  const real = Date.now;
  let ahead = stated(0, first) + 1_000 * age - real();
  t.mock.method(Date, "now", () => real() + ahead);
  return (seconds) => (ahead += 1_000 * seconds);
}

const begin = (t, servers, options) => client(t, servers, { genesisHash: aged.genesis, trustOldStart: false, ...options });
const start = { startHash: first.hash };
const serve = (options) => Server.start({ network: aged, ...options });

/** The checkpoint of a client at the first head, with its date. */
async function checkpointAt(t, options = start) {
  const made = begin(t, [await serve()], options);
  await made.ready;
  return made.checkpoint();
}

/** The session ends, and nothing was verified. */
async function refused(made, servers) {
  await assert.rejects(made.ready, FATAL);
  assert.deepEqual(made.heads, []);
  for (const { asked } of servers) assert.ok(!asked.includes("duet_getFinalizedHead"));
}

const AGES = [
  [0, undefined, true, true],
  [PERIOD - SINCE - 9, undefined, true, true],
  [PERIOD - SINCE + 9, undefined, true, false],
  [PERIOD - 9, undefined, true, false],
  [PERIOD + 9, undefined, false, false],
  [100, 109, true, false],
  [100, 99, false, false],
  [PERIOD + 9, 100_000, false, false],
];
for (const [age, trustingPeriod, fromStart, fromGenesis] of AGES) {
  for (const [name, from, isYoung] of [["start", start, fromStart], ["genesis", {}, fromGenesis]]) {
    test(`a ${name} of ${age} s, period ${trustingPeriod}, is ${isYoung ? "young enough" : "too old"}`, async (t) => {
      clock(t, age);
      const server = await serve({ head: 1 });
      const made = begin(t, [server], { ...from, trustingPeriod });
      if (isYoung) assert.equal((await made.ready).block, second.number);
      else await refused(made, [server]);
      const trusting = begin(t, [await serve({ head: 1 })], { ...from, trustingPeriod, trustOldStart: true });
      assert.equal((await trusting.ready).block, second.number);
    });
  }
}

test("one endpoint that tells the age of the genesis is enough", async (t) => {
  clock(t, PERIOD);
  const silent = await serve({ lie: (method, _params, honest) => (method === "state_getStorage" ? null : honest) });
  const made = begin(t, [silent, await serve()]);
  await until("the end", () => made.faults.some(({ verdict }) => verdict === "fatal"));
  assert.match(made.faults.at(-1).message, /, so says ws:\S+ of the genesis: its signers/);
});

test("behind a proven time, a late liar about the age of the genesis ends nothing", async (t) => {
  clock(t, 5);
  let isLate = false;
  const lie = (method, [key], honest) => {
    if (!isLate) return SILENCE;
    // A trusting period of one second.
    return method === "state_getStorage" && key === aged.keys[1] ? "0x0100000000000000" : honest;
  };
  const liar = await serve({ lie });
  const made = begin(t, [await serve(), liar]);
  await until("the proven time", () => made.head?.time !== undefined);
  isLate = true;
  await until("the liar to be followed", () => liar.asked.includes("duet_getFinalizedHead"));
  assert.deepEqual(made.faults.filter(({ verdict }) => verdict !== "unreachable"), []);
});

test("a genesis whose age nobody tells is followed to a head, whose proven time then counts", async (t) => {
  clock(t, PERIOD + 1);
  const lie = (method, _params, honest) => (method === "state_getStorage" ? null : honest);
  const made = begin(t, [await serve({ lie })]);
  await assert.rejects(made.ready, FATAL);
  assert.equal(made.head.block, first.number);
});

test("a genesis that was young when the client began stays good", async (t) => {
  const wait = clock(t, 0);
  const sockets = [];
  const server = await serve({ opened: (socket) => sockets.push(socket) });
  const made = begin(t, [server]);
  await made.ready;
  wait(PERIOD - 9);
  sockets[0].terminate();
  await until("another connection", () => sockets.length > 1);
  server.move(1, { push: false });
  await until("the next block", () => made.head.block === second.number);
  assert.deepEqual(made.faults.map(({ verdict }) => verdict), ["unreachable"]);
});

test("a stored state and a checkpoint keep their date, and ask nobody for it", async (t) => {
  const wait = clock(t, 0);
  let kept;
  const storage = { load: async () => kept, save: async (bytes) => (kept = bytes) };
  const checkpoint = await checkpointAt(t, { ...start, storage });
  assert.deepEqual([checkpoint.time, checkpoint.trusting_period], [Math.floor(stated(0, first) / 1_000), PERIOD]);
  for (const isYoung of [true, false]) {
    for (const from of [{ storage }, { checkpoint }]) {
      const server = await serve({ head: 1, lie: pruned });
      const made = begin(t, [server], from);
      if (isYoung) assert.equal((await made.ready).block, second.number);
      else await refused(made, [server]);
      await made.destroy();
    }
    wait(PERIOD + 9);
  }
});

const UNPROVEN = [
  ["a pruned state", "incomplete", "LIGHT-9", () => ({ error: NO_STATE })],
  ["a changed trie node", "lied", "STATE-2", (honest) => honest.proof && { ...honest, proof: honest.proof.map((node, index) => (index ? node : flip(node, 40))) }],
  ["other trie nodes", "lied", "STATE-2", (honest) => honest.proof && { ...honest, proof: [] }],
];
for (const [name, verdict, rule, change] of UNPROVEN) {
  test(`with ${name}, the age of a start, a checkpoint and a stored state is not believed`, async (t) => {
    clock(t, 0);
    const { time: _time, trusting_period: _period, ...checkpoint } = await checkpointAt(t);
    let kept;
    const storage = { load: async () => kept, save: async (bytes) => (kept = bytes) };
    const undated = begin(t, [await serve({ lie: pruned })], { checkpoint, storage, trustOldStart: true });
    await undated.ready;
    await undated.destroy();
    for (const from of [start, { checkpoint }, { storage }]) {
      const lie = aboutTime((honest) => change(honest) ?? honest);
      const made = begin(t, [await serve({ head: 1, lie })], from);
      await until("the fault", () => made.faults.length > 0);
      assert.deepEqual([made.faults[0].verdict, made.faults[0].rule], [verdict, rule]);
      assert.deepEqual(made.heads, []);
    }
  });
}

test("a proof of the caller is refused while the age of the start is not proven", async (t) => {
  clock(t, 0);
  const { time: _time, ...checkpoint } = await checkpointAt(t);
  const made = begin(t, [await serve({ lie: pruned })], { checkpoint });
  await until("the fault", () => made.faults.length > 0);
  const proof = fromHex(aged.answers[`duet_getStatelessProof [${second.number}]`]);
  await assert.rejects(made.verify(proof), { verdict: "refused", rule: "LIGHT-9" });
});

test("where the chain names no period, only the caller's counts", async (t) => {
  const wait = clock(t, 0);
  const { trusting_period: _period, ...checkpoint } = await checkpointAt(t);
  wait(1_000_000_000);
  const made = begin(t, [await serve({ head: 1, lie: pruned })], { checkpoint });
  assert.equal((await made.ready).block, second.number);
  await assert.rejects(begin(t, [await serve()], { checkpoint, trustingPeriod: 999_999_999 }).ready, FATAL);
});

for (const trustOldStart of [false, true]) {
  const how = trustOldStart ? ", also one that trusted an old start and then proved a young block" : "";
  test(`a client that slept takes no proof when it wakes${how}`, async (t) => {
    const sleep = clock(t, 0);
    const server = await serve();
    const made = begin(t, [server], { trustOldStart });
    await made.ready;
    const before = made.heads.length;
    sleep(PERIOD + 9);
    await assert.rejects(made.verify(fromHex(aged.answers[`duet_getStatelessProof [${second.number}]`])), FATAL);
    server.move(1);
    await until("the end", () => made.faults.length > 0);
    assert.deepEqual([made.faults[0].verdict, made.faults[0].rule], ["fatal", "LIGHT-9"]);
    assert.equal(made.heads.length, before);
  });
}

test("a list of handoffs is not taken if the client slept while it was fetched", async (t) => {
  const sleep = clock(t, 0);
  const nothingYet = (method, _params, honest) => (method === "duet_getFinalizedHead" ? { error: { code: 9001, message: "not yet" } } : honest);
  const atGenesis = begin(t, [await serve({ lie: nothingYet })]);
  await atGenesis.ready;
  const checkpoint = { ...(await atGenesis.checkpoint()), time: Math.floor(Date.now() / 1_000), trusting_period: PERIOD };
  const sleepy = (method, _params, honest) => {
    if (method === "duet_getStatelessSetProofs") sleep(PERIOD + 9);
    return honest;
  };
  const made = begin(t, [await serve({ lie: sleepy })], { checkpoint });
  await assert.rejects(made.ready, FATAL);
  assert.deepEqual(made.heads, []);
});

test("the time of the newest block is proven at the head, and of newer ones every ten seconds", async (t) => {
  const wait = clock(t, 0);
  const server = await serve();
  const made = begin(t, [server]);
  const status = await made.ready;
  assert.deepEqual([status.time, status.trustingPeriod], [stated(0, first), PERIOD]);
  server.move(1);
  await until("the next block", () => made.head.block === second.number);
  await aWhile();
  assert.equal(askedForTime(server), 1);
  assert.equal(made.head.time, stated(0, first));
  const told = [];
  made.on("time", (time) => told.push(time));
  wait(11);
  await until("another proof of time", () => told.length > 0);
  assert.deepEqual([told, made.head.time], [[{ block: second.number, time: stated(0, second) }], stated(0, second)]);
  assert.equal((await made.checkpoint()).time, Math.floor(stated(0, second) / 1_000));
  // A chain that halted costs nothing more.
  wait(11);
  await aWhile();
  assert.equal(askedForTime(server), 2);
});

test("the age of the newest block is told, also of one from the future", async (t) => {
  const made = begin(t, [await serve()], { worker: true, trustOldStart: true });
  assert.equal(made.age, undefined);
  await made.ready;
  assert.equal((await made.block()).headTime, stated(0, first));
  // Of two mocks of one test, Node leaves one behind.
  let now;
  t.mock.method(Date, "now", () => now);
  for (const age of [30, -70]) {
    now = stated(0, first) + 1_000 * age;
    assert.equal(made.age, age);
  }
});

/** The error of a read while the newest block is older than maxAge: of so many seconds, or a few more. */
const stale = (expected, least) => ({ verdict, culprit, nextStep, ...error }) => {
  assert.deepEqual([verdict, culprit, nextStep, error.expected], ["stale", "nobody", "go-on", expected]);
  if (least === undefined) assert.equal(error.got, undefined);
  else assert.ok(error.got >= least && error.got < least + 9, error.got);
  return true;
};

test("a read fails while the newest block is older than maxAge, and harms no connection", async (t) => {
  const wait = clock(t, 30);
  const servers = [await serve(), await serve()];
  const made = begin(t, servers, { maxAge: 40 });
  await made.ready;
  assert.equal((await made.block()).block, first.number);
  await assert.rejects(made.block(undefined, { maxAge: 29 }), stale("29", 30));
  wait(11);
  await assert.rejects(made.headers(first.number), stale("40", 41));
  assert.equal((await made.block(first.number, { maxAge: 49 })).block, first.number);
  assert.deepEqual([made.faults, servers.map(({ connections }) => connections)], [[], [1, 1]]);
});

test("a read with maxAge proves the time of a new block, once", { timeout: 20_000 }, async (t) => {
  let now = stated(0, first);
  t.mock.method(Date, "now", () => now);
  const server = await serve();
  const made = begin(t, [server]);
  await made.ready;
  server.move(1);
  await until("the next block", () => made.head.block === second.number);
  now = stated(0, second) + 1_000;
  // Only the time is read from the state here.
  const proven = () => server.asked.filter((method) => method === "state_getReadProof").length;
  await made.block(undefined, { maxAge: 99 });
  assert.equal(proven(), 1);
  await Promise.all([made.block(undefined, { maxAge: 1 }), made.block(undefined, { maxAge: 1 })]);
  assert.deepEqual([proven(), made.head.time], [2, stated(0, second)]);
  now += 1_000;
  await assert.rejects(made.block(undefined, { maxAge: 1 }), stale("1", 2));
  assert.equal(proven(), 2);
});

test("a block of unknown age is older than any maxAge", async (t) => {
  clock(t, 0);
  const server = await serve({ lie: pruned });
  const made = begin(t, [server], { maxAge: 1e9 });
  await made.ready;
  await assert.rejects(made.block(), stale("1000000000"));
  assert.deepEqual([made.faults, server.connections], [[], 1]);
});

test("maxAge is a number of seconds", async (t) => {
  const endpoints = ["ws://127.0.0.1:1"];
  for (const maxAge of [0, -1, "9", NaN, null]) assert.throws(() => client(t, [], { endpoints, maxAge }), /maxAge has to be/);
  const made = begin(t, [await serve()], { trustOldStart: true });
  await made.ready;
  await assert.rejects(made.block(undefined, { maxAge: 0 }), { verdict: "refused", message: /maxAge has to be/ });
});

test("where nobody names a trusting period, the client says so once", async (t) => {
  let now = Date.now();
  t.mock.method(Date, "now", () => now);
  for (const [given, named, verdicts] of [[undefined, undefined, ["no_period"]], [100, undefined, []], [undefined, 100, []]]) {
    const told = [];
    const status = { block: 1, mmrRoot: first.hash, time: now, trustingPeriod: named };
    const trust = { status: () => status, save: () => {}, call: (verifier) => verifier(), client: { proveDate: () => true, checkAge: () => {} } };
    const age = new Age(trust, { dateKeys: () => [] }, { trustingPeriod: given }, (name, value) => told.push([name, value]));
    for (; status.block < 3; status.block += 1) {
      await age.keep({ timeAsked: 0, proofsAt: async () => ({}) });
      now += 11_000;
    }
    const of = (wanted) => told.filter(([name]) => name === wanted).map(([, value]) => value);
    assert.deepEqual(of("time").map(({ block }) => block), [1, 2]);
    assert.deepEqual(of("fault").map(({ verdict, nextStep }) => [verdict, nextStep]), verdicts.map((verdict) => [verdict, "go-on"]));
  }
});

/** Serves the first head, and answers so whether a set signs. (HANDOFF-5, ACTIVE-3) */
const serveSaying = (answer) => serve({ lie: (method, params, honest) => (method === "state_call" && params[0] === "DuetApi_commitment_payload" ? answer : honest) });
const askedWhy = ({ asked }) => asked.filter((method) => method === "state_call").length;
/** The newest set of the recorded chain. */
const LATEST = 1n;
const QUICK = { ...TIMES, stallAfter: 300 };

test("an endpoint whose newest block is old is asked whether a set signs", async (t) => {
  clock(t, 70);
  const server = await serveSaying("0x00");
  const made = begin(t, [server], { ...start, times: { ...TIMES, stallAfter: 60_000 } });
  await until("the fault", () => made.faults.length > 0);
  const [{ verdict, culprit, nextStep, endpoint, set, message }] = made.faults;
  assert.deepEqual([verdict, culprit, nextStep, endpoint, set], ["silent", "nobody", "go-on", server.url, LATEST]);
  assert.match(message, new RegExp(`no set signs its newest block: set ${set}, trusted at block ${first.number}, has expired \\(HANDOFF-5\\)`));
});

test("where no proof comes, an endpoint is asked whether a set signs, and its word is told once for each block", async (t) => {
  clock(t, 20);
  const server = await serveSaying("0x00");
  const made = begin(t, [server], { ...start, times: QUICK });
  await made.ready;
  const since = performance.now();
  await until("the question to be asked again", () => askedWhy(server) === 2);
  assert.ok(performance.now() - since > 4 * QUICK.stallAfter);
  assert.equal(made.faults.length, 1);
  server.move(1);
  await until("the fault at the next block", () => made.faults.length === 2);
  assert.match(made.faults[1].message, new RegExp(`trusted at block ${second.number},`));
});

for (const answer of ["0x01", "0x", null, { error: { code: -32601, message: "Method not found" } }]) {
  test(`nothing is told of an endpoint that answers ${JSON.stringify(answer)} when asked whether a set signs`, async (t) => {
    clock(t, 20);
    const server = await serveSaying(answer);
    const made = begin(t, [server], { ...start, times: QUICK });
    await until("the question to be asked again", () => askedWhy(server) === 2);
    assert.deepEqual(made.faults, []);
  });
}

test("who cannot prove the time is asked at most every ten seconds, and nobody is asked for what another one proved", async (t) => {
  clock(t, 0);
  const lacking = await serve({ lie: pruned });
  await begin(t, [lacking]).ready;
  await aWhile();
  assert.equal(askedForTime(lacking), 1);
  let made;
  const late = await serve({ lie: (method, _params, honest) => (method === "chain_getBlockHash" && made.head === undefined ? SILENCE : honest) });
  made = begin(t, [late, await serve()]);
  await until("the second endpoint", () => late.asked.includes("duet_getFinalizedHead"));
  await aWhile();
  assert.equal(askedForTime(late), 0);
});

test("a time that is proven of a block which is no longer the newest is left, and nobody blamed", async (t) => {
  clock(t, 0);
  let made;
  const lie = aboutTime((honest) => {
    made.verify(fromHex(aged.answers[`duet_getStatelessProof [${second.number}]`]));
    return honest;
  });
  made = begin(t, [await serve({ lie })]);
  const { block, time } = await made.ready;
  assert.deepEqual([block, time, made.faults], [second.number, undefined, []]);
});

test("a trusting period is a number of seconds", (t) => {
  const endpoints = ["ws://127.0.0.1:1"];
  for (const trustingPeriod of [0, -1, 1.5, "9", null]) assert.throws(() => client(t, [], { endpoints, trustingPeriod }), /trustingPeriod has to be/);
});

test("the slot is read from headers of Aura and of BABE, whatever a node sends", () => {
  const slot = "0807060504030201";
  const babe = (rest) => `0x0642414245${rest}`;
  for (const [log, expected] of [
    [`0x066175726120${slot}`, 0x0102030405060708n],
    [babe(`340200000000${slot}`), 0x0102030405060708n],
    [babe(`b5010300000000${slot}${"00".repeat(96)}`), 0x0102030405060708n],
    [babe(`340200000000${slot.slice(2)}`), undefined],
    [`0x056175726120${slot}`, undefined],
    ["0x06", undefined],
    [7, undefined],
  ]) {
    assert.equal(slotOf({ digest: { logs: [log] } }), expected);
  }
  for (const header of [null, 7, {}, { digest: {} }, { digest: { logs: [] } }]) assert.equal(slotOf(header), undefined);
});
