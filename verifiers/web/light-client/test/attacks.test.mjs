// Bytes of a recorded proof, each changed in one place, against the verifier in WASM. (light-client/tests/attacks.rs)

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fromHex } from "../src/text.js";
import * as glue from "../wasm/duet_light_wasm.js";
import { flip, recording } from "./support.mjs";

await glue.default({ module_or_path: await readFile(new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url)) });

const { LightClient } = glue;
const answer = (name) => recording.answers[name];
const bytes = (name) => fromHex(answer(name));
const genesis = fromHex(recording.genesis);
const [first, , last] = recording.heads;

// Where things are in a justification: the commitment, then the bitfield, then the two points.
const AT = { number: 0, hash: 4, mmrRoot: 36, set: 68, next: 76, bitfield: 169, sigma: 170, apk2: 218 };

function begin(mode) {
  const client = LightClient.fromGenesis(genesis, bytes("duet_getGenesisProof []"), mode);
  const list = mode === "full" ? "duet_getSetProofs [0,64]" : "duet_getStatelessSetProofs [0,64]";
  const { verified, error } = client.verifyHandoffs(bytes(list));
  assert.deepEqual([verified.length, error], [1, undefined]);
  return client;
}

const FORMS = {
  justification: { mode: "full", method: "duet_getJustification" },
  stateless: { mode: "stateless", method: "duet_getStatelessProof" },
};

/** The error for a proof with one change; the state stays as it was. */
function refused(form, change) {
  const { mode, method } = FORMS[form];
  const client = begin(mode);
  const before = client.state();
  const proof = fromHex(change(answer(`${method} [${first.number}]`)));
  try {
    client.verify(form, proof);
  } catch (error) {
    assert.deepEqual(client.state(), before);
    assert.equal(client.verify(form, bytes(`${method} [${first.number}]`)).block, first.number);
    return error;
  }
  throw new assert.AssertionError({ message: "it was accepted" });
}

for (const form of Object.keys(FORMS)) {
  test(`a wrong block hash is refused by the equation, ${form}`, () => {
    const error = refused(form, (proof) => flip(proof, AT.hash));
    assert.deepEqual([error.rule, error.culprit, error.nextStep], ["JUST-5", "sender", "leave-sender"]);
  });

  test(`a bitfield below the threshold is refused with both numbers, ${form}`, () => {
    const error = refused(form, (proof) => flip(proof, AT.bitfield, 1));
    assert.deepEqual([error.rule, error.expected, error.got], ["JUST-4", "3", "2"]);
  });

  test(`a bitfield with padding bits is refused, ${form}`, () => {
    assert.equal(refused(form, (proof) => flip(proof, AT.bitfield, 0x80)).rule, "JUST-3");
  });

  test(`a signature that is no point is refused, ${form}`, () => {
    assert.match(refused(form, (proof) => flip(proof, AT.sigma + 20)).rule, /^ENC-[1-4]$/);
  });

  test(`an apk2 that is no point is refused, ${form}`, () => {
    assert.match(refused(form, (proof) => flip(proof, AT.apk2 + 20)).rule, /^ENC-[1-4]$/);
  });

  test(`a proof of a trusted set that names a later one blames its sender, ${form}`, () => {
    const error = refused(form, (proof) => flip(proof, AT.set, 8));
    assert.deepEqual([error.rule, error.culprit, error.expected, error.got], ["LIGHT-7", "sender", "1", "9"]);
  });

  test(`a proof that goes on is not decoded, ${form}`, () => {
    assert.equal(refused(form, (proof) => `${proof}00`).rule, "ENC-6");
  });

  test(`a proof that is cut is not decoded, ${form}`, () => {
    assert.equal(refused(form, (proof) => proof.slice(0, -2)).rule, "ENC-6");
  });

  test(`an older block is refused without blame, and the same one is known, ${form}`, () => {
    const { mode, method } = FORMS[form];
    const client = begin(mode);
    client.verify(form, bytes(`${method} [${last.number}]`));
    assert.equal(client.verify(form, bytes(`${method} [${last.number}]`)), undefined);
    assert.throws(() => client.verify(form, bytes(`${method} [${first.number}]`)), (error) => {
      assert.deepEqual([error.rule, error.culprit, error.nextStep], ["LIGHT-4", "nobody", "go-on"]);
      return true;
    });
  });

  test(`a flipped bit at any offset is refused, ${form}`, () => {
    const { mode, method } = FORMS[form];
    const proof = answer(`${method} [${first.number}]`);
    const client = begin(mode);
    for (let offset = 0; offset < (proof.length - 2) / 2; offset += 1) {
      assert.throws(() => client.verify(form, fromHex(flip(proof, offset, 1 << (offset % 8)))), (error) => {
        assert.equal(typeof error.rule, "string", `offset ${offset}: ${error.message}`);
        return true;
      });
    }
  });
}

