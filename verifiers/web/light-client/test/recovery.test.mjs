// RECOVER-7, RECOVER-8: a reset is crossed by a recovery proof, after a wait. On the recorded chain, set 0 signs up to
// block 6, and block 7 is a reset to set 9. The wait is 2 s after block 4, and 1 000 s after block 5; block 6 has no terms.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { fromHex } from "../src/text.js";
import { client, flip, recovering, Server, SILENCE, TIMES, until } from "./support.mjs";

const { genesis, heads, reset, proofs, began } = recovering;
/** Positions among the recorded heads. */
const [SHORT, LONG, WITHOUT_TERMS, BEHIND, NEWEST] = heads.keys();
const [RESET_SET, WAIT, PERIOD] = [9n, 1_000, 1_000_000];
const NEWS = ["announced", "disputed", "cancelled", "outdated", "contradicted", "recovered"];
/** Long enough for several looks at an endpoint. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 600));

const hexOf = (proof) => genesis.slice(2) + proof.slice(2);
const sumOf = (hex, kind = "proof") => createHash("sha256").update(`${kind}:${hex}`).digest("hex").slice(0, 8);
const textOf = (hex, kind = "proof") => `duet-recovery-${kind}:${hex}:${sumOf(hex, kind)}`;
const [shortProof, longProof, withoutTerms, otherProof] = proofs.map((proof) => textOf(hexOf(proof)));

const serve = (head, lie) => Server.start({ network: recovering, head, lie });
const about = (name, change) => (method, params, honest) => (method === name ? change(honest, params) : honest);

/** Sets the clock to some seconds after the first head; the returned function moves it on. */
function clock(t) {
  const real = Date.now;
  let ahead = began + 2_000 * heads[SHORT].number + 10_000 - real();
  t.mock.method(Date, "now", () => real() + ahead);
  return (seconds) => (ahead += 1_000 * seconds);
}

/** A client that begins at a head, and all that it tells of recoveries, in order. */
function begin(t, servers, from, options = {}) {
  const made = client(t, servers, { genesisHash: genesis, startHash: heads[from].hash, trustOldStart: false, ...options });
  made.news = [];
  for (const name of NEWS) made.on(name, (value) => made.news.push({ name, ...value }));
  made.told = (name) => until(name, () => made.news.some((one) => one.name === name)).then(() => made.news.find((one) => one.name === name));
  made.names = () => made.news.map(({ name }) => name);
  return made;
}

function memory() {
  const storage = { load: async () => storage.kept, save: async (bytes) => (storage.kept = bytes) };
  return storage;
}

/** A storage with the state of a client that waits for the long time. */
async function waiting(t) {
  const storage = memory();
  const made = begin(t, [await serve(BEHIND)], LONG, { storage, recoveryProof: longProof });
  await made.told("announced");
  await made.destroy();
  return storage;
}

const end = (made) => until("the end", () => made.faults.some(({ verdict }) => verdict === "fatal"));

/** The client ends with this rule, and crosses nothing. */
async function ends(made, rule, message = /./) {
  await assert.rejects(made.ready, { name: "DuetError", verdict: "fatal", rule, message });
  assert.ok(!made.names().includes("recovered"));
}

for (const mode of ["stateless", "full"]) {
  test(`a recovery is announced, waited for and crossed, and the new set is followed, ${mode}`, async (t) => {
    clock(t);
    const server = await serve(BEHIND);
    const made = begin(t, [server], SHORT, { mode, recoveryProof: shortProof });
    let headThen;
    made.on("recovered", () => (headThen = made.head.block));
    const announced = await made.told("announced");
    const since = performance.now();
    assert.deepEqual([announced.block, announced.ended, announced.resetBlock, announced.set, announced.validators, announced.contradicted], [4, 0n, 7, RESET_SET, 4, false]);
    assert.deepEqual([announced.hash, announced.resetHash], [heads[SHORT].hash, reset.hash]);
    assert.ok(announced.seconds >= 1 && announced.seconds <= 2);
    assert.equal((await made.ready).block, 4);
    const recovered = await made.told("recovered");
    assert.ok(performance.now() - since > 1_500);
    assert.deepEqual([recovered.from, recovered.block, recovered.hash, recovered.set], [4, 7, reset.hash, RESET_SET]);
    assert.equal(headThen, 7);
    await until("a proof of the new set", () => made.head.block === heads[BEHIND].number);
    assert.equal(made.head.set, RESET_SET);
    server.move(NEWEST);
    await until("the next block", () => made.head.block === heads[NEWEST].number);
    assert.deepEqual(made.names(), ["announced", "recovered"]);
    assert.deepEqual(made.faults, []);
  });
}

