// The compressed size of the files that a browser loads. Fails above the limit.

import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

// Of this, 11 KiB are recovery (RECOVER-7, RECOVER-8): the check of its proof, its part of the state, the wait, disputes.
const LIMIT = 219 * 1024;
const folder = new URL("../dist/page/light-client/", import.meta.url);
// Files that a browser does not load.
const NODE = /node|worker-node/;

const files = ["wasm/duet_light_wasm_bg.wasm", "wasm/duet_light_wasm.js"];
for (const name of readdirSync(new URL("src/", folder))) if (!NODE.test(name)) files.push(`src/${name}`);
let all = 0;
for (const name of files) {
  const bytes = readFileSync(new URL(name, folder));
  const size = gzipSync(bytes, { level: 9 }).length;
  all += size;
  console.log(`${String(bytes.length).padStart(8)} bytes, ${String(size).padStart(7)} with gzip  ${name}`);
}
console.log(`${all} bytes with gzip in total, limit ${LIMIT}`);
if (all > LIMIT) process.exit(1);
