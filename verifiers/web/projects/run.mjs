// Installs the packed packages into empty projects, as a stranger would, and builds and runs each: `node run.mjs [NAME...]`.
// Each has to see a balance and the result of a call, verified. The networks are recordings of real ones, which a server on
// loopback replays. Needs the built package in `../dist/light-client`.
//
// The bundlers are installed in a folder above all projects, so that each is downloaded once.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import puppeteer from "puppeteer-core";
import { calling, recording, Server } from "../light-client/test/support.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const WEB = join(HERE, "..");
const CHROMIUM = { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
// For a build or a page on a busy machine.
const STEP = 120_000;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
/** What our documentation asks of a page with a content policy. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' ws:";
const MODULES = ["duet_light_wasm_bg.wasm", "duet_calls_wasm_bg.wasm"];
/** The entry points that esbuild has to be told. */
const WORKERS = ["worker-browser", "calls-browser"].map((name) => `node_modules/duet-light-client/src/${name}.js`);

const balances = await Server.start({ head: 2 });
const calls = await Server.start({ network: calling });
const hex = (text) => `0x${Buffer.from(text).toString("hex")}`;
const NETWORKS = {
  balance: { genesisHash: recording.genesis, endpoint: balances.url, address: "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY" },
  call: { genesisHash: calling.genesis, endpoint: calls.url, method: "Test_read", parameters: hex("short") },
};
// An `Option` of bytes in SCALE.
const RESULT = [1, 4 * 19, ...Buffer.from("a value in its node")];

const root = mkdtempSync(join(tmpdir(), "duet-projects-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));

/** The projects, by name: each runs in its folder, and returns what it saw. */
const PROJECTS = {
  "node-esm": { title: "Node, ESM", run: (at) => printed(at, process.execPath, "main.js") },
  "node-commonjs": { title: "Node, CommonJS", manifest: { type: "commonjs" }, run: (at) => printed(at, process.execPath, "main.js") },
  typescript: {
    title: "TypeScript, strict: `bundler`, `node16`, `nodenext`",
    async run(at) {
      const seen = [];
      for (const resolution of ["bundler", "node16", "nodenext"]) {
        run(at, tool("tsc"), "--project", `tsconfig.${resolution}.json`);
        seen.push(await printed(at, process.execPath, `${resolution}/main.js`));
      }
      return seen.at(-1);
    },
  },
  vite: {
    title: "Vite, built",
    async run(at) {
      run(at, tool("vite"), "build");
      return inPage(files(join(at, "dist")));
    },
  },
  "vite-dev": {
    title: "Vite, development server (`optimizeDeps.exclude`)",
    run: (at) => served(at, tool("vite"), ["--host", "127.0.0.1", "--port", "0", "--strictPort"], /http:\/\/127\.0\.0\.1:\d+/, inPage),
  },
  webpack: {
    title: "webpack",
    async run(at) {
      run(at, tool("webpack"), "--mode", "production");
      cpSync(join(at, "index.html"), join(at, "dist/index.html"));
      return inPage(files(join(at, "dist")));
    },
  },
  esbuild: {
    title: "esbuild",
    async run(at) {
      bundle(at, "show.js");
      cpSync(join(at, "index.html"), join(at, "dist/index.html"));
      return inPage(files(join(at, "dist")));
    },
  },
  next: {
    title: "Next.js, app router (its own scripts included)",
    async run(at) {
      cpSync(join(WEB, "light-client/examples/balance.jsx"), join(at, "balance.jsx"));
      run(at, tool("next"), "build");
      return served(at, tool("next"), ["start", "--hostname", "127.0.0.1", "--port", String(await freePort())], /http:\/\/127\.0\.0\.1:\d+/, async (origin) => {
        const seen = await inPage(origin);
        const { free } = seen.balance;
        await onPage(`${origin}/react`, async (page) => {
          await page.waitForFunction((text) => document.querySelector("output")?.innerText.startsWith(text), {}, `${free} in block `);
        });
        return seen;
      });
    },
  },
  extension: {
    title: "Extension, Manifest V3, built with esbuild",
    async run(at) {
      bundle(at, "background.js", "offscreen.js");
      for (const name of ["manifest.json", "offscreen.html"]) cpSync(join(at, name), join(at, "dist", name));
      const folder = join(at, "dist");
      const seen = await inExtension(folder);
      const loaded = (names) => sum(names.map((name) => readFileSync(join(folder, name))));
      seen.balance.size = loaded(["js/background.js", `wasm/${MODULES[0]}`]);
      seen.call.size = loaded(["js/offscreen.js", "js/worker-browser.js", "js/calls-browser.js", `wasm/${MODULES[1]}`]);
      return seen;
    },
  },
  deno: { title: "Deno", run: (at) => printed(at, tool("deno"), "run", "--no-prompt", "--allow-read", "--allow-net=127.0.0.1", "main.js") },
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in PROJECTS));
if (unknown) throw new Error(`no project ${unknown}: there are ${Object.keys(PROJECTS).join(", ")}`);
const packed = pack();
for (const name of ["package.json", "package-lock.json"]) cpSync(join(HERE, name), join(root, name));
run(root, "npm", "ci", "--no-audit", "--no-fund");

const rows = [];
const failed = [];
for (const [name, project] of Object.entries(PROJECTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  try {
    const seen = await project.run(create(name, project));
    assert.match(seen.balance.free, /^999\d{15}$/);
    assert.deepEqual(seen.call.result, RESULT);
    rows.push(`| ${project.title} | ${seen.balance.ms} | ${size(seen.balance)} | ${seen.call.ms} | ${size(seen.call)} |`);
    console.log(rows.at(-1));
  } catch (error) {
    failed.push(name);
    console.error(`${name}: ${error.stack}\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  }
}
await Promise.all([balances.stop(), calls.stop()]);
console.log(["", "| project | balance after, ms | loaded for it, KiB (gzip) | call after, ms | loaded for it, KiB (gzip) |", "| --- | --- | --- | --- | --- |", ...rows].join("\n"));
if (failed.length > 0) throw new Error(`failed: ${failed.join(", ")}`);
process.exit();

/** Packs all packages; their archives. */
function pack() {
  const folders = ["dist/light-client", "provider", "types"].map((folder) => join(WEB, folder));
  const out = run(root, "npm", "pack", "--json", ...folders);
  return JSON.parse(out).map(({ name, filename, size: bytes, unpackedSize }) => {
    console.log(`${name}: ${kib(unpackedSize)} KiB, packed ${kib(bytes)}`);
    return join(root, filename);
  });
}

/** An empty project with our packages, and its files. */
function create(name, { manifest = { type: "module" } }) {
  const at = join(root, name);
  mkdirSync(at);
  writeFileSync(join(at, "package.json"), JSON.stringify({ private: true, ...manifest }));
  run(at, "npm", "install", "--offline", "--no-audit", "--no-fund", ...packed);
  cpSync(join(HERE, name), at, { recursive: true });
  for (const script of ["look.js", "show.js"]) cpSync(join(HERE, script), join(at, script));
  return at;
}

function tool(name) {
  return join(root, "node_modules/.bin", name);
}

function run(cwd, program, ...parameters) {
  return execFileSync(program, parameters, { cwd, encoding: "utf8", timeout: 5 * STEP, stdio: "pipe", env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" } });
}

/** What a program prints, which has to be what it saw. Our servers are in this process, so it must not wait. */
function printed(cwd, program, ...parameters) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...parameters, JSON.stringify(NETWORKS)], { cwd, timeout: STEP });
    let [out, errors] = ["", ""];
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (errors += data));
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`ended with ${code}: ${out}${errors}`))));
  });
}

/** Bundles these scripts and those of the workers with esbuild, and puts the modules beside them. */
function bundle(at, ...scripts) {
  const options = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--entry-names=[name]", "--outdir=dist/js"];
  run(at, tool("esbuild"), ...scripts, ...WORKERS, ...options);
  for (const name of MODULES) cpSync(join(at, "node_modules/duet-light-client/wasm", name), join(at, "dist/wasm", name));
}

/** Starts a server that prints its address; what `use(address)` returns. */
async function served(cwd, program, parameters, address, use) {
  const child = spawn(program, parameters, { cwd, stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }, detached: true });
  try {
    let out = "";
    const origin = await new Promise((resolve, reject) => {
      child.stdout.on("data", (data) => {
        out += data;
        const found = address.exec(out);
        if (found) resolve(found[0]);
      });
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${out}`)));
    });
    return await use(origin);
  } finally {
    // It may have started others.
    process.kill(-child.pid, "SIGKILL");
  }
}

