// Measures calls of a runtime in Node and in Chromium, from the start of a client on:
// `node tools/bench-calls.mjs FILE...`. Each file is a recording by `light-client/examples/web_calls.rs` of a chain with
// this runtime. Build the page before, by `cargo xtask web --page`, and minify it.
//
// Milliseconds: the median of all rounds, and in brackets the fastest and the slowest. Each round has a new browser,
// so that nothing is kept from the last one.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, extname } from "node:path";
import puppeteer from "puppeteer-core";
import { create } from "../light-client/src/node.js";
import { Server } from "../light-client/test/support.mjs";

const ROUNDS = 5;
const PACKAGE = new URL("../dist/page/light-client/", import.meta.url);
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];

/** Times of one client, by name. Also runs in the page. */
async function measured(create, options) {
  const times = {};
  const start = performance.now();
  const client = create(options);
  await client.ready;
  times["until the first head is proven"] = performance.now() - start;
  const time = async (name, method, parameters) => {
    const before = performance.now();
    await client.call(method, parameters);
    times[name] = performance.now() - before;
  };
  await time("first call, of Metadata_metadata", "Metadata_metadata");
  times["from the start to its result"] = performance.now() - start;
  await time("Metadata_metadata again", "Metadata_metadata");
  const account = (last) => `0x${"11".repeat(31)}${last}`;
  await time("first call of AccountNonceApi_account_nonce", "AccountNonceApi_account_nonce", account("00"));
  await time("the same for another account", "AccountNonceApi_account_nonce", account("01"));
  await client.destroy();
  return times;
}

async function inChromium(url, options) {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    return await page.evaluate(`import("/src/browser.js").then(({ create }) => (${measured})(create, ${JSON.stringify(options)}))`);
  } finally {
    await browser.close();
  }
}

const pages = createServer(async ({ url }, answer) => {
  answer.setHeader("Content-Type", TYPES[extname(url)] ?? "text/html");
  answer.end(url === "/" ? "<!doctype html>" : await readFile(new URL(url.slice(1), PACKAGE)).catch(() => ""));
});
await new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve));
const page = `http://127.0.0.1:${pages.address().port}/`;

for (const file of process.argv.slice(2)) {
  const network = JSON.parse(readFileSync(file));
  const node = await Server.start({ network });
  const options = { genesisHash: network.genesis, endpoints: [node.url], trustOldStart: true };
  const runs = { Node: () => measured(create, options), Chromium: () => inChromium(page, options) };
  for (const [where, run] of Object.entries(runs)) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await run());
    console.log(`${basename(file)} in ${where}`);
    for (const name of Object.keys(rounds[0])) {
      const sorted = rounds.map((times) => times[name]).sort((one, other) => one - other);
      const [fastest, middle, slowest] = [sorted[0], sorted[ROUNDS >> 1], sorted.at(-1)].map((time) => time.toFixed(0));
      console.log(`${middle.padStart(6)} ms (${fastest}, ${slowest})  ${name}`);
    }
  }
  await node.stop();
}
pages.close();
