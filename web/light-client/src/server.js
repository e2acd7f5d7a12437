// What is asked of an endpoint. Nothing is believed here: the answers become bytes that the verifier checks.

import { incomplete, otherAnswer } from "./error.js";
import { answerOf, Connection, isNotReady, isRefusal } from "./rpc.js";
import { concat, fromHex, shown, toHex } from "./text.js";

// The largest set has 100 000 keys of 48 bytes; what the verifier decodes is bounded by these too.
const KEYS = 100_000 * 48 + 4;
const JUSTIFICATION = 100_000 / 8 + 1024;
const STATELESS = 2 * KEYS;
const LIST = 3 * KEYS;
// About how many bytes a list of handoff proofs is asked to have, and how many sets at most.
const LIST_ASKED = 1 << 20;
const MAX_SETS = 64;
const HEADER = 1 << 16;
const NODES = 1 << 20;
// The SDK's blocks have 5 MiB at most; a chain may set another limit.
const BODY = 1 << 23;
const BLOCK_PROOF = 1 << 13;
const MAX_LOGS = 256;

/** An endpoint that a connection leads to. */
export class Server {
  #connection;

  constructor(url, connection) {
    this.url = url;
    this.#connection = connection;
  }

  static async connect(url, openSocket, timeout) {
    return new Server(url, await Connection.open(url, openSocket, timeout));
  }

  close(fault) {
    this.#connection.end(fault);
  }

  /** The hash of its first block. */
  async genesis() {
    return this.#hash("chain_getBlockHash", [0]);
  }

  /** The proof of the first set. */
  async genesisProof() {
    const proof = await this.#connection.askBytes("duet_getGenesisProof", [], LIST, "genesis proof");
    if (proof === null) throw otherAnswer("a genesis proof", "nothing");
    return proof;
  }

  /** What it names as proven: `{ number, hash }`; `undefined` as long as there is nothing. */
  async head() {
    try {
      return await this.#numbered("duet_getFinalizedHead");
    } catch (fault) {
      if (isNotReady(fault)) return undefined;
      throw fault;
    }
  }

  /** What its chain has finalized, proven or not. */
  async chainHead() {
    return (await this.#numbered("chain_getFinalizedHead")).number;
  }

  /** The proof of a block in the form of this mode; `null` when it has none. */
  proof(block, mode) {
    return mode === "full"
      ? this.#connection.askBytes("duet_getJustification", [block], JUSTIFICATION, "justification")
      : this.#connection.askBytes("duet_getStatelessProof", [block], STATELESS, "stateless proof");
  }

  /** The handoff proofs from a set on, as many as make an answer of sensible length. */
  async handoffs(from, length, mode) {
    const limit = Math.min(Math.max(Math.floor(LIST_ASKED / (48 * length)), 1), MAX_SETS);
    const method = mode === "full" ? "duet_getSetProofs" : "duet_getStatelessSetProofs";
    const list = await this.#connection.askBytes(method, [Number(from), limit], LIST, "list of handoff proofs");
    if (list === null) throw otherAnswer("a list of handoff proofs", "nothing");
    return list;
  }

  /** The keys of a set; `null` when it has none. */
  keys(set) {
    return this.#connection.askBytes("duet_getKeys", [Number(set)], KEYS, "list of keys");
  }

  /** Subscribes to new proofs, which `nextProof` gives. */
  subscribe() {
    return this.#connection.subscribe("duet_subscribeJustifications", "duet_justifications", JUSTIFICATION);
  }

  /** The next proof, when one comes within this time. */
  nextProof(within) {
    return this.#connection.nextPush(within);
  }

  /** The bytes of a block's header. */
  async header(hash) {
    const asked = `the header of ${toHex(hash)}`;
    const header = await this.#connection.ask("chain_getHeader", [toHex(hash)], answerOf(HEADER));
    if (header === null) throw incomplete(`header of block ${toHex(hash)}`);
    const number = blockNumber(header, asked);
    const logs = header.digest?.logs;
    if (!Array.isArray(logs) || logs.length > MAX_LOGS) throw otherAnswer(asked, "no digest");
    const hashes = ["parentHash", "stateRoot", "extrinsicsRoot"].map((field) => bytesOf(header[field], asked));
    const [parent, state, extrinsics] = hashes;
    return concat([parent, compact(number), state, extrinsics, compact(logs.length), ...logs.map((log) => bytesOf(log, asked))]);
  }

  /** The trie nodes that prove these keys under a block's state. */
  async readProof(keys, block) {
    const asked = `a proof of the state of block ${block.number}`;
    const answer = await this.#askFor(
      "state_getReadProof",
      [keys.map(toHex), toHex(block.hash)],
      answerOf(NODES),
      `state of block ${block.number}: a node keeps that of the last 256 blocks, or of all with \`--state-pruning archive\``,
    );
    if (!Array.isArray(answer?.proof)) throw otherAnswer(asked, "no trie nodes");
    return answer.proof.map((node) => bytesOf(node, asked));
  }

