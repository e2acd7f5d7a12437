// @polkadot/api and polkadot-api as they come from the registry, over the provider, against a real network.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ApiPromise, Keyring } from "@polkadot/api";
import { createClient } from "polkadot-api";
import { getPolkadotSigner } from "polkadot-api/signer";
import { create, toHex } from "../light-client/src/node.js";
import { papiProvider, PolkadotJsProvider } from "../provider/src/index.js";
import { papiDuet, rpc, types } from "../types/src/index.js";
import { startDemo } from "./demo.mjs";
import { openPage } from "./empty.mjs";
import { launch } from "./page.mjs";
import { proxy } from "./proxy.mjs";

const ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
const BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty";
// The end of the key of Alice's account.
const ALICE_KEY = "d43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";
const AMOUNT = 1_234_567_890_123n;
const START = 180_000;
const LIMIT = { timeout: 120_000 };

// polkadot-api asks on for a moment after its end, and nobody catches what it throws then.
const emit = process.emit;
process.emit = function (name, reason, ...more) {
  if (name === "unhandledRejection" && reason?.message === "Not connected") return true;
  return emit.call(this, name, reason, ...more);
};

let network;

before(async () => {
  network = await startDemo(2);
}, { timeout: START });

after(() => network?.stop());

/** A light client of these endpoints, which ends with the test. */
async function light(t, endpoints = network.endpoints, options = {}) {
  // The network may have run for longer than its trusting period.
  const client = create({ genesisHash: network.genesisHash, endpoints, trustOldStart: true, ...options });
  client.ends = [];
  t.after(async () => {
    for (const end of client.ends) await end();
    await client.destroy();
  });
  client.faults = [];
  client.on("fault", (fault) => client.faults.push(fault));
  await client.ready;
  return client;
}

/** How often which method had an answer of which class. */
function counted(provider) {
  const classes = {};
  provider.on("answer", ({ method, class: answerClass }) => (classes[method] ??= new Set()).add(answerClass));
  return (method) => [...(classes[method] ?? [])];
}

function alice() {
  return new Keyring({ type: "sr25519" }).addFromUri("//Alice");
}

/** An application of polkadot.js over a light client. */
async function polkadotJs(client, options, definitions) {
  const provider = new PolkadotJsProvider(client, options);
  const classes = counted(provider);
  const api = await ApiPromise.create({ provider, noInitWarn: true, ...definitions });
  client.ends.push(() => api.disconnect());
  return { api, provider, classes };
}

/** An application of PAPI over a light client. */
function papi(client, options) {
  const connect = papiProvider(client, options);
  const classes = counted(connect);
  const app = createClient(connect);
  client.ends.push(() => app.destroy());
  return { app, api: app.getUnsafeApi(), classes };
}

async function sendByPolkadotJs(api) {
  const statuses = [];
  await new Promise((resolve, reject) => {
    const sent = api.tx.balances.transferKeepAlive(BOB, AMOUNT).signAndSend(alice(), ({ status, txIndex, events, internalError }) => {
      if (internalError) reject(internalError);
      statuses.push(status.type);
      if (!status.isFinalized) return;
      assert.ok(txIndex > 0 && events.some(({ event }) => event.method === "ExtrinsicSuccess"));
      resolve();
    });
    sent.catch(reject);
  });
  return statuses;
}

async function sendByPapi(api) {
  const { publicKey } = alice();
  const signer = getPolkadotSigner(publicKey, "Sr25519", async (message) => alice().sign(message));
  const transfer = api.tx.Balances.transfer_keep_alive({ dest: { type: "Id", value: BOB }, value: AMOUNT });
  const { ok, block } = await transfer.signAndSubmit(signer);
  assert.ok(ok);
  return block;
}

