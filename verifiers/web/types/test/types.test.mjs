import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TypeRegistry } from "@polkadot/types";
import { papiDuet, rpc, types } from "../src/index.js";

const page = readFileSync(new URL("../../../../docs/spec/rpc.md", import.meta.url), "utf8");
const documented = [...page.matchAll(/^\| `(duet_\w+)` \|/gm)].map(([, method]) => method);

test("every method of the specification is defined for polkadot.js, and no other", () => {
  const defined = Object.entries(rpc.duet).flatMap(([name, { pubsub }]) => (pubsub ? pubsub.slice(1) : [name]));
  assert.deepEqual(defined.map((name) => `duet_${name}`).sort(), documented.sort());
});

test("notifications have the names of the specification", () => {
  for (const { pubsub } of Object.values(rpc.duet)) if (pubsub) assert.ok(page.includes(`\`duet_${pubsub[0]}\``), pubsub[0]);
});

test("every method of the specification is asked for by the helpers for PAPI, under its name", async () => {
  const asked = [];
  const client = { _request: async (method) => void asked.push(method), _subscribe: (method, end) => void asked.push(method, end) };
  for (const method of Object.values(papiDuet(client))) await method("0x");
  assert.deepEqual(asked.sort(), documented.sort());
});

test("answers are read as their types, also those that are null", () => {
  const registry = new TypeRegistry();
  registry.register(types);
  const read = (method, answer) => registry.createType(rpc.duet[method].type, answer);
  assert.equal(read("getJustification", "0x0102").unwrap().toHex(), "0x0102");
  assert.equal(read("getJustification", null).isNone, true);
  const contradiction = { block: 7, finalized: null, proven: `0x${"01".repeat(32)}`, setId: 2, signers: 3, acknowledged: false, evidence: "0x01" };
  const health = read("health", { bestProven: null, finalized: 9, active: true, voting: true, diverged: [contradiction] });
  assert.deepEqual([health.bestProven.isNone, health.finalized.toNumber(), health.voting.isTrue], [true, 9, true]);
  assert.equal(health.active.unwrap().isTrue, true);
  assert.deepEqual([health.diverged[0].evidence.toHex(), health.diverged[0].finalized.isNone], ["0x01", true]);
  const missing = { position: 2, key: "0x01", lastVoted: null, silentForMs: null };
  const round = { block: 9, votes: 2, agreeing: 1, ownVote: true, openForMs: 310 };
  const state = { setId: 7, members: 3, threshold: 3, own: 1, bestProven: 8, finalized: 9, target: 9, mandatory: null, rounds: [round], newest: 9, voted: [0, 1], missing: [missing] };
  const votes = read("roundState", state).unwrap();
  assert.deepEqual([votes.own.unwrap().toNumber(), votes.mandatory.isNone, votes.rounds[0].openForMs.toNumber()], [1, true, 310]);
  assert.deepEqual([votes.voted[1].toNumber(), votes.missing[0].lastVoted.isNone], [1, true]);
  assert.equal(read("roundState", null).isNone, true);
  assert.equal(read("health", { bestProven: 8, finalized: 9, voting: false, stopped: "why", diverged: [] }).stopped.unwrap().toString(), "why");
  const proofs = read("getProofs", { proof: "0x01", header: "0x02", nodes: ["0x03", "0x0405"], path: { leaves: "0x06", proof: "0x07" } }).unwrap();
  assert.deepEqual([proofs.nodes[1].toHex(), proofs.path.unwrap().leaves.toHex()], ["0x0405", "0x06"]);
  assert.equal(read("getProofs", { proof: "0x01", header: "0x02", nodes: [], path: null }).unwrap().path.isNone, true);
});