test("before the wait is over nothing is crossed, also with a proof as bytes", async (t) => {
  const wait = clock(t);
  const server = await serve(BEHIND);
  const storage = memory();
  const made = begin(t, [server], LONG, { storage, recoveryProof: fromHex(`0x${hexOf(proofs[LONG])}`) });
  const { seconds } = await made.told("announced");
  assert.ok(seconds > WAIT - 9 && seconds <= WAIT);
  wait(WAIT - 20);
  await aWhile();
  server.move(NEWEST);
  await aWhile();
  assert.deepEqual([made.head.block, made.names(), made.faults], [5, ["announced"], []]);
  await made.destroy();
  const again = begin(t, [server], LONG, { storage });
  assert.ok((await again.told("announced")).seconds <= 20);
  await aWhile();
  assert.deepEqual(again.names(), ["announced"]);
});

test("a stored wait goes on without the option, and is crossed when it is over", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  const made = begin(t, [await serve(BEHIND)], LONG, { storage });
  const recovered = await made.told("recovered");
  assert.deepEqual([recovered.from, recovered.block, recovered.time], [5, 7, began + 2_000 * 5]);
  await until("a proof of the new set", () => made.head.block === heads[BEHIND].number);
  await made.destroy();
  // The state behind the reset was stored.
  const again = begin(t, [await serve(NEWEST)], LONG, { storage });
  await until("the next block", () => again.head?.block === heads[NEWEST].number);
  assert.deepEqual(again.news, []);
});

test("a newer proof cancels the recovery for ever", async (t) => {
  const wait = clock(t);
  const server = await serve(LONG);
  const storage = memory();
  const made = begin(t, [server], LONG, { storage, recoveryProof: longProof });
  await made.told("announced");
  server.move(WITHOUT_TERMS);
  const cancelled = await made.told("cancelled");
  assert.deepEqual([cancelled.about, cancelled.block], [5, 6]);
  assert.equal(made.head.block, 6);
  await made.destroy();
  wait(2 * WAIT);
  const again = begin(t, [await serve(BEHIND)], LONG, { storage });
  await until("the reset to be told", () => again.faults.some(({ verdict }) => verdict === "reset"));
  assert.deepEqual(again.news, []);
});

test("right before the crossing every endpoint is asked for a newer proof", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  const made = begin(t, [await serve(BEHIND), await serve(WITHOUT_TERMS)], LONG, { storage });
  await made.told("cancelled");
  await aWhile();
  assert.deepEqual(made.names(), ["cancelled"]);
  assert.equal(made.head.block, 6);
});

test("nothing is crossed while no endpoint answers", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  let answer = SILENCE;
  const server = await serve(BEHIND, (_method, _params, honest) => answer ?? honest);
  const made = begin(t, [server], LONG, { storage, times: { requestTimeout: 200, stallAfter: 800 } });
  await aWhile();
  await aWhile();
  assert.deepEqual(made.news, []);
  answer = undefined;
  await made.told("recovered");
});

