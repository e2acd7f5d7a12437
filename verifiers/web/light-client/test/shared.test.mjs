// Several clients of one process: one module and one worker, which no client takes from the others unnoticed. And what a
// client does while nothing happens, and after its device slept.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { LightClient } from "../src/client.js";
import { Host } from "../src/host.js";
import { create } from "../src/node.js";
import { channel, platform } from "../src/platform-node.js";
import { recording, recovering, Server, TIMES, until, withBody } from "./support.mjs";

const FAULTY = new URL("faulty-worker.mjs", import.meta.url);
const HONEST = new URL("../src/worker-node.js", import.meta.url);

/** What starts clients; `workers` are those that run. */
function shared(script = HONEST, times) {
  const workers = new Set();
  let started = 0;
  const spawn = () => {
    const worker = new Worker(script);
    worker.unref();
    workers.add(worker);
    started += 1;
    worker.on("exit", () => workers.delete(worker));
    return channel(worker);
  };
  const host = new Host({ ...platform, spawn, hasWorkers: true }, times);
  return { host, workers, started: () => started };
}

/** A client of a server with this recording. */
async function begin(t, host, network = recording, options = {}) {
  const server = await Server.start({ network });
  const client = new LightClient({ genesisHash: network.genesis, endpoints: [server.url], times: TIMES, trustOldStart: true, ...options }, host);
  client.faults = [];
  client.on("fault", (fault) => client.faults.push(fault));
  t.after(async () => {
    await client.destroy();
    await server.stop();
  });
  await client.ready;
  return { client, server, head: () => client.head.block, verdicts: () => client.faults.map(({ verdict }) => verdict) };
}

test("clients of two chains share one worker, each with its state, and it ends with the last", async (t) => {
  const { host, workers, started } = shared();
  const [one, other] = await Promise.all([begin(t, host), begin(t, host, withBody)]);
  assert.deepEqual([workers.size, started()], [1, 1]);
  assert.deepEqual([one.head(), other.head()], [recording.heads[0].number, withBody.heads[0].number]);
  one.server.move(1);
  await until("a newer block of the one", () => one.head() === recording.heads[1].number);
  assert.equal(other.head(), withBody.heads[0].number);
  await one.client.destroy();
  await assert.rejects(one.client.checkpoint(), { verdict: "refused" });
  assert.equal((await other.client.checkpoint()).block_number, withBody.heads[0].number);
  assert.equal(workers.size, 1);
  await other.client.destroy();
  await until("the end of the worker", () => workers.size === 0);
  await begin(t, host);
  assert.equal(started(), 2);
});

test("clients in the caller's thread that begin at once share one module", async (t) => {
  let compiled = 0;
  const own = WebAssembly.instantiate;
  WebAssembly.instantiate = (...given) => {
    // Node has small modules of its own.
    if (given[0].byteLength > 100_000) compiled += 1;
    return own(...given);
  };
  t.after(() => (WebAssembly.instantiate = own));
  const { host, started } = shared();
  const clients = await Promise.all([begin(t, host, recording, { worker: false }), begin(t, host, withBody, { worker: false })]);
  assert.deepEqual([compiled, started()], [1, 0]);
  for (const { server, client, head } of clients) {
    server.move(0);
    assert.equal((await client.checkpoint()).block_number, head());
  }
});

test("a client that makes the module trap ends, and the others are told and go on from their newest states", async (t) => {
  const { host, workers, started } = shared(FAULTY);
  const [bad, good] = await Promise.all([begin(t, host), begin(t, host, recovering, { startHash: recovering.heads[1].hash })]);
  const [, from, to] = recovering.heads;
  assert.equal(good.head(), from.number);
  const pushed = [];
  const { error } = await good.client.subscribe("duet_subscribeJustifications", [], "none", (message) => pushed.push(message));
  assert.equal(error, undefined);
  bad.server.push("0x00");
  await until("the end of the client", () => bad.verdicts().includes("fatal"));
  assert.match(bad.client.faults.at(-1).message, /^the verifier stopped: unreachable/);
  await until("the other's fault", () => good.verdicts().length > 0);
  assert.deepEqual(good.verdicts(), ["restarted"]);
  assert.match(good.client.faults[0].message, /^the worker stopped: .*; this client goes on in a new one/);
  assert.deepEqual([...pushed.map(({ error }) => error?.verdict)], ["restarted"]);
  const stored = good.server.asked.filter((method) => method === "duet_getStartProof").length;
  good.server.move(2);
  await until("a newer block", () => good.head() === to.number);
  assert.equal(good.server.asked.filter((method) => method === "duet_getStartProof").length, stored);
  await assert.rejects(bad.client.checkpoint(), { verdict: "fatal" });
  await until("the end of the old worker", () => workers.size === 1);
  assert.equal(started(), 2);
});

