// The page in Chromium, against a local network that the demo starts: three validators, and a fourth that joins while the page
// looks on. With four, one can be killed and the others go on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { WebSocket, WebSocketServer } from "ws";
import { startDemo } from "./demo.mjs";
import { proxy } from "./proxy.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
const VALIDATORS = 3;
const JOINED = VALIDATORS + 1;
// How long nodes may take to start on a busy machine, the set to change, and each step of the page.
const START = 180_000;
const CHANGE = 400_000;
const STEP = 60_000;

const VIEWPORTS = { desk: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } };

let network;
let browser;
let page;
let url;
/** The node that was killed, if one was. */
let killed;
const errors = [];

before(async () => {
  network = await startDemo(VALIDATORS);
  url = network.page;
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await puppeteer.launch({ executablePath, args: FLAGS });
  page = await browser.newPage();
  page.setDefaultTimeout(STEP);
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) errors.push(`fetched ${request.url()}`);
  });
  await page.goto(url);
}, { timeout: START });

after(async () => {
  await browser?.close();
  await network?.stop();
});

/** A proxy in front of a node that changes a byte of every proof. */
function forger(node) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (client) => {
    const upstream = new WebSocket(node);
    const proofs = new Set();
    const waiting = [];
    upstream.on("open", () => waiting.splice(0).forEach((text) => upstream.send(text)));
    client.on("message", (data) => {
      const { id, method } = JSON.parse(data);
      if (method === "duet_getStatelessProof") proofs.add(id);
      if (upstream.readyState === WebSocket.OPEN) upstream.send(String(data));
      else waiting.push(String(data));
    });
    upstream.on("message", (data) => {
      const answer = JSON.parse(data);
      // A digit of the block's root over older blocks.
      if (proofs.delete(answer.id)) answer.result = answer.result.replace(/^(.{80})(.)/, (_, head, digit) => head + (digit === "0" ? "1" : "0"));
      client.send(JSON.stringify(answer));
    });
    client.on("close", () => upstream.close());
  });
  return new Promise((resolve) => server.on("listening", () => resolve(server)));
}

const text = (id) => page.$eval(`#${id}`, (element) => element.innerText);
const PROOFS = "#proofs > li:not(.seam)";
const proofs = (least, options = {}) =>
  page.waitForFunction((selector, count) => document.querySelectorAll(selector).length >= count, options, PROOFS, least);
/** Waits until so many more proofs are shown. */
const more = async (count) => proofs((await page.$$(PROOFS)).length + count);

async function verifyAlice() {
  await page.click("#account-form button");
  await page.waitForSelector("#account-answer .good");
  const answer = await text("account-answer");
  assert.match(answer, /^[\d\s.]+ tokens free/);
  assert.match(answer, /trie nodes/);
}

test("the page shows proofs as they come, with a cell for each validator", async () => {
  assert.equal(network.nodes.length, VALIDATORS);
  await proofs(10);
  assert.match(await text("signers"), new RegExp(`^\\d+ of (${VALIDATORS}|${JOINED})$`));
  assert.match(await text("time"), /^[\d.]+ ms$/);
  assert.match(await text("hash"), /^0x[0-9a-f]{64}$/);
  const cells = await page.$$eval("#proofs > li:last-child i", (cells) => cells.length);
  assert.equal(cells, VALIDATORS);
  console.log(`first head after ${await text("first")}, proof verified in ${await text("time")}`);
});