const otherReset = flip(recovering.answers["duet_getReset [0]"], 70);
for (const [name, claim, dispute] of [
  ["knows of no reset", null, /^knows of no reset$/],
  ["refuses to name a reset", { error: { code: -32000, message: "no" } }, /^knows of no reset$/],
  ["names another reset", otherReset, /^says that block 7 \(0x[0-9a-f]{64}\) ended set 0, and set 9 signs$/],
]) {
  test(`while an endpoint ${name}, nothing is crossed, and the endpoint is told`, async (t) => {
    const wait = clock(t);
    const storage = await waiting(t);
    wait(WAIT);
    let answer = claim;
    const other = await serve(LONG, about("duet_getReset", (honest) => (answer === undefined ? honest : answer)));
    const made = begin(t, [await serve(BEHIND), other], LONG, { storage });
    const { block, resetHash, disputes } = await made.told("disputed");
    assert.deepEqual([block, resetHash, disputes.length, disputes[0].endpoint], [5, reset.hash, 1, other.url]);
    assert.match(disputes[0].dispute, dispute);
    const asked = () => other.asked.filter((method) => method === "duet_getReset").length;
    const before = asked();
    await until("the endpoint to be asked again", () => asked() > before);
    await aWhile();
    assert.deepEqual([made.head.block, made.names(), made.faults], [5, ["disputed"], []]);
    answer = undefined;
    await made.told("recovered");
    assert.deepEqual(made.names(), ["disputed", "recovered"]);
  });
}

test("an endpoint that is away for a moment is asked again before the crossing, and its dispute counts", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  let refusals = 3;
  const away = (method, _params, honest) => {
    if (method === "chain_getBlockHash" && refusals-- > 0) return { error: { code: -32000, message: "busy" } };
    return method === "duet_getReset" ? null : honest;
  };
  const other = await serve(LONG, away);
  const made = begin(t, [await serve(BEHIND), other], LONG, { storage, times: { ...TIMES, requestTimeout: 15_000 } });
  assert.equal((await made.told("disputed")).disputes[0].endpoint, other.url);
  assert.deepEqual(made.names(), ["disputed"]);
});

test("a slow endpoint does not use up the time in which one that was away is asked again", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  let isBusy = true;
  const slow = await serve(BEHIND, async (method, _params, honest) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The last request of a pass.
    if (method === "duet_getReset") isBusy = false;
    return honest;
  });
  const busy = { error: { code: -32000, message: "busy" } };
  const other = await serve(LONG, (method, _params, honest) => (isBusy ? busy : method === "duet_getReset" ? null : honest));
  const made = begin(t, [slow, other], LONG, { storage, times: { ...TIMES, requestTimeout: 1_000 } });
  assert.equal((await made.told("disputed")).disputes[0].endpoint, other.url);
  assert.deepEqual(made.names(), ["disputed"]);
});

test("an endpoint that stays away does not keep the client from crossing, and one whose reset is none has lied", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  const liar = await serve(LONG, about("duet_getReset", () => "0x00"));
  const silent = await serve(LONG, () => SILENCE);
  const made = begin(t, [silent, liar, await serve(BEHIND)], LONG, { storage });
  await made.told("recovered");
  assert.deepEqual(made.names(), ["recovered"]);
  const { endpoint, rule } = made.faults.find(({ verdict }) => verdict === "lied");
  assert.deepEqual([endpoint, rule], [liar.url, "ENC-6"]);
});

test("an endpoint that lies when it is asked before the crossing is left, and its word counts for nothing", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(WAIT);
  const forged = about("duet_getStatelessProof", (proof) => flip(proof, 240));
  const liar = await serve(WITHOUT_TERMS, forged);
  const made = begin(t, [liar], LONG, { storage });
  await assert.rejects(made.ready, { verdict: "fatal" });
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict, made.news], [liar.url, "lied", []]);
});

test("when the clock stood before the announcement, the wait begins anew", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(-50);
  const made = begin(t, [await serve(BEHIND)], LONG, { storage, trustOldStart: true });
  assert.equal((await made.told("announced")).seconds, WAIT);
  await made.destroy();
  wait(WAIT - 50);
  const early = begin(t, [await serve(BEHIND)], LONG, { storage });
  assert.ok((await early.told("announced")).seconds <= 50);
  await early.destroy();
  wait(50);
  const before = storage.kept;
  await begin(t, [await serve(LONG)], LONG, { storage }).told("recovered");
  await until("the state behind the reset to be stored", () => storage.kept !== before);
});

test("by a clock a minute behind the newest block, nothing is announced or crossed", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  wait(-100);
  await ends(begin(t, [await serve(BEHIND)], LONG, { storage }), "RECOVER-7", /in the future/);
  await ends(begin(t, [await serve(LONG)], LONG, { recoveryProof: longProof }), "RECOVER-7", /in the future/);
});

