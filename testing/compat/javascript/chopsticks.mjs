// chopsticks: forks the chain at a block that Duet proved, and tries there what would change the chain.

import { fetchConfig, setupWithServer } from "@acala-network/chopsticks";
import { ApiPromise, Keyring, WsProvider } from "@polkadot/api";
import { check, expect, seen, step, until } from "./support/check.mjs";
import { commitment } from "./support/proof.mjs";

const AMOUNT = 1_000_000_000_000n;

await check("chopsticks", async ({ url }) => {
  step("see a proof");
  const node = new WsProvider(url);
  await node.isReady;
  const hash = await until(() => node.send("duet_getFinalizedHead", []).catch(() => undefined));
  const { number } = await node.send("chain_getHeader", [hash]);
  const proof = commitment(await node.send("duet_getJustification", [Number(number)]));
  expect(proof.hash === hash, `the proof is for block ${proof.hash}`);
  const [alice, bob] = ["//Alice", "//Bob"].map((uri) => new Keyring({ type: "sr25519" }).addFromUri(uri));
  const { public: key, proof: possession } = await node.send("duet_generateKeys", [alice.address]);
  seen(`block ${proof.number}`);

  step("fork the chain there");
  const config = await fetchConfig(new URL("chopsticks.yml", import.meta.url).pathname);
  const fork = await setupWithServer({ ...config, endpoint: url, block: hash, port: 0 });
  const provider = new WsProvider(`ws://${fork.addr}`);
  const api = await ApiPromise.create({ provider, noInitWarn: true });
  const build = () => provider.send("dev_newBlock", [{ count: 1 }]);
  seen(`at block ${(await api.rpc.chain.getHeader()).number}`);

  step("read typed values");
  const free = async (account) => (await api.query.system.account(account.address)).data.free.toBigInt();
  const before = await free(bob);
  const { current } = (await api.call.duetApi.keysets()).unwrap();
  seen(`free balance ${before}, set ${current.id}`);

  step("build a block with a transfer");
  await api.tx.balances.transferKeepAlive(bob.address, AMOUNT).signAndSend(alice);
  await build();
  expect((await free(bob)) === before + AMOUNT, "the amount did not arrive");
  seen(`block ${(await api.rpc.chain.getHeader()).number}`);

  step("register a key, whose proof of possession the runtime checks by a pairing");
  await api.tx.duet.registerKeys(key, possession).signAndSend(alice);
  await build();
  const events = (await api.query.system.events()).map(({ event }) => `${event.section}.${event.method}`);
  expect(events.includes("duet.KeysRegistered"), `the events are ${events.join(", ")}`);
  seen("duet.KeysRegistered");
  await api.disconnect();
  await fork.close();
  await node.disconnect();
});
