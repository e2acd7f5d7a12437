import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { file, fromHex } from "../src/node.js";
import { client, recording, Server, until } from "./support.mjs";

const ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
const NOBODY = `0x${"00".repeat(31)}ff`;

for (const mode of ["stateless", "full"]) {
  for (const worker of [true, false]) {
    const where = worker ? "in a worker" : "beside its caller";
    test(`a client follows from genesis over a handoff to each new head, ${mode}, ${where}`, async (t) => {
      const server = await Server.start();
      const made = client(t, [server], { mode, worker });
      const sets = [];
      made.on("set", ({ set }) => sets.push(set));
      const status = await made.ready;
      assert.equal(status.block, recording.heads[0].number);
      assert.equal(status.hash, recording.heads[0].hash);
      assert.deepEqual([status.hashBytes, status.genesisHash], [fromHex(status.hash), recording.genesis]);
      assert.equal(status.set, 1n);
      assert.deepEqual(sets, [1n]);
      for (const head of [1, 2]) {
        server.move(head);
        await until("the new head", () => made.head.block === recording.heads[head].number);
        assert.equal(made.head.signers, 3);
        assert.equal(made.head.bitfield[0], 7);
        assert.equal(made.head.endpoint, server.url);
      }
      assert.deepEqual(made.faults, []);
    });
  }
}

test("a balance, its absence and an older block are verified under the head", async (t) => {
  const made = client(t, [await Server.start()]);
  await made.ready;
  const alice = await made.account(ALICE);
  assert.equal(alice.exists, true);
  assert.ok(alice.free > 998_000n * 10n ** 12n && alice.free < 10n ** 18n, `${alice.free}`);
  assert.equal(alice.block, recording.heads[0].number);
  const nobody = await made.account(NOBODY);
  assert.deepEqual([nobody.exists, nobody.free], [false, 0n]);
  const storage = await made.storage(recording.alice);
  assert.equal(storage.value.length, 80);
  const old = await made.block(recording.old);
  assert.equal(old.block, recording.old);
  assert.ok(old.history > 0);
});

test("a checkpoint that one client gives is where another begins", async (t) => {
  const server = await Server.start();
  const first = client(t, [server]);
  await first.ready;
  const checkpoint = await first.checkpoint();
  assert.equal(checkpoint.block_hash, recording.heads[0].hash);
  const second = client(t, [await Server.start({ head: 2 })], { genesisHash: undefined, checkpoint: JSON.stringify(checkpoint) });
  const status = await second.ready;
  assert.equal(status.block, recording.heads[2].number);
  // One proof led there: no handoff was asked again.
  assert.equal(second.heads.length, 1);
});

test("what was kept in a file is where the next run begins", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "duet-"));
  t.after(() => rm(folder, { recursive: true }));
  const storage = file(join(folder, "trusted"));
  const server = await Server.start();
  const first = client(t, [server], { storage });
  await first.ready;
  await first.destroy();
  const other = await Server.start();
  const second = client(t, [other], { storage });
  const status = await second.ready;
  assert.equal(status.block, recording.heads[0].number);
  assert.ok(!other.asked.includes("duet_getGenesisProof"));
});

test("a checkpoint of another chain than the hash names is refused before anybody is asked", async (t) => {
  const first = client(t, [await Server.start()]);
  await first.ready;
  const checkpoint = { ...(await first.checkpoint()), genesis_hash: `0x${"11".repeat(32)}` };
  const server = await Server.start();
  const made = client(t, [server], { checkpoint });
  await assert.rejects(made.ready, { name: "DuetError", message: /two different genesis hashes are given/ });
  assert.deepEqual(server.asked, []);
});