test("two statements about one block contradict each other: both are evidence, and neither is crossed", async (t) => {
  const wait = clock(t);
  const storage = await waiting(t);
  const made = begin(t, [await serve(BEHIND)], LONG, { storage, recoveryProof: otherProof });
  const evidence = [proofs[1], proofs[3]].map(fromHex);
  await ends(made, "RECOVER-8", /two statements about block 5/);
  const { block, resetHash, seconds, contradicted, first, second } = await made.told("contradicted");
  assert.deepEqual([block, resetHash, contradicted, first, second], [5, reset.hash, true, ...evidence]);
  assert.ok(seconds > 0);
  const { culprit, ...fault } = made.faults.at(-1);
  assert.deepEqual([culprit, fault.first, fault.second], ["validators", ...evidence]);
  await made.destroy();
  wait(WAIT);
  const again = begin(t, [await serve(BEHIND)], LONG, { storage });
  await end(again);
  assert.deepEqual([again.faults.at(-1).rule, again.names()], ["RECOVER-8", ["contradicted"]]);
  // A newer proof counts more than both.
  const freed = begin(t, [await serve(WITHOUT_TERMS)], LONG, { storage });
  await freed.told("cancelled");
  assert.deepEqual(freed.names(), ["cancelled"]);
});

test("the proof of the newest block before the reset comes from endpoints that are behind it", async (t) => {
  clock(t);
  const made = begin(t, [await serve(BEHIND)], SHORT, { recoveryProof: longProof });
  assert.equal((await made.told("announced")).block, 5);
  assert.equal(made.head.block, 5);
  assert.deepEqual(made.faults, []);
});

test("where an endpoint has no proof of that block, another one is waited for", async (t) => {
  clock(t);
  const without = about("duet_getStatelessProof", (honest, [block]) => (block === 5 ? null : honest));
  const lacks = await serve(BEHIND, without);
  const made = begin(t, [lacks], SHORT, { recoveryProof: longProof });
  await until("the fault", () => made.faults.length > 0);
  const [fault] = made.faults;
  assert.deepEqual([fault.endpoint, fault.verdict, fault.rule, fault.message], [lacks.url, "incomplete", "RECOVER-7", "no proof of block 5, which the recovery proof is about"]);
  assert.deepEqual(made.news, []);
});

test("a recovery proof about an older block than the newest is not needed, and a reset is told again", async (t) => {
  clock(t);
  const made = begin(t, [await serve(BEHIND)], WITHOUT_TERMS, { recoveryProof: longProof });
  let isReady = false;
  made.ready.then(() => (isReady = true), () => {});
  const outdated = await made.told("outdated");
  assert.deepEqual([outdated.about, outdated.block], [5, 6]);
  await until("the reset to be told", () => made.faults.length > 0);
  assert.deepEqual([made.faults[0].verdict, made.faults[0].rule, isReady], ["reset", "LIGHT-8", false]);
});

test("terms are believed only with a proof, and another endpoint is asked", async (t) => {
  clock(t);
  const termsAsked = (params) => params[0].length === 1;
  const lie = about("state_getReadProof", (honest, params) => (termsAsked(params) ? { ...honest, proof: honest.proof.map((node) => flip(node, 40)) } : honest));
  const liar = await serve(BEHIND, lie);
  const made = begin(t, [liar], LONG, { recoveryProof: longProof });
  await assert.rejects(made.ready, { verdict: "fatal", rule: "STATE-2" });
  assert.deepEqual([made.faults[0].endpoint, made.faults[0].verdict, made.news], [liar.url, "lied", []]);
  const beside = begin(t, [await serve(BEHIND, lie), await serve(BEHIND)], LONG, { recoveryProof: longProof });
  await beside.told("announced");
});

