// Verification in WASM beside @noble/curves and beside the same verifier built for this machine, on the same proofs: one set
// of 1 000, all of whom signed. `node tools/bench.mjs PROGRAM`, where the program makes the proofs and measures itself.
//
// Milliseconds for each proof: the fastest sample, and in brackets the median and the slowest. The rounds take turns, so that a
// busy machine is busy for all.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fromCheckpoint, readUpdate, verifyUpdate } from "../../conformance/javascript/src/client.js";
import { fromHex } from "../light-client/src/text.js";
import * as glue from "../light-client/wasm/duet_light_wasm.js";

const ROUNDS = 21;
// @noble/curves takes long; a few rounds show its spread.
const NOBLE_ROUNDS = 7;

const given = JSON.parse(execFileSync(process.argv[2], { maxBuffer: 1 << 28, encoding: "utf8" }));
const started = performance.now();
await glue.default({ module_or_path: readFileSync(new URL("../light-client/wasm/duet_light_wasm_bg.wasm", import.meta.url)) });
const loaded = performance.now() - started;
const checkpoint = fromHex(given.checkpoint);

function client(mode) {
  const made = glue.LightClient.fromCheckpoint(checkpoint, mode);
  if (mode === "full") made.addKeys(0n, fromHex(given.keys));
  return made;
}

/** Milliseconds of a call on a fresh client in the state of this one. */
function time(state, mode, run) {
  const fresh = glue.LightClient.fromState(state, mode);
  const start = performance.now();
  run(fresh);
  const took = performance.now() - start;
  fresh.free();
  return took;
}

const rows = {};
const add = (name, value) => (rows[name] ??= []).push(value);

for (const [form, mode] of [["justification", "full"], ["stateless", "stateless"]]) {
  const state = client(mode).state();
  const proofs = given[form].proofs.map(fromHex);
  const one = (fresh) => {
    if (fresh.verify(form, proofs[0]) === undefined) throw new Error("it is new");
  };
  const batch = (fresh) => {
    const { verified, error } = fresh.verifyAll(form, proofs);
    if (error || verified.length !== proofs.length) throw new Error("all of them hold");
  };
  add(`${form}: WASM, the first call`, time(state, mode, one));
  for (let round = 0; round < ROUNDS; round += 1) {
    add(`${form}: WASM, one`, time(state, mode, one));
    add(`${form}: WASM, of a batch of ${proofs.length}`, time(state, mode, batch) / proofs.length);
  }
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
ratio("of a batch over one, WASM, justification", "justification: WASM, of a batch of 100", "justification: WASM, one");