test("a call that makes the module trap is refused, and all clients go on", async (t) => {
  const { host } = shared(FAULTY);
  const [one, other] = await Promise.all([begin(t, host), begin(t, host, withBody)]);
  await assert.rejects(one.client.blake2b(new Uint8Array(), 1), { verdict: "restarted" });
  await until("both faults", () => one.verdicts().length + other.verdicts().length === 2);
  for (const { client, head } of [one, other]) assert.equal((await client.checkpoint()).block_number, head());
});

test("a worker that hangs is ended when a call waits for it, and all clients go on", async (t) => {
  const { host } = shared(FAULTY, { silence: 1_500, young: 0 });
  const [one, other] = await Promise.all([begin(t, host), begin(t, host, withBody)]);
  await assert.rejects(one.client.blake2b(new Uint8Array(), 2), /silent for 3000 ms/);
  await until("both faults", () => one.verdicts().length + other.verdicts().length === 2);
  for (const { client, head } of [one, other]) assert.equal((await client.checkpoint()).block_number, head());
});

test("a call that waits long for the network is no worker that hangs", async (t) => {
  const { host, started } = shared(FAULTY, { silence: 100, young: 0 });
  const { client, head } = await begin(t, host);
  await assert.rejects(client.block(head() + 1, { within: 700 }), /is not proven yet/);
  assert.equal(started(), 1);
});

test("a worker that stops soon by nobody's known fault is not replaced, and all clients end", async (t) => {
  const { host, started } = shared(FAULTY);
  const [one, other] = await Promise.all([begin(t, host), begin(t, host, withBody)]);
  // The answer may come before the error.
  await one.client.blake2b(new Uint8Array(), 3).catch(() => {});
  await until("both faults", () => one.verdicts().length + other.verdicts().length === 2);
  assert.deepEqual([one.verdicts(), other.verdicts(), started()], [["fatal"], ["fatal"], 1]);
  assert.match(one.client.faults[0].message, /^the worker stopped: thrown aside$/);
});

test("after the device slept, a connection on which nobody answers is opened again, and a wait for one ends", async (t) => {
  const { host } = shared();
  const { client, server } = await begin(t, host, recovering, { startHash: recovering.heads[1].hash, times: { ...TIMES, stallAfter: 60_000, requestTimeout: 60_000 } });
  for (const socket of server.sockets) socket.send = () => {};
  server.move(2);
  host.wake();
  await until("the newer block", () => client.head.block === recovering.heads[2].number);
  assert.match(client.faults[0].message, /^no answer within 3000 ms after this device slept/);
  await server.stop();
  await until("four faults", () => client.faults.length >= 5);
  await server.start();
  const { opened } = server;
  host.wake();
  const since = performance.now();
  await until("a connection", () => server.opened > opened);
  assert.ok(performance.now() - since < 1_000);
});

test("while nothing happens, a client asks and wakes less and less; while proofs come, it asks nothing between them", async (t) => {
  const real = setTimeout;
  const server = await Server.start();
  t.after(() => server.stop());
  let woken = 0;
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  const mocked = globalThis.setTimeout;
  globalThis.setTimeout = (then, ...rest) => mocked((...given) => {
    woken += 1;
    then(...given);
  }, ...rest);
  const client = create({ genesisHash: recording.genesis, endpoints: [server.url], worker: false, trustOldStart: true });
  t.after(() => client.destroy());
  await client.ready;
  const pass = async (seconds, each = () => {}) => {
    [woken, server.asked.length] = [0, 0];
    for (let second = 1; second <= seconds; second += 1) {
      each(second);
      t.mock.timers.tick(1_000);
      await new Promise((resolve) => real(resolve, 4));
    }
    return [woken, server.asked.length];
  };
  const [timers, requests] = await pass(600);
  // Looks after 3, 9, 21 and 45 seconds, and then every 48: at two blocks, by hash and header, and at most looks at why.
  assert.ok(timers <= 20 && requests <= 80 && requests > 30, `${timers} timers and ${requests} requests in ten minutes`);
  const proof = recording.answers[`duet_getJustification [${recording.heads[0].number}]`];
  await pass(6, (second) => second === 1 && server.push(proof));
  assert.deepEqual(await pass(60, (second) => second % 6 === 0 && server.push(proof)), [0, 0]);
});