const forgedProof = textOf(hexOf(flip(proofs[LONG], 250)));
const REFUSED = [
  ["a forged proof", LONG, forgedProof, "RECOVER-6"],
  ["a state without terms", WITHOUT_TERMS, withoutTerms, "RECOVER-4"],
  ["another block with that number", LONG, textOf(hexOf(flip(proofs[LONG], 12))), "RECOVER-7"],
];
for (const [name, from, recoveryProof, rule] of REFUSED) {
  test(`${name} ends the client with ${rule}, and blames no endpoint`, async (t) => {
    clock(t);
    const made = begin(t, [await serve(from)], from, { recoveryProof });
    await ends(made, rule);
    assert.notEqual(made.faults[0].culprit, "sender");
    assert.deepEqual(made.news, []);
  });
}

test("nothing is announced from a block beyond the trusting period, whatever the caller trusts", async (t) => {
  const wait = clock(t);
  wait(PERIOD);
  const made = begin(t, [await serve(BEHIND)], LONG, { recoveryProof: longProof, trustOldStart: true });
  await ends(made, "LIGHT-9", /a recovery starts from a block of known age/);
  const given = begin(t, [await serve(BEHIND)], LONG, { recoveryProof: longProof, trustOldStart: true, trustingPeriod: PERIOD + 1_000 });
  await ends(given, "LIGHT-9");
});

test("the caller's trusting period counts for an announcement and for a crossing", async (t) => {
  const wait = clock(t);
  const dated = memory();
  const first = begin(t, [await serve(LONG)], LONG, { storage: dated });
  await first.ready;
  await first.destroy();
  const made = begin(t, [await serve(BEHIND)], LONG, { storage: dated, recoveryProof: longProof, trustOldStart: true, trustingPeriod: 1 });
  await ends(made, "LIGHT-9", /the trusting period is 1 s; a recovery starts/);
  const storage = await waiting(t);
  wait(WAIT);
  const crossing = begin(t, [await serve(BEHIND)], LONG, { storage, trustOldStart: true, trustingPeriod: WAIT });
  await end(crossing);
  assert.deepEqual([crossing.faults.at(-1).rule, crossing.news], ["LIGHT-9", []]);
});

const hex = hexOf(proofs[LONG]);
const foreign = `${"11".repeat(32)}${proofs[LONG].slice(2)}`;
const DAMAGED = [
  ["another chain", textOf(foreign), /is of the chain with genesis 0x1111\w+, expected 0x/],
  ["another chain's bytes", fromHex(`0x${foreign}`), /is of the chain with genesis/],
  ["a changed digit", longProof.replace(/:./, (digit) => (digit === ":0" ? ":1" : ":0")), /is damaged/],
  ["a changed checksum", `${longProof.slice(0, -1)}${longProof.endsWith("0") ? 1 : 0}`, /is damaged/],
  ["a longer checksum", `${longProof}0`, /is damaged/],
  ["upper-case digits", textOf(hex.toUpperCase()), /is not in lower-case/],
  ["half a byte", textOf(hex.slice(1)), /is not in lower-case/],
  ["another kind", textOf(hex, "statement"), /of another kind/],
  ["no checksum", `duet-recovery-proof:${hex}`, /is not a text/],
  ["more after the checksum", `${longProof}:`, /is not a text/],
  ["no text of recovery", "0x00", /is not a text/],
  ["nothing", "", /is not a text/],
  ["no proof", textOf(genesis.slice(2)), /has no proof/],
  ["too much text", " ".repeat(17 << 20), /has \d+ characters/],
];
for (const [name, recoveryProof, message] of DAMAGED) {
  test(`a recovery proof with ${name} is refused before any endpoint is asked`, async (t) => {
    const server = await serve(BEHIND);
    const made = begin(t, [server], LONG, { recoveryProof });
    await assert.rejects(made.ready, { verdict: "refused", culprit: "caller", message });
    assert.deepEqual(server.asked, []);
  });
}

