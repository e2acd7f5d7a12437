// Records the answers of a live local network, for the tests:
//
//     node tools/record.mjs WS_URL > light-client/test/recording.json
//     node tools/record.mjs WS_URL --body > light-client/test/body.json
//     node tools/record.mjs WS_URL --age > light-client/test/age.json
//
// The network needs at least one handoff. Records three heads, each with a client's requests about it; or one head, and
// the newest block under it that has a signed transaction; or two heads with their time, a start at the first of them,
// and what a node says of the age of the genesis.

import { readFile } from "node:fs/promises";
import { accountId, accountKey } from "../light-client/src/account.js";
import { openSocket } from "../light-client/src/node-socket.js";
import { Connection } from "../light-client/src/rpc.js";
import { fromHex, toHex } from "../light-client/src/text.js";
import * as glue from "../light-client/wasm/duet_light_wasm.js";

const MODULE = new URL("../light-client/wasm/duet_light_wasm_bg.wasm", import.meta.url);
await glue.default({ module_or_path: await readFile(MODULE) });
const key = (account) => toHex(accountKey(accountId(account, glue.blake2b), glue.blake2b));
const ALICE = key("5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY");
// An account that does not exist.
const NOBODY = key(`0x${"00".repeat(31)}ff`);
const OLD = 3;
const MOST = 1 << 24;

const connection = await Connection.open(process.argv[2], openSocket, 10_000);
const answers = {};

async function record(method, params) {
  const result = await connection.ask(method, params, MOST);
  answers[`${method} ${JSON.stringify(params)}`] = result;
  return result;
}

const genesis = await record("chain_getBlockHash", [0]);
await record("duet_getGenesisProof", []);
for (const set of [0, 1]) {
  for (const method of ["duet_getSetProofs", "duet_getStatelessSetProofs"]) await record(method, [set, 64]);
  await record("duet_getKeys", [set]);
}
const newest = await connection.ask("chain_getHeader", [await connection.ask("duet_getFinalizedHead", [])], MOST);
const last = Number(newest.number);

/** A proven block, with both forms of its proof. */
async function head(number) {
  const hash = await connection.ask("chain_getBlockHash", [number]);
  await record("chain_getHeader", [hash]);
  await record("duet_getJustification", [number]);
  await record("duet_getStatelessProof", [number]);
  return { number, hash };
}

async function threeHeads() {
  const heads = [];
  for (const number of [last - 2, last - 1, last]) {
    const { hash } = await head(number);
    heads.push({ number, hash });
    await record("state_getReadProof", [[ALICE], hash]);
    await record("state_getReadProof", [[NOBODY], hash]);
    await record("mmr_generateProof", [[OLD + 1], number, hash]);
  }
  await record("chain_getHeader", [await connection.ask("chain_getBlockHash", [OLD])]);
  return { genesis, heads, old: OLD, alice: ALICE, nobody: NOBODY, answers };
}

async function body() {
  const newer = await head(last);
  for (let number = last - 1; number > 0; number -= 1) {
    const hash = await connection.ask("chain_getBlockHash", [number]);
    const { block } = await connection.ask("chain_getBlock", [hash], MOST);
    // The first extrinsic is the SDK's inherent, which sets the time.
    if (block.extrinsics.length < 2) continue;
    await record("chain_getHeader", [hash]);
    await record("chain_getBlock", [hash]);
    await record("mmr_generateProof", [[number + 1], newer.number, newer.hash]);
    return { genesis, heads: [newer], block: { number, hash }, answers };
  }
  throw new Error("no block has a transaction");
}

async function age() {
  const keys = glue.dateKeys().map(toHex);
  await record("chain_getHeader", [await record("chain_getBlockHash", [1])]);
  const heads = [];
  for (const number of [last - 1, last]) {
    const { hash } = await head(number);
    heads.push({ number, hash });
    await record("duet_getStartProof", [hash]);
    await record("state_getReadProof", [keys, hash]);
    for (const key of keys) await record("state_getStorage", [key, hash]);
    const { set } = glue.peek("justification", fromHex(answers[`duet_getJustification [${number}]`]));
    for (const from of [set, set + 1n]) await record("duet_getStatelessSetProofs", [Number(from), 64]);
  }
  return { genesis, heads, keys, answers };
}

const modes = { "--body": body, "--age": age };
const recorded = await (modes[process.argv[3]] ?? threeHeads)();
console.log(JSON.stringify(recorded, undefined, 1));
connection.end(new Error("done"));
