// The requests to an endpoint. The answers are not trusted: the verifier checks their bytes.

import { incomplete, otherAnswer, tooLarge } from "./error.js";
import { blockNumber, bytesOf, encodeHeader, little64, slotOf } from "./header.js";
import { answerOf } from "./message.js";
import { Pushes } from "./pushes.js";
import { Connection, isMethodMissing, isNotReady, isRefusal, isStartMissing, isStateMissing } from "./rpc.js";
import { toHex } from "./text.js";

// The largest set has 100 000 keys of 48 bytes; these also bound the input of the verifier.
const KEYS = 100_000 * 48 + 4;
const JUSTIFICATION = 100_000 / 8 + 1024;
const STATELESS = 2 * KEYS;
const LIST = 3 * KEYS;
// The approximate requested size of a list of handoff proofs in bytes, and the most sets.
const LIST_ASKED = 1 << 20;
const MAX_SETS = 64;
const HEADER = 1 << 16;
const ENTRY = 64;
// The limit of the verifier. (STATE-2)
const NODES = 1 << 23;
const BLOCK_PROOF = 1 << 13;
// The SDK's blocks have 5 MiB at most; a chain may set another limit.
const BODY = 1 << 23;
// How long a connection may be silent after the device slept, in milliseconds.
const AWAKE = 3_000;
/** The most keys in one `duet_getProofs` request. */
export const MAX_KEYS = 64;

/** A connected endpoint. */
export class Server {
  #connection;
  #pushes;
  // Whether it has `duet_getProofs`: true until it denies that.
  #hasProofs = true;
  /** When it was last asked for the time of a block, and for which one: `{ block, done }`. */
  timeAsked = 0;
  dating;

  constructor(url, connection, pushes) {
    this.url = url;
    this.#connection = connection;
    this.#pushes = pushes;
  }

  static async connect(url, openSocket, timeout) {
    const pushes = new Pushes("duet_justifications", answerOf(JUSTIFICATION));
    return new Server(url, await Connection.open(url, openSocket, timeout, { pushes }), pushes);
  }

  close(fault) {
    this.#connection.end(fault);
  }

  /** The device may have slept: the endpoint is looked at now, and has to answer soon. */
  wake() {
    this.#connection.expect(AWAKE);
    this.#pushes.wake();
  }

  /** The genesis hash of its chain. */
  async genesis() {
    return this.#hash("chain_getBlockHash", [0]);
  }

