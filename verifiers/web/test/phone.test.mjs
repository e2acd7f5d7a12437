// The page as people use it: on a phone and at a desk, dark and light, by keyboard and by screen reader, with mistyped
// input, without a network, in the background. With `SCREENSHOTS` set to a folder, each state is saved there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { recovering } from "../light-client/test/support.mjs";
import { launch, openPage } from "./page.mjs";

const { heads, reset } = recovering;
const [SHORT, LONG, WITHOUT_TERMS, BEHIND] = heads.keys();
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };
const HOUR = 3_600;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** The chain has no accounts: the root of its state alone proves that. */
function withoutAccounts(method, [keys, at], honest) {
  if (method !== "state_getReadProof" || !honest.error) return honest;
  return { at, proof: recovering.answers[`state_getReadProof ${JSON.stringify([recovering.keys, at])}`].proof.slice(0, 1) };
}

const open = (t, options) => openPage(t, browser, { from: LONG, viewport: PHONE, lie: withoutAccounts, ...options });

/** What axe-core finds wrong with the page as it stands, and what is too wide. */
async function faults(page) {
  const run = () => window.axe.run(document, { rules: { "target-size": { enabled: true } } });
  // The page's own policy admits no foreign script, and the tool is none of the page's.
  const { violations } = await page.evaluate(`${AXE}; (${run})()`);
  const named = violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`));
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return isWide ? [...named, "wider than the window"] : named;
}

const ALL = [[PHONE, "dark"], [PHONE, "light"], [DESK, "dark"], [DESK, "light"]];

/** The page has no fault in this state; the colours of a message are those of every other, so one look is enough. */
async function isAccessible(page, state, looks = ALL.slice(0, 1)) {
  const folder = process.env.SCREENSHOTS;
  for (const [viewport, value] of folder ? ALL : looks) {
    await page.setViewport(viewport);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    const where = `${state}-${viewport.width}-${value}`;
    assert.deepEqual(await faults(page), [], where);
    if (folder) await page.screenshot({ path: join(folder, `${where}.png`), fullPage: true });
  }
  await page.setViewport(PHONE);
}

/** What the browser tells a page in the background. */
function hide(hidden) {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

const field = (page, name) => page.$eval(`#${name}`, (input) => [input.getAttribute("aria-invalid"), document.activeElement === input, document.getElementById(input.getAttribute("aria-describedby")).innerText]);

async function type(page, name, text) {
  await page.$eval(`#${name}`, (input) => (input.value = ""));
  await page.type(`#${name}`, text);
  await page.keyboard.press("Enter");
}

test("the page follows the chain, and has no fault for people with other eyes and hands", async (t) => {
  const { node, page, shows } = await open(t);
  await shows("ago", "good", "Less than ");
  node.move(WITHOUT_TERMS);
  await page.waitForSelector("#proofs > li");
  await type(page, "account", "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY");
  await page.waitForSelector("#account-answer .amount");
  await isAccessible(page, "healthy", ALL);
});

test("all that the mouse does is done by keyboard, in the order of the page, and the focus is seen", async (t) => {
  const { page, shows } = await open(t);
  await shows("ago", "good", "Less than ");
  const order = [];
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press("Tab");
    const [name, outline, top] = await page.evaluate(() => {
      const { activeElement: at } = document;
      const style = getComputedStyle(at);
      return [at.id || at.className || at.innerText, at === document.body ? "" : `${style.outlineStyle} ${style.outlineWidth}`, at.getBoundingClientRect().top + scrollY];
    });
    if (outline === "") break;
    assert.equal(outline, "solid 3px", `the focus on ${name} is not seen`);
    order.push([name, top]);
  }
  assert.deepEqual(order.map(([name]) => name), ["skip", "tamper", "proofs", "account", "Verify", "old", "Verify", "recovery", "export", "forget"]);
  const tops = order.map(([, top]) => Math.round(top));
  assert.deepEqual(tops, [...tops].sort((one, other) => one - other));
  await page.focus("#old");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("old-answer").innerText !== "");
  await page.focus("#export");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#checkpoint:not([hidden])");
  await page.focus("#tamper");
  await page.keyboard.press("Space");
  assert.equal(await page.$eval("#tamper", (box) => box.checked), true);
});

test("what is typed wrong is marked and named at its field, which keeps the focus", async (t) => {
  const { page, shows } = await open(t, { fields: { ss58Prefix: 0 } });
  await shows("ago", "good", "Less than ");
  const good = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
  for (const [name, typed, told] of [
    ["account", "", "No address was typed."],
    ["account", `0${good.slice(1)}`, "Character 1, “0”, stands in no address."],
    ["account", good.slice(0, 40), "An address has 46 to 50 characters, and this one 40."],
    ["account", `${good.slice(0, -1)}Z`, "The checksum of this address is wrong"],
    ["account", `0x${"1".repeat(63)}g`, "Character 66, “g”, is no hexadecimal digit."],
    ["account", `0x${"1".repeat(63)}`, "There are 63 hexadecimal digits after 0x instead of 64."],
    ["old", "1e3", "A block has a number"],
    ["old", "99", "block 99 is not proven yet: the newest proven block is 5"],
  ]) {
    await type(page, name, typed);
    await shows(`${name}-mistake`, "bad", told);
    const [invalid, focused] = await field(page, name);
    assert.deepEqual([invalid, focused], ["true", true], typed);
    assert.equal(await page.$eval(`#${name}-mistake`, (line) => line.getAttribute("role")), "alert");
  }
  await isAccessible(page, "mistyped", ALL);
  await type(page, "account", good);
  await page.waitForSelector("#account-answer .amount");
  assert.deepEqual((await field(page, "account")).slice(0, 1), [null]);
  await shows("account-answer", "", "This address is written as on another network.");
});

