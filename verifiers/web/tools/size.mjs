// The compressed size of the files that a browser loads, and of those that it loads for calls of the runtime and for
// outcomes of transactions. Fails above the limits.

import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

// Of this, 11 KiB are recovery (RECOVER-7, RECOVER-8): the check of its proof, its part of the state, the wait, disputes.
const LIMIT = 213 * 1024;
const CALLS_LIMIT = 400 * 1024;
const OUTCOMES_LIMIT = 82 * 1024;
const folder = new URL("../dist/page/light-client/", import.meta.url);
// Files that a browser loads only for calls, to watch a transaction, or where an application imports them.
const LATER = /^(calls-browser|chains|watch)/;

const sources = readdirSync(new URL("src/", folder)).filter((name) => !LATER.test(name));
check("", ["wasm/duet_light_wasm_bg.wasm", ...sources.map((name) => `src/${name}`)], LIMIT);
check(" for calls", ["wasm/duet_calls_wasm_bg.wasm", "src/calls-browser.js"], CALLS_LIMIT);
check(" for outcomes, besides those for calls", ["wasm/duet_outcomes_wasm_bg.wasm", "src/watch.js"], OUTCOMES_LIMIT);

function check(what, files, limit) {
  let all = 0;
  for (const name of files) {
    const bytes = readFileSync(new URL(name, folder));
    const size = gzipSync(bytes, { level: 9 }).length;
    all += size;
    console.log(`${String(bytes.length).padStart(8)} bytes, ${String(size).padStart(7)} with gzip  ${name}`);
  }
  console.log(`${all} bytes with gzip in total${what}, limit ${limit}`);
  if (all > limit) process.exitCode = 1;
}
