// The page in Chromium, against a server that serves a recorded chain with a reset: how old the newest block is, and
// recovery. `light-client/test/recovery.test.mjs` describes the chain.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { recovering } from "../light-client/test/support.mjs";
import { launch, openPage } from "./page.mjs";

const { genesis, heads, reset, proofs } = recovering;
const [SHORT, LONG, WITHOUT_TERMS, BEHIND] = heads.keys();

let browser;
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

/** Opens the page; `give(proof)` chooses a file with a recovery proof. */
async function open(t, options) {
  const opened = await openPage(t, browser, options);
  const give = async (proof) => {
    const hex = genesis.slice(2) + proof.slice(2);
    const sum = createHash("sha256").update(`proof:${hex}`).digest("hex").slice(0, 8);
    const path = join(folder, "proof.txt");
    await writeFile(path, `duet-recovery-proof:${hex}:${sum}\n`);
    await (await opened.page.$("#recovery")).uploadFile(path);
  };
  return { ...opened, give };
}

for (const [age, mark, start, whole] of [
  [20, "good", "Less than ", /^Less than [34]0 s ago$/],
  [600, "bad", "Stale: 10 min ago", /The chain has halted/],
  [-600, "bad", "From the future: 9 min ahead", /clocks is wrong/],
]) {
  test(`a newest block of ${age} s is shown as ${start}`, async (t) => {
    const { shows } = await open(t, { from: LONG, age });
    assert.match(await shows("ago", mark, start), whole);
  });
}

test("the newest block is shown with its hash and age before a newer one is proven, also from what was kept", async (t) => {
  const { node, page, shows, text } = await open(t, { from: LONG, age: 20 });
  const begun = async () => {
    await shows("hash", "mono", heads[LONG].hash);
    await shows("ago", "good", "Less than ");
    assert.deepEqual([await text("block"), await text("set")], [String(heads[LONG].number), "0"]);
  };
  await begun();
  await node.stop();
  await page.reload();
  await begun();
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "kept.png") });
});

test("an endpoint that says that no set signs is shown below the age, until a newer block is proven", async (t) => {
  const lie = (method, _params, honest) => (method === "state_call" ? "0x00" : honest);
  const { node, shows, text } = await open(t, { from: LONG, age: 600, lie });
  const told = await shows("silent", "bad", `${node.url}: the endpoint says that no set signs its newest block: set 0, trusted at block 5, has expired`);
  assert.match(told, /Nothing proves it\.$/);
  node.move(WITHOUT_TERMS);
  await shows("block", "", "6");
  assert.equal(await text("silent"), "");
});

test("a recovery proof from a file is announced, waited for and crossed", async (t) => {
  const { give, shows, text } = await open(t, { from: SHORT, head: BEHIND, age: 10 });
  await shows("faults", "", "ws:");
  await give(proofs[SHORT]);
  await shows("recovery-state", "good", "Crossed from block 4 to block 7: set 9 signs.");
  const statement = await text("recovery-statement");
  for (const fact of [heads[SHORT].hash, `7, ${reset.hash}`, "9, 4 validators"]) assert.ok(statement.includes(fact), statement);
  await shows("block", "", String(heads[BEHIND].number));
});

test("a dispute of the reset is shown with the endpoint, until it ends", async (t) => {
  let isKnown = false;
  const lie = (method, _params, honest) => (method === "duet_getReset" && !isKnown ? null : honest);
  const { give, node, shows, text } = await open(t, { from: SHORT, age: 10, lie });
  await shows("block", "", "4");
  await give(proofs[SHORT]);
  const told = await shows("recovery-state", "bad", `Disputed: ${node.url} knows of no reset.`);
  assert.match(told, /crosses nothing while servers dispute the statement/);
  assert.ok((await text("recovery-statement")).includes(reset.hash));
  isKnown = true;
  await shows("recovery-state", "good", "Crossed from block 4 to block 7: set 9 signs.");
});

test("the wait is shown, also after the page was loaded again, until a newer block cancels it", async (t) => {
  const { give, node, page, shows } = await open(t, { from: LONG, age: 10 });
  await shows("block", "", "5");
  await give(proofs[LONG]);
  await shows("recovery-left", "", "This page crosses the reset in 16 min");
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "recovery.png"), fullPage: true });
  await page.reload();
  await shows("recovery-left", "", "This page crosses the reset in 16 min");
  node.move(WITHOUT_TERMS);
  await shows("recovery-state", "bad", "Cancelled: the statement is about block 5");
  assert.ok((await shows("recovery-statement", "", "Newest block")).includes(reset.hash));
  await shows("recovery-left", "", "");
});

test("two statements are shown with both proofs as evidence, also after the page was loaded again", async (t) => {
  const { give, page, shows, text } = await open(t, { from: LONG, head: BEHIND, age: 10 });
  await give(proofs[LONG]);
  await shows("recovery-state", "good", "Announced");
  await give(proofs.at(-1));
  for (const reload of [() => page.reload(), () => {}]) {
    await shows("recovery-state", "bad", "Contradicted: the recovery set signed two statements about block 5");
    const statement = await text("recovery-statement");
    for (const part of [reset.hash, proofs[LONG], proofs.at(-1)]) assert.ok(statement.includes(part));
    await reload();
  }
});

test("a damaged recovery proof is refused with the reason", async (t) => {
  const { give, shows } = await open(t, { from: LONG, age: 10 });
  await give(`${proofs[LONG].slice(0, -2)}`);
  await shows("recovery-state", "bad", "Stopped: ENC-6");
});
