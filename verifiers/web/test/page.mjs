// The page in Chromium, against a server that serves a recorded chain with a reset, with a clock of its own.
// `light-client/test/recovery.test.mjs` describes the chain.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import puppeteer from "puppeteer-core";
import { recovering, Server } from "../light-client/test/support.mjs";

const { genesis, heads, began } = recovering;
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm" };
const PAGE = new URL("../dist/page/", import.meta.url);
const STEP = 20_000;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];

export const launch = () => puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/**
 * Opens the page on the recorded chain, `age` seconds after the head `from`, at which it begins. `head` is that of the
 * node, `chains` what the page is given beside the chain, `prepare(page)` is called before it is loaded. `sleep(seconds)`
 * moves the clocks of the page and of its worker.
 */
export async function openPage(t, browser, { from, head = from, age = 10, lie, fields, chains = [], link = "", prepare, viewport }) {
  const node = await Server.start({ network: recovering, head, lie });
  const ahead = began + 2_000 * heads[from].number + 1_000 * age - Date.now();
  const own = { name: "A recording", genesisHash: genesis, startHash: heads[from].hash, endpoints: [node.url], ...fields };
  const network = chains.length > 0 ? [own, ...chains] : own;
  const server = createServer(async ({ url }, answer) => {
    const name = url === "/" ? "index.html" : url.slice(1);
    answer.setHeader("Content-Type", TYPES[extname(name)] ?? "application/json");
    if (name === "network.json") return answer.end(JSON.stringify(network));
    const bytes = await readFile(new URL(name, PAGE)).catch(() => "");
    const clock = /(main|worker-browser)\.js$/.test(name) ? `Date.now = ((now) => () => now() + ${ahead} + (self.slept ?? 0))(Date.now);\n` : "";
    return answer.end(Buffer.concat([Buffer.from(clock), Buffer.from(bytes)]));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const context = await browser.createBrowserContext();
  t.after(async () => {
    await context.close();
    server.close();
    await node.stop();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP);
  if (viewport) await page.setViewport(viewport);
  await prepare?.(page);
  await page.goto(`http://127.0.0.1:${server.address().port}/${link}`);
  const text = (id) => page.$eval(`#${id}`, (element) => element.innerText);
  /** The text of an element, once it has a class and a beginning. */
  const shows = async (id, mark, start) => {
    const holds = (id, mark, start) => [document.getElementById(id)].some(({ className, innerText }) => className === mark && innerText.startsWith(start));
    await page.waitForFunction(holds, { polling: 50 }, id, mark, start).catch(async () => assert.fail(`${start} is not ${await text(id)}`));
    return text(id);
  };
  const sleep = async (seconds) => {
    const move = (seconds) => (self.slept = (self.slept ?? 0) + 1_000 * seconds);
    await Promise.all([page, ...page.workers()].map((one) => one.evaluate(move, seconds)));
  };
  return { node, page, text, shows, sleep };
}
