// Reads state and older blocks: asks one endpoint after the other until one proves its answer.

import { accountId, accountKey, readAccount } from "./account.js";
import { Blocks } from "./blocks.js";
import { hashOf } from "./chain.js";
import { contradiction, DuetError, incomplete, misuse, ofVerifier, otherAnswer } from "./error.js";
import { readHeader, readHeaderOf } from "./header.js";
import { equal, fromHex, toHex } from "./text.js";
import { MissingNode, sameKeys, Trie } from "./trie.js";

// The longest wait in milliseconds for the proof of a block, and the most requests that may wait.
const MAX_WAIT = 120_000;
const MAX_WAITING = 256;
const MAX_KEYS = 1_024;
// The most keys that a node lists at once. If it lists that many, there may be more.
const LISTED = 1_000;
/** The most headers that are read at once. */
const MAX_HEADERS = 256;
const METADATA = "Metadata_metadata";
// `System.Events`, and its value in a block without events.
const EVENTS = "0x26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7";
const NO_EVENTS = new Uint8Array(1);
// The SDK's extrinsics, which are parameters of calls, have 5 MiB at most.
const MAX_PARAMETERS = 5 << 20;

export class Reader {
  #trust;
  #connected;
  #calls;
  #blocks = new Blocks();

  /** `connected()` names the endpoints that can be asked, in the caller's order; `calls()` gives what executes calls. */
  constructor(trust, connected, calls) {
    this.#trust = trust;
    this.#connected = connected;
    this.#calls = calls;
  }

  /** An account in the state. */
  async account(account, options) {
    const blake2b = (bytes, length) => this.#trust.blake2b(bytes, length);
    const id = accountId(account, blake2b);
    const { values, ...proof } = await this.#read([accountKey(id, blake2b)], options);
    return { account: toHex(id), ...readAccount(values[0]), ...proof };
  }

  /** An entry of the state; without `value` if there provably is none. */
  async storage(key, options) {
    const bytes = keyOf(key);
    const { values, ...proof } = await this.#read([bytes], options);
    return { key: toHex(bytes), value: values[0], ...proof };
  }

  /** Several entries, all of one block. */
  async entries(keys, options) {
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw misuse(`keys has to be an array of at most ${MAX_KEYS} keys`);
    const named = keys.map(keyOf);
    // The proof covers each key once, even if it is requested several times.
    const once = [...new Map(named.map((key) => [toHex(key), key])).values()];
    const { values, ...proof } = await this.#read(once, options);
    const found = new Map(once.map((key, index) => [toHex(key), values[index]]));
    return { entries: named.map((key) => ({ key: toHex(key), value: found.get(toHex(key)) })), ...proof };
  }