/** Waits until something holds, but not for ever. */
async function until(what, holds) {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The first value of an observable. */
function firstOf(observable) {
  return new Promise((resolve, reject) => {
    const subscription = observable.subscribe({ next: (value) => (resolve(value), setTimeout(() => subscription.unsubscribe())), error: reject });
  });
}

/** What an application would pin, here taken from the node for want of anybody else. */
async function pins(client) {
  const ask = async (method) => (await client.request(method)).result;
  return { chain: await ask("system_chain"), properties: await ask("system_properties") };
}

for (const strict of [false, true]) {
  const how = strict ? ", strictly, with what it pinned" : "";

  test(`@polkadot/api reads Alice's account, sends a transfer and sees it finalized${how}`, LIMIT, async (t) => {
    const client = await light(t);
    const { api, classes } = await polkadotJs(client, strict ? { strict, pinned: await pins(client) } : {});
    const free = async () => (await api.query.system.account(ALICE)).data.free.toBigInt();
    const before = await free();
    assert.equal(before, (await client.account(ALICE)).free);
    const statuses = await sendByPolkadotJs(api);
    assert.equal(statuses.at(-1), "Finalized");
    // The library shows what its subscription to storage was last told, which is read after the block is proven.
    await until("the new balance", async () => (await free()) <= before - AMOUNT);
    assert.deepEqual([classes("chain_getBlock"), classes("state_subscribeStorage")], [["verified"], ["verified"]]);
    assert.deepEqual(classes("author_submitAndWatchExtrinsic"), ["passed", "verified"]);
    assert.deepEqual([classes("state_getRuntimeVersion"), classes("state_call")], [["verified"], ["verified"]]);
    const { partialFee } = await api.tx.balances.transferKeepAlive(BOB, AMOUNT).paymentInfo(ALICE);
    assert.ok(partialFee.toBigInt() > 0n);
    assert.ok((await api.query.system.account.entries()).length > 2);
    assert.deepEqual(classes("state_getKeysPaged"), ["verified"]);
    assert.deepEqual(client.faults, []);
  });

  test(`polkadot-api reads Alice's account, sends a transfer and sees it finalized${how}`, LIMIT, async (t) => {
    const client = await light(t);
    const { app, api, classes } = papi(client, strict ? { strict, pinned: await pins(client) } : {});
    const free = async () => (await api.query.System.Account.getValue(ALICE)).data.free;
    const before = await free();
    const block = await sendByPapi(api);
    assert.ok((await free()) <= before - AMOUNT);
    assert.ok((await app.getFinalizedBlock()).number >= block.number);
    assert.deepEqual(["chainHead_v1_body", "chainHead_v1_storage", "chainHead_v1_call"].map(classes), [["verified"], ["verified"], ["verified"]]);
    const entries = await api.query.System.Account.getEntries();
    const watched = await firstOf(api.query.System.Account.watchEntries());
    assert.ok(entries.length > 2 && watched.entries.length === entries.length);
    assert.deepEqual(classes("chainHead_v1_storage"), ["verified"]);
    assert.deepEqual(client.faults, []);
  });
}

test("a heads subscription of @polkadot/api has every block, whether it has a proof of its own or not", LIMIT, async (t) => {
  const { api } = await polkadotJs(await light(t));
  const numbers = await new Promise((resolve) => {
    const seen = [];
    api.rpc.chain.subscribeFinalizedHeads(({ number }) => seen.push(number.toNumber()) === 4 && resolve(seen));
  });
  assert.deepEqual(numbers, [0, 1, 2, 3].map((more) => numbers[0] + more));
});

test("Duet's own methods are there in both libraries, by the definitions and helpers of duet-types", LIMIT, async (t) => {
  const client = await light(t);
  const { api, classes } = await polkadotJs(client, {}, { rpc, types });
  const head = (await api.rpc.duet.getFinalizedHead()).toHex();
  assert.match(head, /^0x[0-9a-f]{64}$/);
  const proof = await new Promise((resolve) => api.rpc.duet.subscribeJustifications(resolve));
  assert.ok(proof.length > 300);
  assert.deepEqual([classes("duet_getFinalizedHead"), classes("duet_subscribeJustifications")], [["verified"], ["verified"]]);
  const keysets = await api.call.duetApi.keysets();
  assert.ok(keysets.isSome);
  const proofs = await api.rpc.duet.getProofs([]);
  assert.ok(proofs.isSome && proofs.unwrap().path.isNone);
  const duet = papiDuet(papi(client).app);
  assert.match(await duet.getFinalizedHead(), /^0x[0-9a-f]{64}$/);
  assert.match(await firstOf(duet.justifications()), /^0x[0-9a-f]{600,}$/);
  assert.equal((await duet.getProofs([])).path, null);
});

/** The bytes of numbers in SCALE, and of other parameters in hex. */
const u32 = (number) => Buffer.from(Uint32Array.of(number).buffer).toString("hex");

test("calls of the real runtime have the results that an honest node has, and later ones take no second round", LIMIT, async (t) => {
  const client = await light(t);
  const { api } = await polkadotJs(client);
  const transfer = api.tx.balances.transferKeepAlive(BOB, AMOUNT).toHex().slice(2);
  const calls = [
    ["Core_version", "0x"],
    ["Metadata_metadata", "0x"],
    ["Metadata_metadata_versions", "0x"],
    ["Metadata_metadata_at_version", `0x${u32(15)}`],
    ["AccountNonceApi_account_nonce", `0x${ALICE_KEY}`],
    ["TransactionPaymentApi_query_info", `0x${transfer}${u32(transfer.length / 2)}`],
    ["TransactionPaymentApi_query_fee_details", `0x${transfer}${u32(transfer.length / 2)}`],
    ["GrandpaApi_grandpa_authorities", "0x"],
    ["DuetApi_keysets", "0x"],
    ["DuetApi_commitment_payload", "0x"],
  ];
  for (const [method, parameters] of calls) {
    const first = performance.now();
    const { result, hash, rounds } = await client.call(method, parameters);
    const later = performance.now();
    const again = await client.call(method, parameters, { at: hash });
    const done = performance.now();
    t.diagnostic(`${method}: ${result.length} bytes, ${rounds} rounds, ${(later - first).toFixed(0)} ms, then ${(done - later).toFixed(0)} ms`);
    const honest = await client.request("state_call", [method, parameters, hash]);
    assert.equal(toHex(result), honest.result, method);
    assert.deepEqual([toHex(again.result), again.rounds], [honest.result, 1], method);
  }
  assert.deepEqual(client.faults, []);
});

/** Transactions of Alice, signed: one that succeeds, two that fail, and one that is too early for as long as it lives. */
async function transactions(api) {
  const nonce = (await api.rpc.system.accountNextIndex(ALICE)).toNumber();
  const { transferKeepAlive, transferAllowDeath, forceTransfer } = api.tx.balances;
  const calls = [transferKeepAlive(BOB, AMOUNT), transferAllowDeath(BOB, 1n << 120n), forceTransfer(BOB, ALICE, 1)];
  const sign = (call, options) => call.signAsync(alice(), options);
  const [transfer, tooMuch, notRoot] = await Promise.all(calls.map((call, index) => sign(call, { nonce: nonce + index })));
  const early = await sign(transferKeepAlive(BOB, 2), { nonce: nonce + 100, era: 16 });
  return Object.fromEntries(Object.entries({ transfer, tooMuch, notRoot, early }).map(([name, signed]) => [name, signed.toHex()]));
}

test("transactions that a client and a page send end with their proven outcomes, and one that is never included expires", { timeout: 300_000 }, async (t) => {
  const client = await light(t);
  const { api } = await polkadotJs(client);
  const { transfer, tooMuch, notRoot, early } = await transactions(api);
  const browser = await launch();
  t.after(() => browser.close());
  const { page, loaded } = await openPage(t, browser);
  const options = { genesisHash: network.genesisHash, endpoints: network.endpoints, trustOldStart: true };
  const inPage = (transaction) => page.evaluate(async (options, transaction) => {
    const { create } = await import("/src/browser.js");
    const client = create(options);
    const { end, success, fee, events } = await client.watch(transaction);
    await client.destroy();
    return { end, success, paid: String(fee.paid), names: events.map(({ pallet, name }) => `${pallet}.${name}`) };
  }, options, transaction);
  const [seen, failed, refused, late] = await Promise.all([inPage(transfer), ...[tooMuch, notRoot, early].map((bytes) => client.watch(bytes))]);
  assert.deepEqual([seen.end, seen.success, seen.names.at(-1)], ["included", true, "System.ExtrinsicSuccess"]);
  assert.ok(seen.names.includes("Balances.Transfer") && BigInt(seen.paid) > 0n);
  assert.ok(loaded.includes("/wasm/duet_outcomes_wasm_bg.wasm") && loaded.includes("/src/watch.js"));
  assert.deepEqual([failed.end, failed.success, failed.error], ["included", false, { other: { Arithmetic: "Underflow" } }]);
  assert.deepEqual([refused.end, refused.success, refused.error], ["included", false, { other: "BadOrigin" }]);
  assert.ok(refused.fee.paid > 0n && refused.fee.tip === 0n);
  // What the node says about the same block.
  const at = await api.at(refused.hash);
  const records = (await at.query.system.events()).filter(({ phase }) => phase.isApplyExtrinsic && phase.asApplyExtrinsic.toNumber() === refused.index);
  assert.deepEqual(refused.events.map(({ name }) => name), records.map(({ event }) => event.method));
  assert.equal(late.end, "expired");
  assert.ok(late.block >= late.from + 4, `blocks ${late.from} to ${late.block}`);
  assert.deepEqual(client.faults, []);
});

/** The code of the runtime is changed in one byte wherever it is proven. */
function otherCode({ method }, answer) {
  const field = { state_getReadProof: "proof", duet_getProofs: "nodes" }[method];
  const nodes = answer.result?.[field];
  if (!nodes) return answer;
  const changed = (node) => (node.length > 200_000 ? `${node.slice(0, -100)}${node.at(-100) === "0" ? "1" : "0"}${node.slice(-99)}` : node);
  return { ...answer, result: { ...answer.result, [field]: nodes.map(changed) } };
}

test("code that a proxy changes is an error, and beside an honest node the proxy is named", LIMIT, async (t) => {
  const lying = await proxy(t, network.endpoints[0], { change: otherCode });
  const alone = await light(t, [lying]);
  await assert.rejects(alone.call("Metadata_metadata"), { verdict: "lied", rule: "STATE-2" });
  const client = await light(t, [lying, network.endpoints[1]]);
  const { endpoint } = await client.call("Metadata_metadata");
  assert.equal(endpoint, network.endpoints[1]);
  assert.deepEqual(client.faults.map((fault) => [fault.endpoint, fault.rule]), [[lying, "STATE-2"]]);
});

/** Whether a request is for the proof of Alice's account. The client asks for proofs of the time, too. */
function isOfAlice({ method, params }) {
  return ["state_getReadProof", "duet_getProofs"].includes(method) && params[0].some((key) => key.endsWith(ALICE_KEY));
}

/** A byte of every trie node in the proof of Alice's account is changed. */
function otherBalance(request, answer) {
  if (!isOfAlice(request) || !answer.result) return answer;
  const { method } = request;
  const field = method === "state_getReadProof" ? "proof" : "nodes";
  const changed = (node) => `${node.slice(0, -6)}${node.at(-6) === "0" ? "1" : "0"}${node.slice(-5)}`;
  return { ...answer, result: { ...answer.result, [field]: answer.result[field].map(changed) } };
}

test("a balance that a proxy changes is an error in @polkadot/api and in polkadot-api, and never a value", LIMIT, async (t) => {
  const lying = await proxy(t, network.endpoints[0], { change: otherBalance });
  const { api } = await polkadotJs(await light(t, [lying]));
  await assert.rejects(api.query.system.account(ALICE), /STATE-2/);
  const second = papi(await light(t, [lying]));
  await assert.rejects(second.api.query.System.Account.getValue(ALICE), /STATE-2/);
});

test("beside an honest node, the balance is that node's and the proxy is named", LIMIT, async (t) => {
  const lying = await proxy(t, network.endpoints[0], { change: otherBalance });
  const client = await light(t, [lying, network.endpoints[1]]);
  const { api } = await polkadotJs(client);
  assert.equal((await api.query.system.account(ALICE)).data.free.toBigInt(), (await client.account(ALICE)).free);
  const [fault] = client.faults;
  assert.deepEqual([fault.endpoint, fault.verdict, fault.rule], [lying, "lied", "STATE-2"]);
});

test("a proxy that withholds new proofs holds nobody back", LIMIT, async (t) => {
  let head;
  const withhold = ({ method }, answer) => {
    if (method !== "duet_getFinalizedHead") return answer;
    head ??= answer.result;
    return { ...answer, result: head };
  };
  const lying = await proxy(t, network.endpoints[0], { change: withhold, push: () => undefined });
  const client = await light(t, [lying, network.endpoints[1]]);
  const { api } = await polkadotJs(client);
  const numbers = [];
  await new Promise((resolve) => api.rpc.chain.subscribeFinalizedHeads(({ number }) => numbers.push(number.toNumber()) === 3 && resolve()));
  assert.ok(numbers[2] > numbers[0]);
});

test("a proxy of another chain is left, and connects nobody", LIMIT, async (t) => {
  const change = ({ method, params }, answer) => (method === "chain_getBlockHash" && params[0] === 0 ? { ...answer, result: `0x${"11".repeat(32)}` } : answer);
  const lying = await proxy(t, network.endpoints[0], { change });
  const client = create({ genesisHash: network.genesisHash, endpoints: [lying], worker: false });
  t.after(() => client.destroy());
  const provider = new PolkadotJsProvider(client);
  const error = await new Promise((resolve) => provider.on("error", resolve));
  assert.deepEqual([error.rule, provider.isConnected], ["LIGHT-1", false]);
});

test("old proofs, huge answers and silence of a proxy are errors, and never values", LIMIT, async (t) => {
  const old = new Map();
  const replay = (request, answer) => {
    if (!isOfAlice(request)) return answer;
    const key = JSON.stringify(request.params[0]);
    if (!old.has(key)) old.set(key, answer);
    return { ...old.get(key), id: answer.id };
  };
  const about = (answer) => ({ change: (request, honest) => (isOfAlice(request) ? answer(request) : honest) });
  const times = { requestTimeout: 3_000 };
  const read = async (lie) => {
    const client = await light(t, [await proxy(t, network.endpoints[0], lie)], { times });
    const { block } = await client.account(ALICE);
    await new Promise((resolve) => client.on("head", (head) => head.block > block && resolve()));
    return client.account(ALICE);
  };
  await assert.rejects(read({ change: replay }), { verdict: "lied", rule: /^(RPC-1|STATE-[12])$/ });
  await assert.rejects(read(about(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":"0x${"0".repeat(20_000_000)}"}`)), ({ verdict }) => ["lied", "too_large", "unreachable"].includes(verdict));
  await assert.rejects(read(about(() => undefined)), { verdict: "unreachable" });
});

test("a page that esbuild bundled shows Alice's balance over polkadot-api in Chromium", LIMIT, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "duet-bundle-"));
  t.after(() => rm(folder, { recursive: true }));
  const bundle = fileURLToPath(new URL("../light-client/examples/bundle.mjs", import.meta.url));
  await promisify(execFile)(process.execPath, [bundle, folder]);
  const server = createServer(async ({ url }, response) => {
    const name = url === "/" ? "index.html" : url.slice(1);
    const body = await readFile(join(folder, name)).catch(() => undefined);
    const type = { html: "text/html", js: "text/javascript", wasm: "application/wasm" }[name.split(".").at(-1)];
    response.writeHead(body ? 200 : 404, { "content-type": type ?? "text/plain" }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const browser = await launch();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/#${[network.genesisHash, ALICE, ...network.endpoints].join(",")}`);
  await page.waitForFunction(() => /verified: \d+/.test(document.body.innerText), { timeout: 60_000 });
});

test("under every prefix of the real state, the keys that are proven are those that an honest node lists", LIMIT, async (t) => {
  const client = await light(t);
  const { hash: at } = await client.block();
  const list = async (prefix, start = null) => (await client.request("state_getKeysPaged", [prefix, 1_000, start, at])).result;
  const prefixes = new Set();
  for (let keys = await list("0x"); keys.length > 0; keys = await list("0x", keys.at(-1))) for (const key of keys) prefixes.add(key.slice(0, 34));
  let proven = 0;
  for (const prefix of prefixes) {
    const listed = await list(prefix);
    const found = await client.under(prefix, { at }).catch((error) => assert.equal(error.got, "more"));
    if (!found) continue;
    assert.deepEqual(found.entries.map(({ key }) => key), listed);
    proven += listed.length;
  }
  assert.ok(prefixes.size > 5 && proven > 50, `${proven} keys under ${prefixes.size} prefixes`);
});
