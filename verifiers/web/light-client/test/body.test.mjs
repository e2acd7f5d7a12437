// The extrinsics of a final block, from a recorded network. (STATE-4)

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fromHex, toHex } from "../src/text.js";
import * as glue from "../wasm/duet_light_wasm.js";
import { client, flip, Server, withBody } from "./support.mjs";

await glue.default({ module_or_path: await readFile(new URL("../wasm/duet_light_wasm_bg.wasm", import.meta.url)) });

const { block } = withBody;
const QUESTION = `chain_getBlock ${JSON.stringify([block.hash])}`;
const { extrinsics } = withBody.answers[QUESTION].block;
const [last] = extrinsics.slice(-1);
const hash = toHex(glue.blake2b(fromHex(last), 32));

/** A client of a server that may say something else of the block's extrinsics. */
async function asking(t, change) {
  const lie = (method, _params, honest) => {
    if (method !== "chain_getBlock" || !change) return honest;
    return change(structuredClone(honest));
  };
  const server = await Server.start({ network: withBody, lie });
  const made = client(t, [server], { genesisHash: withBody.genesis });
  await made.ready;
  return made;
}

/** The answer with other extrinsics. */
const instead = (change) => (answer) => {
  answer.block.extrinsics = change(answer.block.extrinsics);
  return answer;
};

test("the extrinsics of an older block are verified, and a transaction is found at its place", async (t) => {
  const made = await asking(t);
  const body = await made.body(block.number);
  assert.deepEqual(body.extrinsics.map(toHex), extrinsics);
  assert.deepEqual([body.block, body.hash], [block.number, block.hash]);
  assert.ok(body.history > 0 && body.proofBytes > body.history + body.header.length);
  const found = await made.transaction(hash, { at: block.number });
  assert.deepEqual([found.included, found.index, toHex(found.value)], [true, extrinsics.length - 1, last]);
  assert.equal(found.transaction, hash);
  assert.deepEqual(made.faults, []);
});

test("a transaction that a block does not have is an answer, and not an error", async (t) => {
  const made = await asking(t);
  const absent = await made.transaction(flip(hash, 0), { at: block.number });
  assert.deepEqual([absent.included, absent.index, absent.value], [false, undefined, undefined]);
});

const LIES = {
  "a changed byte": instead((all) => [...all.slice(0, -1), flip(last, 40)]),
  "one extrinsic less": instead((all) => all.slice(0, -1)),
  "one extrinsic more": instead((all) => [...all, "0x00"]),
  "two extrinsics in the other order": instead(([first, second, ...rest]) => [second, first, ...rest]),
  "no extrinsics": instead(() => []),
};
for (const [what, lie] of Object.entries(LIES)) {
  for (const method of ["body", "transaction"]) {
    test(`${what} is refused with the rule and both roots, ${method}`, async (t) => {
      const made = await asking(t, lie);
      const asked = method === "body" ? made.body(block.number) : made.transaction(hash, { at: block.number });
      await assert.rejects(asked, (error) => {
        assert.deepEqual([error.rule, error.verdict, error.culprit], ["STATE-4", "lied", "sender"]);
        assert.match(error.expected, /^0x[0-9a-f]{64}$/);
        assert.match(error.got, /^0x[0-9a-f]{64} or 0x[0-9a-f]{64}$/);
        return true;
      });
    });
  }
}

test("an answer without a list of extrinsics is a lie, and none at all is a lack", async (t) => {
  const without = await asking(t, instead(() => "0x00"));
  await assert.rejects(without.body(block.number), { rule: "RPC-1", verdict: "lied" });
  const pruned = await asking(t, () => null);
  await assert.rejects(pruned.body(block.number), { verdict: "incomplete", message: /no extrinsics of block/ });
});

test("a hash that is none is the caller's mistake", async (t) => {
  const made = await asking(t);
  await assert.rejects(made.transaction("0x12", { at: block.number }), { verdict: "refused", culprit: "caller" });
});
