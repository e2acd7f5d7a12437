// The page in Chromium, against two nodes of a local network that the demo starts.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { createInterface } from "node:readline";
import puppeteer from "puppeteer-core";
import { WebSocket, WebSocketServer } from "ws";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
// How long nodes may take to start on a busy machine, and each step of the page.
const START = 180_000;
const STEP = 60_000;

let demo;
let browser;
let page;
let url;
const errors = [];

before(async () => {
  demo = spawn(process.env.DUET_DEMO, ["--validators", "2"], { stdio: ["ignore", "pipe", "inherit"] });
  url = await addressOf(demo);
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
  const ended = new Promise((resolve) => demo.once("exit", resolve));
  demo.kill("SIGINT");
  await ended;
});

/** What the demo prints of its page. */
function addressOf(process) {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: process.stdout });
    lines.on("line", (line) => {
      const found = /in your browser: (http:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
    process.once("exit", (code) => reject(new Error(`the demo ended with ${code} before it named its page`)));
  });
}

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
const proofs = (least) => page.waitForFunction((count) => document.querySelectorAll("#proofs > li").length >= count, {}, least);

test("the page shows proofs as they come, with a cell for each validator", async () => {
  await proofs(3);
  assert.match(await text("signers"), /^\d+ of 2$/);
  assert.match(await text("time"), /^[\d.]+ ms$/);
  assert.match(await text("hash"), /^0x[0-9a-f]{64}$/);
  assert.equal(await page.$$eval("#proofs > li:first-child i", (cells) => cells.length), 2);
  console.log(`first head after ${await text("first")}, proof verified in ${await text("time")}`);
});

test("the balance of Alice is verified, with the way to it", async () => {
  await page.click("#account-form button");
  await page.waitForSelector("#account-answer .good");
  const answer = await text("account-answer");
  assert.match(answer, /^[\d\s.]+ tokens free/);
  assert.match(answer, /trie nodes/);
});

test("an older block is verified by a path in the Merkle mountain range", async () => {
  await page.click("#old-form button");
  await page.waitForSelector("#old-answer .good");
  assert.match(await text("old-answer"), /Block 1 is final[\s\S]*Merkle mountain range/);
});

test("an address that is none is an error, and not a value", async () => {
  await page.$eval("#account", (input) => (input.value = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQZ"));
  await page.click("#account-form button");
  await page.waitForSelector("#account-answer .bad");
  assert.match(await text("account-answer"), /SS58 address/);
});

test("a proof that was tampered with is refused, and its rule is shown", async () => {
  await page.click("#tamper");
  await page.waitForSelector("#tampered[data-rule]");
  assert.match(await text("tampered"), /refused by [A-Z]+-\d/);
});

test("the page works at the width of a phone, dark and light, and by the keyboard", async () => {
  await page.setViewport({ width: 360, height: 740 });
  for (const value of ["dark", "light"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), value);
  }
  await page.focus("#tamper");
  await page.keyboard.press("Space");
  assert.equal(await page.$eval("#tamper", (box) => box.checked), false);
});

test("a page that is loaded again continues from what was verified before", async () => {
  const before = Number(await text("block"));
  // What is trusted is written once a second.
  await proofs(5);
  await page.reload();
  await page.waitForFunction(() => document.getElementById("kept").innerText !== "");
  const kept = Number(/block (\d+)/.exec(await text("kept"))[1]);
  assert.ok(kept > 0 && kept >= before - 2, `${kept} after ${before}`);
  await proofs(1);
});

test("an endpoint that forges proofs is named with the rule and left, and the page goes on with the honest one", async (t) => {
  const { genesisHash, endpoints } = await (await fetch(`${url}network.json`)).json();
  const server = await forger(endpoints[0]);
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const lying = `ws://127.0.0.1:${server.address().port}`;
  await page.goto("about:blank");
  await page.goto(`${url}#genesis=${genesisHash}&endpoint=${lying}&endpoint=${endpoints[1]}`);
  await page.waitForSelector("#faults > li");
  const fault = await text("faults");
  assert.ok(fault.includes(lying) && fault.includes("lied") && fault.includes("JUST-5"), fault);
  await proofs(2);
  assert.equal((await text("faults")).includes(endpoints[1]), false);
});

test("nothing was fetched from elsewhere, and nothing failed", () => {
  assert.deepEqual(errors, []);
});