test("the page names its chain, and marks a link that names another one", async () => {
  const { genesisHash } = await page.evaluate(() => fetch("network.json").then((answer) => answer.json()));
  assert.equal(await text("genesis"), genesisHash);
  assert.equal(await text("begins"), "the genesis");
  assert.equal(await text("network"), "The demo on this machine");
  const shown = async (link) => {
    const other = await browser.newPage();
    await other.goto(`${url}#${link}&endpoint=${network.nodes[0].url}`);
    await other.waitForFunction(() => document.getElementById("network").innerText !== "–");
    const seen = await other.$eval("#network", (line) => [line.className, line.innerText]);
    await other.close();
    return seen;
  };
  assert.deepEqual(await shown(`genesis=${genesisHash.toUpperCase().replace("0X", "0x")}`), ["good", "The demo on this machine"]);
  const strange = `0x${"ab".repeat(32)}`;
  const [chain, warning] = await shown(`genesis=${strange}`);
  assert.equal(chain, "bad");
  assert.match(warning, /^Not this page's network \(The demo on this machine\): the link names another chain/);
  const [start, begins] = await shown(`genesis=${genesisHash}&start=${strange}`);
  assert.equal(start, "bad");
  assert.match(begins, /another block to begin at/);
});

test("the balance of Alice is verified, with the way to it", verifyAlice);

test("an older block is verified by a path in the Merkle mountain range", async () => {
  await page.click("#old-form button");
  await page.waitForSelector("#old-answer .good");
  assert.match(await text("old-answer"), /Block 1 is final[\s\S]*Merkle mountain range/);
});

test("an address that is none is an error, and not a value", async () => {
  await page.$eval("#account", (input) => (input.value = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQZ"));
  await page.click("#account-form button");
  await page.waitForSelector("#account[aria-invalid]");
  assert.match(await text("account-mistake"), /^The checksum of this address is wrong/);
  assert.equal(await text("account-answer"), "");
});

test("a proof that was tampered with is refused, and its rule is shown", async () => {
  await page.click("#tamper");
  await page.waitForSelector("#tampered[data-rule]");
  assert.match(await text("tampered"), /refused by [A-Z]+-\d/);
});

test("the handoff to a set with one more validator is seen as it happens, and its proofs have one more cell", async () => {
  const seam = "#proofs > .seam";
  await page.waitForSelector(seam, { timeout: CHANGE });
  assert.match(await page.$eval(seam, (line) => line.innerText), /^Handoff: set 0 named set 1 in block \d+; set 1 signs from here on$/);
  const wanted = `1, ${JOINED} validators`;
  const signs = (wanted) => document.getElementById("set").innerText === wanted;
  await page.waitForFunction(signs, { timeout: CHANGE }, wanted);
  assert.match(await text("signers"), new RegExp(`^\\d of ${JOINED}$`));
  assert.equal(await page.$$eval(`${PROOFS}:first-child i`, (cells) => cells.length), JOINED);
  await more(1);
  assert.equal((await page.$$(seam)).length, 1);
});

test("one node is killed: the page names it, and goes on with the others", async () => {
  killed = network.nodes[1];
  process.kill(killed.process, "SIGKILL");
  await page.waitForFunction((url) => document.getElementById("faults").innerText.includes(url), {}, killed.url);
  assert.match(await text("faults"), /unreachable/);
  const before = Number(await text("block"));
  await more(3);
  assert.ok(Number(await text("block")) >= before + 3);
  assert.equal(await text("signers"), `${JOINED - 1} of ${JOINED}`);
  await page.$eval("#account", (input) => (input.value = input.defaultValue));
  await page.$eval("#account-answer", (answer) => answer.replaceChildren());
  await verifyAlice();
});

test("the page works at the width of a phone and of a desk, dark and light, and by the keyboard", async () => {
  for (const [device, viewport] of Object.entries(VIEWPORTS)) {
    await page.setViewport(viewport);
    for (const value of ["dark", "light"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${device}, ${value}`);
      const folder = process.env.SCREENSHOTS;
      if (folder) await page.screenshot({ path: join(folder, `${device}-${value}.png`), fullPage: true });
    }
  }
  await page.focus("#tamper");
  await page.keyboard.press("Space");
  assert.equal(await page.$eval("#tamper", (box) => box.checked), false);
});

test("a page that is loaded again continues from what was verified before", async () => {
  const before = Number(await text("block"));
  // What is trusted is written once a second.
  await more(2);
  await page.reload();
  await page.waitForFunction(() => document.getElementById("kept").innerText !== "");
  const kept = Number(/block (\d+)/.exec(await text("kept"))[1]);
  assert.ok(kept > 0 && kept >= before - 2, `${kept} after ${before}`);
  await proofs(1);
});

test("an endpoint that forges proofs is named with the rule and left, and the page goes on with the honest one", async (t) => {
  const { genesisHash, endpoints } = await (await fetch(`${url}network.json`)).json();
  const others = endpoints.filter((endpoint) => endpoint !== killed.url);
  const server = await forger(others[0]);
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const lying = `ws://127.0.0.1:${server.address().port}`;
  await page.goto("about:blank");
  await page.goto(`${url}#genesis=${genesisHash}&endpoint=${lying}&endpoint=${others[1]}`);
  await page.waitForSelector("#faults > li");
  const fault = await text("faults");
  assert.ok(fault.includes(lying) && fault.includes("lied") && fault.includes("JUST-5"), fault);
  await proofs(2);
  assert.equal((await text("faults")).includes(others[1]), false);
});

test("a page that is given the hash of a block begins there, and at no other", async (t) => {
  const { genesisHash } = await (await fetch(`${url}network.json`)).json();
  const endpoint = network.nodes.find((node) => node !== killed).url;
  const hash = await text("hash");
  // Nothing is kept in it.
  const context = await browser.createBrowserContext();
  t.after(() => context.close());
  const fresh = await context.newPage();
  fresh.setDefaultTimeout(STEP);
  const begin = async (start) => {
    await fresh.goto("about:blank");
    await fresh.goto(`${url}#genesis=${genesisHash}&start=${start}&endpoint=${endpoint}`);
  };
  await begin(`0x${"11".repeat(32)}`);
  await fresh.waitForFunction(() => document.getElementById("faults").innerText.includes("0x1111"));
  assert.equal(await fresh.$(PROOFS), null);
  await begin(hash);
  await fresh.waitForSelector(PROOFS);
});

test("a page whose genesis is said to be too old stops with the reason, and continues on its user's word", async (t) => {
  const { genesisHash } = await (await fetch(`${url}network.json`)).json();
  const isTime = ({ method, params }) => method === "state_getStorage" && params[0].startsWith("0xf0c365c3");
  const change = (request, answer) => (isTime(request) ? { ...answer, result: "0x0000000000000000" } : answer);
  const endpoint = await proxy(t, network.nodes.find((node) => node !== killed).url, { change });
  const context = await browser.createBrowserContext();
  t.after(() => context.close());
  const fresh = await context.newPage();
  fresh.setDefaultTimeout(STEP);
  await fresh.goto(`${url}#genesis=${genesisHash}&endpoint=${endpoint}`);
  await fresh.waitForSelector("#too-old:not([hidden])");
  assert.match(await fresh.$eval("#age", (line) => line.innerText), /^The newest block that this browser trusts is \d+ s old, and the trusting period is \d+ s/);
  assert.equal(await fresh.$(PROOFS), null);
  await fresh.click("#continue");
  await fresh.waitForSelector(PROOFS);
  assert.equal(await fresh.$("#too-old:not([hidden])"), null);
});

test("nothing was fetched from elsewhere, and nothing failed", () => {
  // The browser itself complains of the node that is gone.
  assert.deepEqual(errors.filter((error) => !error.includes(`'${killed.url}`)), []);
});