  /** The extrinsics of a block, each with its length in front. */
  async extrinsics(block) {
    const asked = `the extrinsics of block ${block.number}`;
    const lacks = `extrinsics of block ${block.number}: a node keeps those of all blocks unless it runs with \`--blocks-pruning\``;
    const answer = await this.#askFor("chain_getBlock", [toHex(block.hash)], answerOf(BODY), lacks);
    if (answer === null) throw incomplete(lacks);
    const { extrinsics } = answer.block ?? {};
    if (!Array.isArray(extrinsics)) throw otherAnswer(asked, "no list of extrinsics");
    return extrinsics.map((bytes) => bytesOf(bytes, asked));
  }

  /** The proof of an older block under a newer one: `{ leaves, proof }`. */
  async blockProof(older, newer) {
    const asked = `a proof of block ${older}`;
    // The leaf about a block is added by the block after it.
    const params = [[older + 1], newer.number, toHex(newer.hash)];
    const answer = await this.#askFor("mmr_generateProof", params, answerOf(BLOCK_PROOF), `proof of the older block ${older}`);
    return { leaves: bytesOf(answer?.leaves, asked), proof: bytesOf(answer?.proof, asked) };
  }

  /** Asks for what an honest node may have pruned: a refusal means that it lacks it. */
  async #askFor(method, params, most, what) {
    try {
      return await this.#connection.ask(method, params, most);
    } catch (fault) {
      throw isRefusal(fault) ? incomplete(what) : fault;
    }
  }

  async #hash(method, params) {
    const hash = await this.#connection.askBytes(method, params, 32, "hash");
    if (hash?.length !== 32) throw otherAnswer("a hash", "nothing");
    return hash;
  }

  async #numbered(method) {
    const hash = await this.#hash(method, []);
    const header = await this.#connection.ask("chain_getHeader", [toHex(hash)], answerOf(HEADER));
    const asked = `header ${toHex(hash)}`;
    if (header === null) throw otherAnswer(asked, "nothing");
    return { number: blockNumber(header, asked), hash };
  }
}

function blockNumber(header, asked) {
  const text = header?.number;
  if (typeof text !== "string" || !/^0x[0-9a-fA-F]{1,8}$/.test(text)) throw otherAnswer(asked, `number ${shown(JSON.stringify(text))}`);
  return Number.parseInt(text, 16);
}

function bytesOf(text, asked) {
  const bytes = fromHex(text);
  if (bytes === undefined) throw otherAnswer(asked, "bytes that are not 0x-hex");
  return bytes;
}

/** A number up to 2³² in SCALE's compact form. */
function compact(number) {
  if (number < 1 << 6) return Uint8Array.of(number << 2);
  if (number < 1 << 14) return Uint8Array.of(((number & 0x3f) << 2) | 1, number >> 6);
  if (number < 2 ** 30) return Uint8Array.of(((number & 0x3f) << 2) | 2, number >> 6, number >> 14, number >> 22);
  return Uint8Array.of(3, number, number >>> 8, number >>> 16, number >>> 24);
}