test("a genesis of another chain is refused", () => {
  const other = genesis.slice();
  other[0] ^= 1;
  assert.throws(() => LightClient.fromGenesis(other, bytes("duet_getGenesisProof []"), "full"), (error) => {
    assert.deepEqual([error.rule, error.nextStep], ["LIGHT-1", "check-trusted-hash"]);
    return true;
  });
});

test("a flipped bit at any offset of a genesis proof is refused", () => {
  const proof = answer("duet_getGenesisProof []");
  for (let offset = 0; offset < (proof.length - 2) / 2; offset += 1) {
    const changed = fromHex(flip(proof, offset, 1 << (offset % 8)));
    assert.throws(() => LightClient.fromGenesis(genesis, changed, "full"), (error) => typeof error.rule === "string");
  }
});

test("keys of another set are refused, and keys without need", () => {
  const client = LightClient.fromCheckpoint(begin("full").checkpoint(), "full");
  assert.equal(client.missingKeys(), 0n);
  assert.throws(() => client.addKeys(0n, bytes("duet_getKeys [1]")), (error) => error.rule === "LIGHT-3" && error.culprit === "sender");
  client.addKeys(0n, bytes("duet_getKeys [0]"));
  assert.equal(client.missingKeys(), 1n);
  assert.throws(() => client.addKeys(7n, bytes("duet_getKeys [0]")), (error) => error.nextStep === "go-on");
});

test("a proof of the next set before its handoff says what to fetch", () => {
  const client = LightClient.fromGenesis(genesis, bytes("duet_getGenesisProof []"), "stateless");
  assert.throws(() => client.verify("stateless", bytes(`duet_getStatelessProof [${first.number}]`)), (error) => {
    assert.deepEqual([error.rule, error.nextStep, error.set], ["LIGHT-6", "fetch-handoff-proofs", 0n]);
    return true;
  });
});

test("a damaged state is refused", () => {
  const state = begin("full").state();
  state[40] ^= 1;
  assert.throws(() => LightClient.fromState(state, "full"), (error) => /checksum/.test(error.message));
});

test("a storage proof with too little, too much or something else is refused", () => {
  const client = begin("stateless");
  client.verify("stateless", bytes(`duet_getStatelessProof [${first.number}]`));
  const { nodes, header } = state(first);
  const block = client.best();
  const key = fromHex(recording.alice);
  assert.equal(block.read(header, [key], nodes)[0].length, 80);
  const rule = (...parameters) => {
    try {
      block.read(...parameters);
    } catch (error) {
      return error.rule;
    }
    return "accepted";
  };
  assert.equal(rule(header, [key], nodes.slice(1)), "STATE-2");
  assert.equal(rule(header, [key], [...nodes, Uint8Array.of(0)]), "STATE-2");
  assert.equal(rule(header, [fromHex(recording.nobody)], nodes), "STATE-2");
  for (const [index, node] of nodes.entries()) {
    for (let offset = 0; offset < node.length; offset += 7) {
      const changed = nodes.map((one) => one.slice());
      changed[index][offset] ^= 1;
      assert.equal(rule(header, [key], changed), "STATE-2");
    }
  }
  const other = header.slice();
  other[40] ^= 1;
  assert.equal(rule(other, [key], nodes), "STATE-1");
});

test("a proof of an older block with one change is refused", () => {
  const client = begin("stateless");
  client.verify("stateless", bytes(`duet_getStatelessProof [${first.number}]`));
  const found = answer(`mmr_generateProof ${JSON.stringify([[recording.old + 1], first.number, first.hash])}`);
  const block = client.best();
  const older = (number, leaves, proof) => block.older(number, fromHex(leaves), fromHex(proof));
  assert.equal(older(recording.old, found.leaves, found.proof).number, recording.old);
  assert.throws(() => older(recording.old + 1, found.leaves, found.proof), (error) => error.rule === "RPC-1");
  const length = (text) => (text.length - 2) / 2;
  for (let offset = 0; offset < length(found.proof); offset += 1) {
    assert.throws(() => older(recording.old, found.leaves, flip(found.proof, offset)), (error) => ["STATE-3", "RPC-1"].includes(error.rule));
  }
  for (let offset = 0; offset < length(found.leaves); offset += 1) {
    assert.throws(() => older(recording.old, flip(found.leaves, offset), found.proof), (error) => ["STATE-3", "RPC-1"].includes(error.rule));
  }
});

/** Header and trie nodes of a recorded head. */
function state({ hash }) {
  const json = answer(`chain_getHeader ${JSON.stringify([hash])}`);
  const number = Number(json.number);
  const compact = Uint8Array.of(((number & 0x3f) << 2) | 1, number >> 6);
  const parts = [fromHex(json.parentHash), compact, fromHex(json.stateRoot), fromHex(json.extrinsicsRoot)];
  const logs = json.digest.logs.map(fromHex);
  const header = Buffer.concat([...parts, Uint8Array.of(logs.length << 2), ...logs]);
  const nodes = answer(`state_getReadProof ${JSON.stringify([[recording.alice], hash])}`).proof.map(fromHex);
  return { header: new Uint8Array(header), nodes };
}