  /** All entries under a prefix, up to 999, proven complete, and their Merkle value. */
  under(prefix, options) {
    const start = keyOf(prefix);
    return this.#ask(options, async (server, number) => {
      const { entry } = await this.#entry(server, number);
      const listed = await server.keysUnder(start, entry, LISTED);
      if (listed.length === LISTED) throw tooManyKeys(start);
      const found = await this.#shown(server, entry, start, listed);
      if (!sameKeys(found.keys, listed)) throw contradiction("the listed keys differ from the keys in the proven state");
      return found.answer;
    });
  }

  /** The Merkle value of all entries under a prefix, a hash or a short node; absent if there are none. */
  merkleValue(prefix, options) {
    const start = keyOf(prefix);
    return this.#ask(options, async (server, number) => {
      const { entry } = await this.#entry(server, number);
      return (await this.#shown(server, entry, start)).answer;
    });
  }

  /** The entries that a proof of a prefix and of its listed keys shows. */
  async #shown(server, entry, prefix, listed) {
    const asked = [prefix, ...(listed ?? []).filter((key) => !equal(key, prefix))];
    const nodes = await server.readProof(asked, entry);
    const values = this.#trust.call(() => entry.block.read(entry.header, asked, nodes));
    const { stateRoot } = this.#trust.call(() => entry.block.header(entry.header));
    const byHash = new Map(nodes.map((node) => [toHex(this.#trust.blake2b(node, 32)), node]));
    const trie = new Trie((hash) => byHash.get(toHex(hash)));
    const valueOf = new Map(asked.map((key, index) => [toHex(key), values[index]]));
    try {
      const closest = trie.closest(stateRoot, prefix);
      const keys = closest && listed ? trie.keys(closest) : [];
      const entries = keys.map((key) => ({ key: toHex(key), value: valueOf.get(toHex(key)) }));
      const answer = { merkleValue: closest?.reference.slice(), ...underBlock(entry, nodes) };
      return { keys, answer: listed ? { entries, ...answer } : answer };
    } catch (error) {
      if (!(error instanceof MissingNode)) throw error;
      throw contradiction("the listed keys leave out some keys of the state");
    }
  }

  /** The header of a proven block, by number or hash. */
  block(at, options) {
    return this.#ask({ ...options, at }, async (server, number) => {
      const { entry } = await this.#entry(server, number);
      const { number: block, ...header } = this.#trust.call(() => entry.block.header(entry.header));
      return { block, ...header, proofBytes: entry.header.length + entry.history, header: entry.header, history: entry.history };
    });
  }

  /** The extrinsics of a proven block. */
  body(at, options) {
    return this.#body({ ...options, at }, (block, header, extrinsics) => {
      block.body(header, extrinsics);
      return { extrinsics };
    });
  }

  /** The position of the transaction with this hash in a block; without `index` if the block provably has none. */
  async transaction(hash, options) {
    const bytes = hashOf(hash, "hash");
    return this.#body(options, (block, header, extrinsics) => {
      const index = block.find(header, extrinsics, bytes);
      return { transaction: toHex(bytes), included: index !== undefined, index, value: extrinsics[index] };
    });
  }

  /** What became of a transaction, by the events of its block and the metadata of the code that executed it. (STATE-9) */
  async outcome(hash, options) {
    const found = await this.transaction(hash, options);
    if (!found.included) return found;
    const { block: at, index } = found;
    // A block that changes the code was executed by the code before it.
    const [called, entry] = await Promise.all([this.call(METADATA, "0x", { at: at - 1 }), this.storage(EVENTS, { at })]);
    const outcome = await this.#calls().read({ metadata: called.result, events: entry.value ?? NO_EVENTS, index });
    return { ...found, ...outcome, proofBytes: found.proofBytes + called.proofBytes + entry.proofBytes };
  }

  /** The era of a transaction by the newest metadata, `[period, phase]`; empty if it is immortal. */
  async mortality(extrinsic) {
    const { result: metadata } = await this.call(METADATA);
    return this.#calls().read({ metadata, extrinsic });
  }

  /** The headers from a number to a proven block, linked by their hashes; oldest first. */
  async headers(from, to, options) {
    return this.#ask({ ...options, at: to }, async (server, last) => {
      if (!Number.isInteger(from) || from < 0 || from > last || last - from >= MAX_HEADERS) {
        throw misuse(`headers returns at most ${MAX_HEADERS} headers, up to block ${last}`);
      }
      const { entry } = await this.#entry(server, last);
      const headers = [{ block: last, hash: entry.hash, header: entry.header }];
      while (headers[0].block > from) headers.unshift(await this.#parent(server, headers[0]));
      return { headers, block: last, hash: entry.hash };
    });
  }

  /** The header before a proven one, proven by the parent hash. */
  async #parent(server, { block: child, header }) {
    const { parentHash } = readHeader(header);
    const number = child - 1;
    const known = this.#blocks.get(number);
    if (known?.header && equal(known.hash, parentHash)) return { block: number, hash: parentHash, header: known.header };
    const parent = await this.#header(server, parentHash);
    const read = readHeader(parent);
    if (read.number !== number) throw otherAnswer(`block ${number}`, `block ${read.number}`);
    this.#blocks.add({ number, hash: parentHash, header: parent });
    return { block: number, hash: parentHash, header: parent };
  }

  /** The header with this hash, checked. Its number is then the number of the block with this hash. (STATE-1) */
  async #header(server, hash) {
    const header = await server.header(hash);
    readHeaderOf(hash, header, (bytes) => this.#trust.blake2b(bytes, 32));
    return header;
  }

  /** Applies `check` to a block's extrinsics. `check` throws if they are not proven. */
  #body(options, check) {
    return this.#ask(options, async (server, number) => {
      const { entry } = await this.#entry(server, number);
      const extrinsics = await server.extrinsics(entry);
      const found = this.#trust.call(() => check(entry.block, entry.header, extrinsics));
      const proofBytes = entry.header.length + entry.history + extrinsics.reduce((sum, { length }) => sum + length, 0);
      return { ...found, block: entry.number, hash: entry.hash, proofBytes, header: entry.header, history: entry.history };
    });
  }

  /** The result of a call of the runtime. */
  async call(method, parameters, options) {
    if (typeof method !== "string") throw misuse("a call has the name of a function of the runtime");
    const bytes = keyOf(parameters ?? "0x");
    if (bytes.length > MAX_PARAMETERS) throw misuse(`a call has at most ${MAX_PARAMETERS} bytes of parameters`);
    const calls = this.#calls();
    return this.#ask(options, async (server, number) => {
      let entry;
      const read = async (keys) => {
        const found = await this.#proven(server, number, keys);
        entry = found.entry;
        const { stateRoot: root } = this.#trust.call(() => entry.block.header(entry.header));
        return { ...found, root };
      };
      const { result, nodes, rounds } = await calls.call(method, bytes, read);
      return { method, result, rounds, ...underBlock(entry, nodes) };
    });
  }

  #read(keys, options) {
    return this.#ask(options, async (server, number) => {
      const { entry, nodes, values } = await this.#proven(server, number, keys);
      return { values, ...underBlock(entry, nodes) };
    });
  }

  /** Entries of a block: `{ entry, nodes, values }`. */
  async #proven(server, number, keys) {
    const { entry, nodes: brought } = await this.#entry(server, number, keys);
    const nodes = brought ?? (await server.readProof(keys, entry));
    const values = this.#trust.call(() => entry.block.read(entry.header, keys, nodes));
    return { entry, nodes, values };
  }

  /** Asks one endpoint after the other until one proves its answer; `question(server, number)` is for one block. */
  async #ask({ at, within = 0, maxAge } = {}, question) {
    this.#trust.needed();
    const wait = Math.min(Math.max(Number(within) || 0, 0), MAX_WAIT);
    const reasons = [];
    for (const endpoint of this.#connected()) {
      const { server } = endpoint;
      try {
        const number = await this.#number(server, at, wait);
        await this.#trust.checkFresh(server, maxAge);
        return { ...(await question(server, number)), endpoint: endpoint.url, headTime: this.#trust.status().time };
      } catch (thrown) {
        const fault = ofVerifier(thrown);
        if (["fatal", "refused", "stopped"].includes(fault.verdict)) throw fault;
        // No other endpoint changes a proven age.
        if (fault.verdict === "stale" && fault.got) throw fault;
        fault.endpoint = endpoint.url;
        reasons.push(fault);
        // Missing data is not a fault, nor is too much. The follower of the endpoint notices the end of the connection.
        if (!["incomplete", "stale", "too_large"].includes(fault.verdict)) server.close(fault);
      }
    }
    if (reasons.length === 0) throw incomplete("open connection to any endpoint");
    const first = reasons.find(({ verdict }) => verdict === "lied") ?? reasons[0];
    const message = reasons.map(({ endpoint, message: text }) => `${endpoint}: ${text}`).join("; ");
    throw new DuetError({ ...first.toPlain(), message });
  }

  /** The number of the requested block. For a hash, proves that the block with this number has this hash. */
  async #number(server, at, within) {
    if (at === undefined) return this.#trust.best.number;
    const hash = typeof at === "string" ? fromHex(at) : at;
    if (!(hash instanceof Uint8Array)) {
      if (!Number.isInteger(at) || at < 0) throw misuse("a block is given by its number or its hash");
      await this.#reach(at, `block ${at}`, within);
      return at;
    }
    if (hash.length !== 32) throw misuse("a block's hash is 0x and 64 hexadecimal digits, or 32 bytes");
    const known = this.#blocks.numberOf(hash);
    if (known !== undefined) return known;
    const header = await this.#header(server, hash);
    const { number } = readHeader(header);
    await this.#reach(number, `block ${number} (${toHex(hash)})`, within);
    const { entry } = await this.#entry(server, number);
    if (!equal(entry.hash, hash)) throw notFinal(number, entry.hash, hash);
    return number;
  }

  async #reach(number, name, within) {
    if (number <= this.#trust.best.number) return;
    if (within > 0 && this.#trust.waiting >= MAX_WAITING) throw misuse(`${MAX_WAITING} requests already wait for blocks`);
    if (within > 0) await this.#trust.reached(number, within);
    const best = this.#trust.best.number;
    if (number > best) throw misuse(`${name} is not proven yet: the newest proven block is ${best}`);
  }

  /** A proven block with its header, and the trie nodes of these keys if the answer had them. */
  async #entry(server, number, keys = []) {
    const known = this.#blocks.get(number);
    if (known?.block && known.header) return { entry: known };
    const best = this.#trust.call(() => this.#trust.client.best());
    const under = { number: best.number, hash: best.hash };
    const all = await server.proofs(keys, number, under.number, this.#trust);
    const path = all ? all.path : number === under.number ? undefined : await server.blockProof(number, under);
    const block = path === undefined ? best : this.#trust.call(() => best.older(number, path.leaves, path.proof));
    const { hash } = block;
    const header = all?.header ?? known?.header ?? (await server.header(hash));
    this.#trust.call(() => block.header(header));
    const history = path === undefined ? 0 : path.leaves.length + path.proof.length;
    return { entry: this.#blocks.add({ number, hash, block, header, history }), nodes: keys.length > 0 ? all?.nodes : undefined };
  }
}

/** The block of an answer from the state, and its proof. */
function underBlock({ number: block, hash, header, history }, nodes) {
  const proofBytes = header.length + history + nodes.reduce((sum, node) => sum + node.length, 0);
  return { block, hash, proofBytes, header, nodes, history };
}

function keyOf(key) {
  const bytes = key instanceof Uint8Array ? key : fromHex(key);
  if (bytes === undefined) throw misuse("a key is bytes, or 0x and hexadecimal digits");
  return bytes;
}

/** Nobody's fault: a chain may have any number of keys. */
function tooManyKeys(prefix) {
  const message = `there are ${LISTED} keys or more under ${toHex(prefix)}: only shorter lists can be proven complete`;
  return new DuetError({ verdict: "refused", culprit: "caller", nextStep: "go-on", message, expected: `fewer than ${LISTED}`, got: "more" });
}

/** The caller asked for a block, but another block with its number is proven. */
function notFinal(number, expected, got) {
  const message = `block ${toHex(got)} is not final: block ${number} is ${toHex(expected)}`;
  return new DuetError({ verdict: "refused", rule: "STATE-3", culprit: "caller", nextStep: "go-on", message, expected: toHex(expected), got: toHex(got) });
}
