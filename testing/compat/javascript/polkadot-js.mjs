// @polkadot/api: typed storage, a runtime call of ours, a transfer, and our own methods and subscription.

import { ApiPromise, Keyring, WsProvider } from "@polkadot/api";
import WebSocket from "ws";
import { check, expect, seen, step } from "./support/check.mjs";
import { commitment, proofOf } from "./support/proof.mjs";

const AMOUNT = 1_000_000_000_000n;

/** What an application gives @polkadot/api so that it knows `api.rpc.duet`. */
const rpc = {
  duet: {
    getFinalizedHead: { description: "The highest block that Duet proved", params: [], type: "Hash" },
    getJustification: { description: "The proof of a block", params: [{ name: "block", type: "u32" }], type: "Option<Bytes>" },
    subscribeJustifications: {
      description: "Proofs as they are made",
      params: [],
      type: "Bytes",
      pubsub: ["justifications", "subscribeJustifications", "unsubscribeJustifications"],
    },
  },
};

await check("@polkadot/api", async ({ url }) => {
  step("connect");
  const api = await ApiPromise.create({ provider: new WsProvider(url), rpc, throwOnConnect: true });
  seen(`${await api.rpc.system.chain()}, runtime ${api.runtimeVersion.specVersion}, prefix ${api.registry.chainSS58}`);
  const keyring = new Keyring({ type: "sr25519", ss58Format: api.registry.chainSS58 });
  const alice = keyring.addFromUri("//Alice");
  const bob = keyring.addFromUri("//Bob");

  step("answer polkadot.js Apps");
  seen(await asApps(url, api));

  step("read typed values");
  const free = async (account) => (await api.query.system.account(account.address)).data.free.toBigInt();
  const before = await free(bob);
  const keysets = await api.call.duetApi.keysets();
  expect(keysets.isSome, "the runtime has no keyset");
  seen(`free balance ${before}, set ${keysets.unwrap().current.id}, limit ${api.consts.duet.maxValidators} validators`);

  step("subscribe to proofs");
  const first = await new Promise((resolve, reject) => {
    const ending = api.rpc.duet.subscribeJustifications((bytes) => resolve({ bytes, ending })).catch(reject);
  });
  (await first.ending)();
  seen(`block ${commitment(first.bytes).number} in ${commitment(first.bytes).bytes} bytes`);

  step("send a transfer, and see it finalized");
  const transfer = api.tx.balances.transferKeepAlive(bob.address, AMOUNT);
  const hash = await finalized(transfer, alice);
  const number = (await api.rpc.chain.getHeader(hash)).number.toNumber();
  expect((await free(bob)) === before + AMOUNT, "the amount did not arrive");
  seen(`in block ${number}`);

  step("see the proof of its block");
  const proof = await proofOf(number, hash, async (block) => (await api.rpc.duet.getJustification(block)).unwrapOr(undefined));
  seen(`${proof.bytes} bytes`);
  await api.disconnect();
});

/**
 * What polkadot.js Apps asks: the check of its list of endpoints sends one request for the metadata, with a text as id,
 * and takes an answer in hexadecimal digits; its page reads four words of the node when it connects.
 */
async function asApps(url, api) {
  const socket = new WebSocket(url);
  const metadata = await new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error("the connection failed"));
    socket.onclose = ({ code }) => reject(new Error(`the connection was closed, with ${code}`));
    socket.onopen = () => socket.send(JSON.stringify({ id: "1", jsonrpc: "2.0", method: "state_getMetadata", params: [] }));
    socket.onmessage = ({ data }) => resolve(JSON.parse(data));
  }).finally(() => socket.close());
  expect(metadata.id === "1" && metadata.result?.startsWith("0x6d657461"), `no metadata: ${JSON.stringify(metadata).slice(0, 200)}`);
  const { chain, chainType, name, version } = api.rpc.system;
  return (await Promise.all([chain(), chainType(), name(), version()])).join(", ");
}

/** Resolves to the hash of the finalized block that has the transaction. */
function finalized(transaction, pair) {
  return new Promise((resolve, reject) => {
    const told = ({ status, dispatchError }) => {
      if (dispatchError) reject(new Error(`refused: ${dispatchError}`));
      else if (status.isFinalized) resolve(status.asFinalized.toHex());
      else if (status.isInvalid || status.isDropped || status.isUsurped) reject(new Error(`the transaction is ${status.type}`));
    };
    transaction.signAndSend(pair, told).catch(reject);
  });
}
