// A page in Chromium that calls the runtime, against a server that serves a recorded chain with a small one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { calling, Server } from "../light-client/test/support.mjs";
import { openPage } from "./empty.mjs";
import { launch } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** An empty page beside the package, on the recorded chain. */
async function open(t, lie) {
  const node = await Server.start({ network: calling, lie });
  t.after(() => node.stop());
  return { node, ...(await openPage(t, browser)) };
}

/** Calls functions in the page, one after the other: each result as a list of bytes, or the error. */
function calls(page, node, options, names) {
  const given = { genesisHash: calling.genesis, endpoints: [node.url], trustOldStart: true, ...options };
  return page.evaluate(async (options, names) => {
    const { create } = await import("/src/browser.js");
    const client = create(options);
    await client.ready;
    const results = [];
    for (const name of names) {
      results.push(await client.call(...name).then(({ result }) => [...result], ({ verdict, rule }) => ({ verdict, rule })));
    }
    await client.destroy();
    return results;
  }, given, names);
}

const SHORT = `0x${Buffer.from("short").toString("hex")}`;
const VALUE = [1, 19 << 2, ...Buffer.from("a value in its node")];

for (const worker of [true, false]) {
  test(`a page calls the runtime, and ends a call that does not end${worker ? "" : " of a client in the page's thread"}`, { timeout: 60_000 }, async (t) => {
    const { node, page, loaded } = await open(t);
    const options = { worker, times: { callTimeout: 1_000 } };
    const stopped = { verdict: "stopped", rule: "STATE-8" };
    const results = await calls(page, node, options, [["Test_read", SHORT], ["Test_endless"], ["Test_read", SHORT]]);
    assert.deepEqual(results, [VALUE, stopped, VALUE]);
    assert.ok(loaded.includes("/wasm/duet_calls_wasm_bg.wasm"));
    assert.equal(loaded.includes("/wasm/duet_outcomes_wasm_bg.wasm"), false);
  });
}

test("a page that makes no call does not load the module for calls", { timeout: 60_000 }, async (t) => {
  const { node, page, loaded } = await open(t);
  assert.deepEqual(await calls(page, node, {}, []), []);
  assert.ok(loaded.includes("/wasm/duet_light_wasm_bg.wasm"));
  // `calls.js` asks for proofs and comes with the rest; the module and its worker come with the first call.
  assert.deepEqual(loaded.filter((name) => /duet_(calls|outcomes)|calls-|watch/.test(name)), []);
});

test("in a page, too, a changed entry is an error, and never a value", { timeout: 60_000 }, async (t) => {
  const change = (node) => `${node.slice(0, -4)}00${node.slice(-2)}`;
  const lie = (method, _params, honest) => (method === "state_getReadProof" ? { ...honest, proof: honest.proof.map(change) } : honest);
  const { node, page } = await open(t, lie);
  assert.deepEqual(await calls(page, node, {}, [["Test_read", SHORT]]), [{ verdict: "lied", rule: "STATE-2" }]);
});
