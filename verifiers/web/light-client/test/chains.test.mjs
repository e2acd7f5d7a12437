// Lists of known chains.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chain } from "../src/chains.js";
import { create } from "../src/node.js";
import { recording, Server } from "./support.mjs";

const GENESIS = recording.genesis;
const one = { name: "One", genesisHash: GENESIS, endpoints: ["ws://127.0.0.1:9"] };
const two = { name: "Two", genesisHash: `0x${"ab".repeat(32)}`, startHash: `0x${"cd".repeat(32)}`, endpoints: ["wss://a.example", "wss://b.example"], trustingPeriod: 600, ss58Prefix: 42 };

test("a client follows the chain that a name chooses from a list", async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const list = JSON.parse(JSON.stringify([two, { ...one, endpoints: [server.url] }]));
  const client = create({ ...chain(list, "One"), worker: false, trustOldStart: true });
  t.after(() => client.destroy());
  assert.equal((await client.ready).block, recording.heads[0].number);
});

test("the options of a chain are those of its fields that a client takes", () => {
  const { genesisHash, startHash, endpoints, trustingPeriod } = two;
  assert.deepEqual(chain([one, two], "Two"), { genesisHash, startHash, endpoints, trustingPeriod });
});

for (const [change, told] of [
  [{ name: "" }, "chains[1].name has to be a text that is not empty"],
  [{ name: "One" }, "chains[1].name is that of another chain, too: One"],
  [{ genesisHash: undefined }, "chains[1].genesisHash has to be 0x and 64 hexadecimal digits"],
  [{ genesisHash: GENESIS.slice(2) }, "chains[1].genesisHash has to be 0x and 64 hexadecimal digits"],
  [{ startHash: "0x12" }, "chains[1].startHash has to be 0x and 64 hexadecimal digits"],
  [{ startHash: null }, "chains[1].startHash has to be 0x and 64 hexadecimal digits"],
  [{ endpoints: [] }, "chains[1].endpoints has to be 1 to 16 different URLs that begin with ws:// or wss://"],
  [{ endpoints: ["https://a.example"] }, "chains[1].endpoints has to be 1 to 16 different URLs that begin with ws:// or wss://"],
  [{ endpoints: ["ws://a", "ws://a"] }, "chains[1].endpoints has to be 1 to 16 different URLs that begin with ws:// or wss://"],
  [{ trustingPeriod: 0.5 }, "chains[1].trustingPeriod has to be a number of seconds, 1 or more"],
  [{ ss58Prefix: 16_384 }, "chains[1].ss58Prefix has to be a number from 0 to 16383"],
  [{ genesishash: GENESIS }, "chains[1] has an unknown field genesishash"],
]) {
  test(`a list with ${JSON.stringify(change)} is refused by its field`, () => {
    assert.throws(() => chain([one, { ...two, ...change }], "One"), { name: "DuetError", verdict: "refused", message: told });
  });
}

test("what is no list, no chain, or no chain of the list is refused", () => {
  for (const [list, told] of [[{ one }, "chains has to be a list"], [[one, "two"], "chains[1] has to be an object"], [[one, two], "no chain Three: there are One, Two"], [[], "no chain Three: there are none"]]) {
    assert.throws(() => chain(list, "Three"), { verdict: "refused", message: told });
  }
});