test("bytes that are no proof are refused by ENC-6, and a proof in white space is read", async (t) => {
  clock(t);
  const short = begin(t, [await serve(BEHIND)], LONG, { recoveryProof: textOf(hex.slice(0, -2)) });
  await assert.rejects(short.ready, { verdict: "fatal", rule: "ENC-6", culprit: "caller" });
  const long = begin(t, [await serve(BEHIND)], LONG, { recoveryProof: textOf(`${hex}00`) });
  await assert.rejects(long.ready, { rule: "ENC-6" });
  await begin(t, [await serve(BEHIND)], LONG, { recoveryProof: ` \n${longProof}\n` }).told("announced");
  const endpoints = ["ws://127.0.0.1:1"];
  for (const recoveryProof of [null, 7, {}]) assert.throws(() => client(t, [], { endpoints, recoveryProof }), /recoveryProof has to be/);
});

test("without a recovery proof a reset is told and not crossed, and no liar hides it", async (t) => {
  clock(t);
  const liar = await serve(LONG, about("duet_getFinalizedHead", () => "0x00"));
  const made = begin(t, [liar, await serve(BEHIND)], LONG, { times: { ...TIMES, readyWithin: 3_000 } });
  await assert.rejects(made.ready, ({ verdict, nextStep, checkpoint, message }) => {
    assert.deepEqual([verdict, nextStep, checkpoint.block_hash], ["reset", "new-checkpoint", reset.hash]);
    return message.includes(liar.url) && message.includes("LIGHT-8");
  });
  assert.deepEqual([made.faults.map(({ verdict }) => verdict).sort(), made.news], [["lied", "reset"], []]);
});

// RECOVER-8: the last proof before the reset, which is not the head any more.
for (const mode of ["stateless", "full"]) {
  const method = mode === "full" ? "duet_getLastJustification" : "duet_getLastStatelessProof";
  const of = (block) => recovering.answers[`${mode === "full" ? "duet_getJustification" : "duet_getStatelessProof"} [${block}]`];
  const knows = (block) => serve(BEHIND, about(method, (honest, [set]) => (set === 0 ? of(block) : null)));

  test(`behind a reset the last proof before it is asked for, ${mode}`, async (t) => {
    const wait = clock(t);
    const made = begin(t, [await knows(6)], SHORT, { mode });
    await until("the reset to be told", () => made.faults.length > 0);
    assert.equal(made.faults[0].rule, "LIGHT-8");
    assert.equal(made.head.block, 6);

    const late = begin(t, [await knows(6)], SHORT, { mode, recoveryProof: shortProof });
    const outdated = await late.told("outdated");
    assert.deepEqual([outdated.about, outdated.block], [4, 6]);

    const storage = memory();
    await begin(t, [await serve(BEHIND)], LONG, { mode, storage, recoveryProof: longProof }).told("announced");
    wait(2 * WAIT);
    const saved = begin(t, [await knows(6)], LONG, { mode, storage });
    await saved.told("cancelled");
    assert.deepEqual(saved.names(), ["cancelled"]);
  });

  test(`a last proof that another set signed is a lie, ${mode}`, async (t) => {
    clock(t);
    const made = begin(t, [await knows(heads[NEWEST].number)], SHORT, { mode });
    await until("the lie to be told", () => made.faults.length > 0);
    assert.equal(made.faults[0].verdict, "lied");
  });
}

// RECOVER-8: a proof by an ended set, of the block of the reset or a later one, would show that the recovery was false.
for (const mode of ["stateless", "full"]) {
  test(`behind a crossed reset the last proof by a set before it is asked for and checked, ${mode}`, async (t) => {
    const wait = clock(t);
    const storage = await waiting(t);
    wait(WAIT);
    const before = recovering.answers["duet_getStatelessProof [6]"];
    let last = null;
    const server = await serve(LONG, about("duet_getLastStatelessProof", (_honest, [set]) => (set === 0 ? last : null)));
    const made = begin(t, [server], LONG, { mode, storage });
    await made.told("recovered");
    last = before;
    await aWhile();
    assert.deepEqual([made.head.block, made.faults], [7, []]);
    assert.ok(server.asked.includes("duet_getLastStatelessProof"));
    // Its number is changed to 8.
    last = flip(before, 0, 6 ^ 8);
    await until("the lie to be told", () => made.faults.length > 0);
    assert.deepEqual([made.faults[0].verdict, made.faults[0].rule, made.head.block], ["lied", "JUST-5", 7]);
  });
}
