// Compares verification in WASM with @noble/curves and with a native build of the verifier, on the same proofs: one set
// of 1 000 validators, all of which signed. Run `node tools/bench.mjs PROGRAM [FOLDER ...]`. The program makes the
// proofs and measures itself; each folder has another build of the module, which is measured too.
//
// Milliseconds per proof: the fastest sample, and in brackets the median and the slowest. The rounds alternate, so that
// load on the machine affects all equally.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { fromCheckpoint, readUpdate, verifyUpdate } from "../../conformance/javascript/src/client.js";
import { fromHex } from "../light-client/src/text.js";
import * as glue from "../light-client/wasm/duet_light_wasm.js";

const ROUNDS = 21;
// @noble/curves is slow; a few rounds show its spread.
const NOBLE_ROUNDS = 7;
// Batch sizes up to the number of handoff proofs in one answer of a node, and beyond.
const BATCHES = [16, 64, 100];

const given = JSON.parse(execFileSync(process.argv[2], { maxBuffer: 1 << 28, encoding: "utf8" }));
const started = performance.now();
await glue.default({ module_or_path: readFileSync(new URL("../light-client/wasm/duet_light_wasm_bg.wasm", import.meta.url)) });
const loaded = performance.now() - started;
const checkpoint = fromHex(given.checkpoint);
/** The builds by name. The first build has an empty name. */
const builds = [["", glue]];
for (const folder of process.argv.slice(3)) {
  const other = await import(pathToFileURL(resolve(folder, "duet_light_wasm.js")));
  await other.default({ module_or_path: readFileSync(resolve(folder, "duet_light_wasm_bg.wasm")) });
  builds.push([` ${basename(folder)}`, other]);
}

function client(mode) {
  const made = glue.LightClient.fromCheckpoint(checkpoint, mode);
  if (mode === "full") made.addKeys(0n, fromHex(given.keys));
  return made;
}

/** Milliseconds of a call on a fresh client with this state. */
function time(state, mode, run, build = glue) {
  const fresh = build.LightClient.fromState(state, mode);
  const start = performance.now();
  run(fresh);
  const took = performance.now() - start;
  fresh.free();
  return took;
}

/** Batches in one worker, and split over two, from the call to the last answer. */
async function inWorkers(form, mode, state, proofs) {
  const open = async () => {
    const worker = new Worker(new URL("bench-worker.mjs", import.meta.url));
    await once(worker, "message");
    return worker;
  };
  const workers = await Promise.all([open(), open()]);
  const share = async (worker, part) => {
    const answer = once(worker, "message");
    worker.postMessage({ state, mode, form, proofs: part });
    const [count] = await answer;
    if (count !== part.length) throw new Error("not all proofs are valid");
  };
  for (const size of BATCHES) {
    const [all, half] = [proofs.slice(0, size), size >> 1];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const start = performance.now();
      await share(workers[0], all);
      const one = performance.now();
      await Promise.all([share(workers[0], all.slice(0, half)), share(workers[1], all.slice(half))]);
      const two = performance.now();
      if (round === 0) continue;
      add(`${form}: WASM, of a batch of ${size} in a worker`, (one - start) / size);
      add(`${form}: WASM, of a batch of ${size} split over two workers`, (two - one) / size);
    }
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
}

const rows = {};
const add = (name, value) => (rows[name] ??= []).push(value);

for (const [form, mode] of [["justification", "full"], ["stateless", "stateless"]]) {
  const state = client(mode).state();
  const proofs = given[form].proofs.map(fromHex);
  const one = (fresh) => {
    if (fresh.verify(form, proofs[0]) === undefined) throw new Error("the proof is not new");
  };
  const batch = (fresh) => {
    const { verified, error } = fresh.verifyAll(form, proofs);
    if (error || verified.length !== proofs.length) throw new Error("not all proofs are valid");
  };
  add(`${form}: WASM, the first call`, time(state, mode, one));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, build] of builds) {
      add(`${form}: WASM${name}, one`, time(state, mode, one, build));
      add(`${form}: WASM${name}, of a batch of ${proofs.length}`, time(state, mode, batch, build) / proofs.length);
    }
  }
  // Only stateless: in full mode each worker would need the keys.
  if (mode === "stateless") await inWorkers(form, mode, state, proofs);
  rows[`${form}: native, one`] = given[form].one;
  rows[`${form}: native, of a batch of ${proofs.length}`] = given[form].batch;
}

const trusted = fromCheckpoint(checkpoint, "stateless");
const proof = fromHex(given.stateless.proofs[0]);
for (let round = 0; round <= NOBLE_ROUNDS; round += 1) {
  const start = performance.now();
  verifyUpdate(trusted, readUpdate("stateless", proof));
  // The first call is slow in every engine.
  if (round > 0) add("stateless: @noble/curves, one", performance.now() - start);
}
for (let round = 0; round < NOBLE_ROUNDS; round += 1) {
  const start = performance.now();
  client("full").free();
  add(`${given.members} keys decoded and checked in WASM`, performance.now() - start);
}

const fastest = (name) => Math.min(...rows[name]);
const middle = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
console.log(`Node ${process.version}, V8 ${process.versions.v8}; module compiled and started in ${loaded.toFixed(1)} ms`);
for (const [name, values] of Object.entries(rows)) {
  const spread = `(${middle(values).toFixed(2)}, ${Math.max(...values).toFixed(2)})`;
  console.log(`${fastest(name).toFixed(2).padStart(8)} ms ${spread.padEnd(20)} ${name}`);
}
const ratio = (what, one, other) => console.log(`${(fastest(one) / fastest(other)).toFixed(2).padStart(8)} × ${what}`);
ratio("@noble/curves over WASM, one stateless proof", "stateless: @noble/curves, one", "stateless: WASM, one");
ratio("WASM over native, one stateless proof", "stateless: WASM, one", "stateless: native, one");
ratio("WASM over native, one justification", "justification: WASM, one", "justification: native, one");
ratio("of a batch over one, WASM, stateless", "stateless: WASM, of a batch of 100", "stateless: WASM, one");
for (const size of BATCHES) {
  const name = `stateless: WASM, of a batch of ${size}`;
  ratio(`two workers over one, batches of ${size}`, `${name} split over two workers`, `${name} in a worker`);
}
for (const form of ["justification", "stateless"]) {
  for (const [name] of builds.slice(1)) {
    for (const what of ["one", "of a batch of 100"]) {
      ratio(`${name.trim()} over the first build, ${form}, ${what}`, `${form}: WASM${name}, ${what}`, `${form}: WASM, ${what}`);
    }
  }
}
ratio("of a batch over one, WASM, justification", "justification: WASM, of a batch of 100", "justification: WASM, one");