/** Serves a folder with the content policy; a function that answers. */
function files(folder) {
  return ({ url }, answer) => {
    const path = new URL(url, "http://x").pathname.replace(/\/$/, "/index.html");
    try {
      const bytes = readFileSync(join(folder, path));
      answer.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": POLICY }).end(bytes);
      return Promise.resolve(bytes);
    } catch {
      answer.writeHead(404).end();
      return Promise.resolve(Buffer.alloc(0));
    }
  };
}

/** Hands requests on to a server. */
function handedOn(origin) {
  return ({ url, headers }, answer) =>
    new Promise((resolve, reject) => {
      const ask = request(new URL(url, origin), { headers: { ...headers, host: new URL(origin).host, "accept-encoding": "identity" } }, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => {
          const bytes = Buffer.concat(parts);
          answer.writeHead(response.statusCode, response.headers).end(bytes);
          resolve(bytes);
        });
      });
      ask.once("error", reject);
      ask.end();
    });
}

/** What a page sees that is served from a folder or by a server, with the sizes of what it loads. */
async function inPage(source) {
  const answered = typeof source === "string" ? handedOn(source) : source;
  const loaded = { balance: new Map(), call: new Map() };
  // Only the call asks this server. Its client loads again what the balance needed, which is not counted twice.
  const before = calls.asked.length;
  const server = createServer(async (asked, answer) => {
    const isFirst = calls.asked.length === before || loaded.balance.has(asked.url);
    loaded[isFirst ? "balance" : "call"].set(asked.url, await answered(asked, answer).catch(() => Buffer.alloc(0)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await onPage(`http://127.0.0.1:${server.address().port}/`, async (page) => {
      const shown = await page.waitForSelector("#seen");
      const text = await shown.evaluate((element) => element.innerText);
      if (!text.startsWith("{")) throw new Error(text);
      const seen = JSON.parse(text);
      for (const what of ["balance", "call"]) seen[what].size = sum([...loaded[what].values()]);
      return seen;
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Opens a page in a new browser; what `use(page)` returns. What the page reports is told when it fails. */
async function onPage(url, use) {
  const browser = await puppeteer.launch({ ...CHROMIUM, args: FLAGS });
  const said = [];
  let page;
  try {
    page = await browser.newPage();
    page.setDefaultTimeout(STEP);
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    page.on("requestfailed", (failure) => said.push(`${failure.url()}: ${failure.failure()?.errorText}`));
    await page.goto(`${url}#${encodeURIComponent(JSON.stringify(NETWORKS))}`);
    return await use(page);
  } catch (error) {
    said.push(await page.evaluate(() => document.body.innerText));
    throw new Error(`${error.message}; the page says: ${said.join("; ")}`);
  } finally {
    await browser.close();
  }
}

/** What the service worker of an extension sees. */
async function inExtension(folder) {
  const browser = await puppeteer.launch({ ...CHROMIUM, args: [...FLAGS, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`], ignoreDefaultArgs: ["--disable-extensions"] });
  try {
    const target = await browser.waitForTarget((one) => one.type() === "service_worker" && one.url().endsWith("/js/background.js"), { timeout: STEP });
    const worker = await target.worker();
    return await worker.evaluate((networks) => globalThis.look(networks), NETWORKS);
  } finally {
    await browser.close();
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function sum(all) {
  return { raw: all.reduce((bytes, one) => bytes + one.length, 0), gzip: all.reduce((bytes, one) => bytes + gzipSync(one, { level: 9 }).length, 0) };
}

function size({ size: loaded }) {
  return loaded ? `${kib(loaded.raw)} (${kib(loaded.gzip)})` : "";
}

function kib(bytes) {
  return (bytes / 1_024).toFixed(0);
}
