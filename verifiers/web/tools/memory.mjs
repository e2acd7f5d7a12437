// Shows that a client's memory does not grow with the blocks that it verifies:
// `node --expose-gc tools/memory.mjs PROGRAM`. The program makes 1 000 proofs, which a server pushes one after the other.
// Fails if the heap, or the memory of the module, is larger by `GROWTH` KiB after the last proof than after the first 200:
// a client that kept each head would take 1 400. What V8 knows of the code grows by some 200.

import { execFileSync } from "node:child_process";
import { WebSocketServer } from "ws";
import { decodeCheckpoint } from "../light-client/src/checkpoint.js";
import { create } from "../light-client/src/node.js";
import { fromHex } from "../light-client/src/text.js";
import * as glue from "../light-client/wasm/duet_light_wasm.js";

const EARLY = 200;
const GROWTH = 512;
const NOT_READY = { code: 9001, message: "no proof yet" };
const given = JSON.parse(execFileSync(process.argv[2], ["many"], { maxBuffer: 1 << 28, encoding: "utf8" }));
const answers = {
  chain_getBlockHash: () => ({ result: given.genesisHash }),
  duet_subscribeJustifications: () => ({ result: "sub" }),
  duet_getFinalizedHead: () => ({ error: NOT_READY }),
  duet_getStatelessProof: ([number]) => ({ result: given.proofs[number - 1] }),
};

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
let socket;
server.on("connection", (opened) => {
  socket = opened;
  socket.on("message", (data) => {
    const { id, method, params } = JSON.parse(data);
    const answer = answers[method]?.(params) ?? { error: { code: -32000, message: "not recorded" } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
});
await new Promise((resolve) => server.on("listening", resolve));

const client = create({
  checkpoint: decodeCheckpoint(fromHex(given.checkpoint)),
  endpoints: [`ws://127.0.0.1:${server.address().port}`],
  trustOldStart: true,
  worker: false,
});
let proven;
client.on("head", ({ block }) => proven?.(block));
await client.ready;

/** KiB of the heap after collections, and of the module. */
async function memory() {
  // One collection frees what the one before only found.
  for (let times = 0; times < 4; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    global.gc();
  }
  const { memory } = await glue.default();
  return [process.memoryUsage().heapUsed / 1024, memory.buffer.byteLength / 1024];
}

let early;
for (const [index, proof] of given.justifications.entries()) {
  const next = new Promise((resolve) => (proven = resolve));
  socket.send(JSON.stringify({ jsonrpc: "2.0", method: "duet_justifications", params: { subscription: "sub", result: proof } }));
  if ((await next) !== index + 1) throw new Error(`not block ${index + 1}`);
  if (index + 1 === EARLY) early = await memory();
}
const late = await memory();
for (const [index, what] of ["heap", "module"].entries()) {
  console.log(`${what}: ${early[index].toFixed(0)} KiB after ${EARLY} blocks, ${late[index].toFixed(0)} KiB after ${given.proofs.length}`);
  if (late[index] - early[index] > GROWTH) process.exitCode = 1;
}
await client.destroy();
socket.terminate();
server.close();