test("without a network the page says so, shows what it has, and goes on with the network", async (t) => {
  const { node, page, shows, text } = await open(t);
  await shows("ago", "good", "Less than ");
  const workers = page.workers().length;
  assert.equal(workers, 1);
  await page.setOfflineMode(true);
  await shows("down", "bad", "This device is offline.");
  assert.equal(await text("block"), "5");
  await isAccessible(page, "offline");
  node.move(WITHOUT_TERMS, { push: false });
  for (const socket of node.sockets) socket.terminate();
  const { opened } = node;
  // Then the next try is seconds away.
  await page.waitForFunction(() => document.getElementById("faults").innerText.includes("(4 times)"));
  assert.equal(node.opened, opened);
  await page.setOfflineMode(false);
  const since = performance.now();
  await shows("block", "", "6");
  assert.ok(performance.now() - since < 1_500, `${performance.now() - since} ms`);
  assert.equal(await text("down"), "");
});

test("where no endpoint answers, the page says that it goes on by itself, and does", async (t) => {
  const { node, page, shows, text } = await open(t);
  await shows("ago", "good", "Less than ");
  await node.stop();
  await shows("down", "bad", "No endpoint answers as it should.");
  assert.match(await text("faults"), /unreachable/);
  await isAccessible(page, "down");
  await node.start();
  node.move(WITHOUT_TERMS, { push: false });
  await shows("block", "", "6");
  assert.equal(await text("down"), "");
});

test("a chain that halted, and one that was reset, are named at the top", async (t) => {
  const halted = await open(t, { age: 600 });
  await halted.shows("ago", "bad", "Stale: 10 min ago");
  await isAccessible(halted.page, "halted");
  const after = await open(t, { from: SHORT, head: BEHIND });
  const told = await after.shows("silent", "bad", `${after.node.url} says that the chain was reset at block ${reset.number ?? 7}`);
  assert.ok(told.includes(reset.hash));
  await isAccessible(after.page, "reset");
});

test("a tab that comes back after an hour shows the age at once, connects anew, and follows", async (t) => {
  const { node, page, shows, sleep, text } = await open(t);
  await shows("ago", "good", "Less than ");
  await shows("state", "", "Verified up to the head");
  const session = await page.createCDPSession();
  await page.evaluate(hide, true);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  // What became of the connection meanwhile: nobody answers on it, and nobody says so.
  for (const socket of node.sockets) socket.send = () => {};
  node.move(WITHOUT_TERMS);
  const { opened } = node;
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await sleep(HOUR);
  assert.match(await text("ago"), /^Less than/);
  const since = performance.now();
  await page.evaluate(hide, false);
  assert.match(await text("ago"), /^Stale: 60 min ago/);
  await shows("block", "", "6");
  const took = performance.now() - since;
  assert.ok(took < 5_000 && node.opened > opened, `${took} ms, ${node.opened} connections`);
});

test("between two proofs nothing is sent, and the page wakes rarely; in the background it never does", async (t) => {
  const count = () => {
    self.woken = 0;
    for (const name of ["setTimeout", "setInterval", "requestAnimationFrame"]) {
      const own = self[name].bind(self);
      self[name] = (then, ...rest) => own((...given) => {
        self.woken += 1;
        then(...given);
      }, ...rest);
    }
  };
  const { node, page, shows } = await open(t, { prepare: (page) => page.evaluateOnNewDocument(count) });
  await shows("state", "", "Verified up to the head");
  node.move(WITHOUT_TERMS);
  await shows("block", "", "6");
  await new Promise((resolve) => setTimeout(resolve, 500));
  const during = async (time) => {
    const before = [await page.evaluate(() => self.woken), node.asked.length];
    await new Promise((resolve) => setTimeout(resolve, time));
    return [(await page.evaluate(() => self.woken)) - before[0], node.asked.length - before[1]];
  };
  const [woken, asked] = await during(6_000);
  assert.ok(woken <= 1, `${woken} timers in 6 s`);
  assert.equal(asked, 0);
  await page.evaluate(hide, true);
  assert.deepEqual(await during(3_000), [0, 0]);
});

test("of several chains one is chosen, and a list with a mistake is refused by its field", async (t) => {
  const other = { name: "Another", genesisHash: `0x${"ab".repeat(32)}`, endpoints: ["ws://127.0.0.1:9"] };
  const { page, shows, text } = await open(t, { chains: [other] });
  await shows("network", "good", "A recording");
  await isAccessible(page, "chains");
  await page.select("#chain", "Another");
  await page.waitForFunction((hash) => document.getElementById("genesis")?.innerText === hash, {}, other.genesisHash);
  assert.equal(await text("network"), "Another");
  const wrong = await open(t, { chains: [{ ...other, endpoints: [] }] });
  await wrong.shows("state", "", "network.json: chains[1].endpoints has to be");
});
