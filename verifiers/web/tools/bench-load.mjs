// Measures in Chromium what a page waits for and loads until it has the first verified head, beside smoldot:
// `DUET_NODE=PROGRAM node tools/bench-load.mjs [FOLDER]`. FOLDER is where another version of smoldot is unpacked. Build the
// page before, by `cargo xtask web --page`, and minify it.
//
// Both follow the same node, a development chain with one validator, from its genesis, without a stored state, until they
// have the block that the node had proven when the page was opened. A cold page is in a browser that was just started; a
// warm one in the same browser, after that one. Medians, and in brackets the fastest and the slowest.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg } from "node:os";
import { extname, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import puppeteer from "puppeteer-core";
import { executable, startNode } from "../../../testing/compat/javascript/support/node.mjs";
import { openSocket } from "../light-client/src/node-socket.js";
import { Connection } from "../light-client/src/rpc.js";

const ROUNDS = 7;
// The age of the chain in proven blocks before the first page.
const BLOCKS = 30;
const MOST = 1 << 24;
const DIST = new URL("../dist/page/light-client/", import.meta.url);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

const node = await startNode();
const connection = await Connection.open(node.url, openSocket, 10_000);
const ask = (method, ...params) => connection.ask(method, params, MOST);
const genesisHash = await ask("chain_getBlockHash", 0);
const raw = execFileSync(executable(), ["export-chain-spec", "--chain", "dev", "--raw"], { maxBuffer: 1 << 28, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
// With the state of the genesis: smoldot needs it, or a checkpoint.
const chainSpec = JSON.stringify({ ...JSON.parse(raw), bootNodes: await ask("system_localListenAddresses") });

const package_ = resolve(process.argv[2] ?? "node_modules/smoldot");
const { version } = JSON.parse(readFileSync(`${package_}/package.json`));
const entry = {
  contents: `
    import { start } from ${JSON.stringify(`${package_}/dist/mjs/index-browser.js`)};
    export async function until(least) {
      const chainSpec = await (await fetch("/chain.json")).text();
      const chain = await start({ maxLogLevel: 0, forbidWs: false }).addChain({ chainSpec });
      chain.sendJsonRpc('{"id":1,"jsonrpc":"2.0","method":"chain_subscribeFinalizedHeads","params":[]}');
      for (;;) {
        const { params } = JSON.parse(await chain.nextJsonRpcResponse());
        if (Number(params?.result.number ?? -1) >= least) return;
      }
    }`,
  resolveDir: process.cwd(),
};
const { outputFiles } = buildSync({ stdin: entry, bundle: true, minify: true, format: "esm", target: "es2022", write: false });
const duet = `
  import { create } from "/src/browser.js";
  export const until = (least) => new Promise((resolve) => {
    const client = create({ genesisHash: "${genesisHash}", endpoints: ["${node.url}"], trustOldStart: true });
    client.on("head", ({ block }) => block >= least && resolve());
  });`;

const page = (script) => `<!doctype html><link rel="icon" href="data:,"><script type="module">
  import { until } from "${script}";
  until(Number(location.hash.slice(1))).then(() => (window.took = performance.now()));
</script>`;
const none = "export const until = async () => {};";
const given = { "/none": page("/none.js"), "/none.js": none, "/duet": page("/duet.js"), "/smoldot": page("/smoldot.js"), "/duet.js": duet, "/smoldot.js": outputFiles[0].text, "/chain.json": chainSpec };
let sent = 0;
const server = createServer(({ url }, answer) => {
  const bytes = gzipSync(given[url] ?? readFileSync(new URL(url.slice(1), DIST)), { level: 9 });
  sent += bytes.length;
  const isPage = extname(url) === "";
  answer.writeHead(200, {
    "Content-Type": TYPES[extname(url)] ?? "text/html",
    "Content-Encoding": "gzip",
    "Cache-Control": isPage ? "no-store" : "max-age=3600",
  });
  answer.end(bytes);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

async function proven() {
  const hash = await ask("duet_getFinalizedHead").catch(() => undefined);
  return hash === undefined ? 0 : Number((await ask("chain_getHeader", hash)).number);
}

while ((await proven()) < BLOCKS) await new Promise((resolve) => setTimeout(resolve, 1_000));

async function visit(browser, name) {
  sent = 0;
  const opened = await browser.newPage();
  await opened.goto(`${origin}/${name}#${await proven()}`);
  await opened.waitForFunction(() => window.took !== undefined, { timeout: 120_000, polling: 100 });
  const bytes = sent;
  const time = await opened.evaluate(() => window.took);
  const memory = await privateMemory(browser);
  await opened.close();
  return { time, memory, bytes: bytes / 1024 };
}

/** MiB of the processes that show pages, without what they share with others. */
async function privateMemory(browser) {
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const ofPages = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => readFileSync(`/proc/${id}/smaps_rollup`, "utf8"));
  const sums = ofPages.flatMap((text) => [...text.matchAll(/^Private_\w+: +(\d+) kB$/gm)].map(([, amount]) => Number(amount)));
  return sums.reduce((sum, amount) => sum + amount, 0) / 1024;
}

const results = {};
const load = [loadavg()[0]];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of ["none", "duet", "smoldot"]) {
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
    for (const cache of ["cold", "warm"]) {
      for (const [what, value] of Object.entries(await visit(browser, name))) (results[`${name} ${cache} ${what}`] ??= []).push(value);
    }
    await browser.close();
  }
}
load.push(loadavg()[0]);

const told = (name, digits = 0) => {
  const sorted = [...results[name]].sort((one, other) => one - other);
  return `${sorted[sorted.length >> 1].toFixed(digits)} (${sorted[0].toFixed(digits)}, ${sorted.at(-1).toFixed(digits)})`;
};
console.log(`${ROUNDS} rounds, load of the machine ${load.map((value) => value.toFixed(1)).join(" before and ")} after`);
const specification = (gzipSync(chainSpec, { level: 9 }).length / 1024).toFixed(0);
console.log(`of what smoldot loads, ${specification} KiB are the chain's specification`);
console.log("| in a page | loads, KiB (gzip) | first verified head, cold, ms | warm, ms | memory, MiB |");
console.log("| --- | --: | --: | --: | --: |");
for (const [name, title] of [["none", "an empty page"], ["duet", "duet-light-client"], ["smoldot", `smoldot ${version}`]]) {
  console.log(`| ${title} | ${told(`${name} cold bytes`)} | ${told(`${name} cold time`)} | ${told(`${name} warm time`)} | ${told(`${name} warm memory`, 1)} |`);
}
connection.end(new Error("done"));
server.close();
await node.stop();