  /**
   * The time of block 1 in milliseconds and the chain's trusting period, under these keys, as the node claims; nothing
   * is proven. `undefined` if the chain has no such block yet, no slots in its headers, or no time in its state.
   *
   * The slots of Aura and BABE count from the epoch: the time is wrong if the chain changed their length.
   */
  async genesisDate(keys) {
    const first = await this.#connection.askBytes("chain_getBlockHash", [1], 32, "hash");
    if (first === null) return undefined;
    const hash = await this.#hash("chain_getFinalizedHead", []);
    const [from, to] = [await this.#slot(first), await this.#slot(hash)];
    const read = async (key) => {
      const bytes = await this.#connection.askBytes("state_getStorage", [toHex(key), toHex(hash)], ENTRY, "entry");
      return bytes?.length === 8 ? little64(bytes) : undefined;
    };
    const [time, period] = [await read(keys[0]), await read(keys[1])];
    if (time === undefined || !from || !to) return undefined;
    const since = to > from ? ((to - from) * time) / to : 0n;
    return { time: time - since, trustingPeriod: period || undefined };
  }

  /** The proof of the first set; `null` if the node cannot prove its genesis. */
  async genesisProof() {
    try {
      const proof = await this.#connection.askBytes("duet_getGenesisProof", [], LIST, "start proof");
      if (proof === null) throw otherAnswer("a genesis proof", "nothing");
      return proof;
    } catch (fault) {
      if (isStartMissing(fault)) return null;
      throw fault;
    }
  }

  /** The proof of the set that signs at a block; `null` if the node has none. */
  startProof(hash) {
    return this.#connection.askBytes("duet_getStartProof", [toHex(hash)], LIST, "start proof");
  }

  /** The same for the block at which the chain's sets begin, as the node claims; `null` if it does not know. */
  async claimedStart() {
    try {
      return await this.#connection.askBytes("duet_getStartProof", [], LIST, "start proof");
    } catch (fault) {
      if (isStartMissing(fault) || isMethodMissing(fault)) return null;
      throw fault;
    }
  }

  /** The head that it claims as proven: `{ number, hash }`; `undefined` before the first proof. */
  async head() {
    try {
      return await this.#numbered("duet_getFinalizedHead");
    } catch (fault) {
      if (isNotReady(fault)) return undefined;
      throw fault;
    }
  }

  /** The number of the newest finalized block of its chain, proven or not. */
  async chainHead() {
    return (await this.#numbered("chain_getFinalizedHead")).number;
  }

  /** Whether it says that no set signs its newest block: the set has expired or was ended (HANDOFF-5, ACTIVE-3). */
  async isSilent() {
    try {
      // SCALE of an `Option`.
      const payload = await this.#connection.askBytes("state_call", ["DuetApi_commitment_payload", "0x"], HEADER, "payload");
      return payload?.[0] === 0;
    } catch (fault) {
      if (fault.code) return false;
      throw fault;
    }
  }

  /** The proof of a block in the form of this mode; `null` if the node has none. */
  proof(block, mode) {
    return mode === "full"
      ? this.#connection.askBytes("duet_getJustification", [block], JUSTIFICATION, "justification")
      : this.#connection.askBytes("duet_getStatelessProof", [block], STATELESS, "stateless proof");
  }

  /**
   * The proof of the highest block that a set signed, also where a reset ended the set; `null` if the node has none, or is
   * too old to know the question.
   */
  async lastProof(set, mode) {
    try {
      return mode === "full"
        ? await this.#connection.askBytes("duet_getLastJustification", [Number(set)], JUSTIFICATION, "justification")
        : await this.#connection.askBytes("duet_getLastStatelessProof", [Number(set)], STATELESS, "stateless proof");
    } catch (fault) {
      if (isMethodMissing(fault)) return null;
      throw fault;
    }
  }

  /** The handoff proofs from a set on, as many as fit in an answer of sensible length. */
  async handoffs(from, length, mode) {
    const limit = Math.min(Math.max(Math.floor(LIST_ASKED / (48 * length)), 1), MAX_SETS);
    const method = mode === "full" ? "duet_getSetProofs" : "duet_getStatelessSetProofs";
    const list = await this.#connection.askBytes(method, [Number(from), limit], LIST, "list of handoff proofs");
    if (list === null) throw otherAnswer("a list of handoff proofs", "nothing");
    return list;
  }

  /** The keys of a set; `null` if the node has none. */
  keys(set) {
    return this.#connection.askBytes("duet_getKeys", [Number(set)], KEYS, "list of keys");
  }

  /** The header of the reset after a set; `null` if the node knows none, or refuses the request. */
  async reset(from) {
    try {
      return await this.#connection.askBytes("duet_getReset", [Number(from)], HEADER, "header");
    } catch (fault) {
      if (fault.code) return null;
      throw fault;
    }
  }

  /** Subscribes to new proofs, which `nextProof` gives. */
  async subscribe() {
    this.#pushes.named(await this.#connection.ask("duet_subscribeJustifications", []));
  }

  /** Whether a proof waits. */
  get hasProof() {
    return this.#pushes.hasSome;
  }

  /** The next proof, if one comes within this time. */
  nextProof(within) {
    return this.#pushes.next(within);
  }

  /** The bytes of a block's header. */
  async header(hash) {
    const asked = `the header of ${toHex(hash)}`;
    const header = await this.#connection.ask("chain_getHeader", [toHex(hash)], answerOf(HEADER));
    if (header === null) throw incomplete(`header of block ${toHex(hash)}`);
    return encodeHeader(header, asked);
  }

  /** The trie nodes that prove these keys under a block's state. */
  async readProof(keys, block) {
    const params = [keys.map(toHex), toHex(block.hash)];
    const answer = await this.#askFor("state_getReadProof", params, answerOf(NODES), noState(block.number));
    return nodesOf(answer?.proof, block.number);
  }

  /**
   * Header, trie nodes and the path from a newer block in one answer: `{ header, nodes, path? }`, where `path` is
   * `{ leaves, proof }` for a block older than `under`; `undefined` if the node cannot give them in one answer. `trust`
   * checks the proof of block `under`.
   */
  async proofs(keys, block, under, trust) {
    if (!this.#hasProofs || keys.length > MAX_KEYS) return undefined;
    const asked = `the proofs of block ${block}`;
    let answer;
    try {
      const params = [keys.map(toHex), block, under, trust.mode === "stateless"];
      answer = await this.#connection.ask("duet_getProofs", params, answerOf(NODES + STATELESS), true);
    } catch (fault) {
      if (isStateMissing(fault)) throw incomplete(noState(block));
      if (isMethodMissing(fault)) this.#hasProofs = false;
      else if (!isRefusal(fault)) throw fault;
      return undefined;
    }
    // The node has no proof of block `under`, or none at all yet.
    if (answer === null) return undefined;
    trust.checkUnder(under, bytesOf(answer?.proof, asked));
    const path = answer?.path ?? undefined;
    if ((path === undefined) !== (block === under)) throw otherAnswer(asked, path === undefined ? "no path to it" : "a path to the block itself");
    return {
      header: bytesOf(answer?.header, asked),
      nodes: nodesOf(answer?.nodes, block),
      path: path && { leaves: bytesOf(path.leaves, asked), proof: bytesOf(path.proof, asked) },
    };
  }

  /** Header and trie nodes for the state of a block that is the newest proven one: `{ header, nodes }`. */
  async proofsAt(keys, block, trust) {
    const { number, hash } = block;
    const found = await this.proofs(keys, number, number, trust);
    return found ?? { header: await this.header(hash), nodes: await this.readProof(keys, block) };
  }

  /** The keys under a prefix in a block's state, as the node lists them, at most `most`. */
  async keysUnder(prefix, block, most) {
    const params = [toHex(prefix), most, null, toHex(block.hash)];
    const keys = await this.#askFor("state_getKeysPaged", params, answerOf(LIST_ASKED), noState(block.number));
    const asked = `at most ${most} keys`;
    if (!Array.isArray(keys) || keys.length > most) throw otherAnswer(asked, "something else");
    return keys.map((key) => bytesOf(key, asked));
  }

  /** The proof of an older block under a newer one: `{ leaves, proof }`. */
  async blockProof(older, newer) {
    const asked = `a proof of block ${older}`;
    // The leaf about a block is added by the block after it.
    const params = [[older + 1], newer.number, toHex(newer.hash)];
    const answer = await this.#askFor("mmr_generateProof", params, answerOf(BLOCK_PROOF), `proof of the older block ${older}`, false);
    return { leaves: bytesOf(answer?.leaves, asked), proof: bytesOf(answer?.proof, asked) };
  }

  /** The extrinsics of a block, each with a length prefix. */
  async extrinsics(block) {
    const asked = `the extrinsics of block ${block.number}`;
    const lacks = `extrinsics of block ${block.number}: a node keeps those of all blocks unless it runs with \`--blocks-pruning\``;
    const answer = await this.#askFor("chain_getBlock", [toHex(block.hash)], answerOf(BODY), lacks);
    if (answer === null) throw incomplete(lacks);
    const { extrinsics } = answer.block ?? {};
    if (!Array.isArray(extrinsics)) throw otherAnswer(asked, "no list of extrinsics");
    return extrinsics.map((bytes) => bytesOf(bytes, asked));
  }

  /** Requests data that an honest node may have pruned: a refusal means that it lacks them, or that they are too much. */
  async #askFor(method, params, most, what, isOpen = true) {
    try {
      return await this.#connection.ask(method, params, most, isOpen);
    } catch (fault) {
      throw isRefusal(fault) && fault.verdict !== "too_large" ? incomplete(what) : fault;
    }
  }

  async #hash(method, params) {
    const hash = await this.#connection.askBytes(method, params, 32, "hash");
    if (hash?.length !== 32) throw otherAnswer("a hash", "nothing");
    return hash;
  }

  async #slot(hash) {
    return slotOf(await this.#connection.ask("chain_getHeader", [toHex(hash)], answerOf(HEADER)));
  }

  async #numbered(method) {
    const hash = await this.#hash(method, []);
    const header = await this.#connection.ask("chain_getHeader", [toHex(hash)], answerOf(HEADER));
    const asked = `header ${toHex(hash)}`;
    if (header === null) throw otherAnswer(asked, "nothing");
    return { number: blockNumber(header, asked), hash };
  }
}

function noState(number) {
  return `state of block ${number}: a node keeps the state of the last 256 blocks, or of all with \`--state-pruning archive\``;
}

function nodesOf(nodes, number) {
  const asked = `a proof of the state of block ${number}`;
  if (!Array.isArray(nodes)) throw otherAnswer(asked, "no trie nodes");
  const proof = nodes.map((node) => bytesOf(node, asked));
  if (proof.reduce((sum, { length }) => sum + length, 0) > NODES) throw tooLarge(asked, `${NODES} bytes`);
  return proof;
}
