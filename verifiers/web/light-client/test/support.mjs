// A server that serves what a live network answered, and lies where it is told to.

import { readFileSync } from "node:fs";
import { WebSocketServer } from "ws";
import { create, fromHex, toHex } from "../src/node.js";
import { Trie } from "../src/trie.js";

const recorded = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url)));
export const recording = recorded("recording.json");
/** Another network's, of which a block with a transaction was recorded. */
export const withBody = recorded("body.json");
/** Another network's, of which the time was recorded. */
export const aged = recorded("age.json");
/** That of a chain with a reset, which `light-client/examples/web_recovery.rs` makes. */
export const recovering = recorded("recovery.json");
/** That of a chain with a runtime, which `light-client/examples/web_calls.rs` makes. */
export const calling = recorded("calls.json");
/** That of a chain with transactions, which `light-client/examples/web_outcomes.rs` makes. */
export const transacting = recorded("outcomes.json");

const PROOFS = "duet_justifications";
// How long a test waits for what has to happen.
const LIMIT = 20_000;

/** Times that make a test quick; each is still many times what an honest server here takes. */
export const TIMES = { requestTimeout: 2_000, stallAfter: 800, lagAfter: 800, settleAfter: 300 };

/**
 * Serves the recording with one of its heads as the newest.
 *
 * `lie(method, params, honest)` may change an answer: a value is the answer, `SILENCE` is none, and a string of
 * `{ raw }` is sent as it is, after that of `before`. A promise is one of these later. `opened(socket)` is told of each
 * connection.
 */
export class Server {
  #server;
  #port = 0;
  /** The connections that are open, and how many were opened in all. */
  sockets = new Set();
  opened = 0;
  #subscribers = new Set();
  #head;
  #lie;
  #tell;
  #recording;
  asked = [];

  constructor({ head = 0, lie, opened, network = recording } = {}) {
    this.#tell = opened;
    this.#recording = network;
    this.#head = head;
    this.#lie = lie ?? ((_method, _params, honest) => honest);
  }

  static async start(options) {
    const made = new Server(options);
    await made.#listen();
    return made;
  }

  get url() {
    return `ws://127.0.0.1:${this.#server.address().port}`;
  }

  /** The number of connections that are open. */
  get connections() {
    return this.sockets.size;
  }

  /** Serves again, at the same address, after `stop`. */
  start() {
    return this.#listen();
  }

  /** Another of the recorded heads is the newest now, and is pushed. */
  move(head, { push = true } = {}) {
    this.#head = head;
    if (!push) return;
    const { answers, heads } = this.#recording;
    const proof = answers[`duet_getJustification [${heads[head].number}]`];
    this.push(proof);
  }

  push(proof) {
    const params = { subscription: "sub", result: proof };
    for (const socket of this.#subscribers) socket.send(JSON.stringify({ jsonrpc: "2.0", method: PROOFS, params }));
  }

  async stop() {
    for (const socket of this.sockets) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #listen() {
    this.#server = new WebSocketServer({ host: "127.0.0.1", port: this.#port });
    this.#server.on("connection", (socket) => {
      this.sockets.add(socket);
      this.opened += 1;
      this.#tell?.(socket);
      socket.on("close", () => {
        this.sockets.delete(socket);
        this.#subscribers.delete(socket);
      });
      socket.on("message", (data) => this.#answer(socket, JSON.parse(data)));
    });
    return new Promise((resolve) => this.#server.on("listening", resolve)).then(() => (this.#port = this.#server.address().port));
  }

  #answer(socket, { id, method, params }) {
    // Who lies about state is caught with what a test asks for, and not with the time, which most recordings lack.
    if (!this.#recording.keys && JSON.stringify(params[0]) === JSON.stringify(aged.keys)) {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, error: NO_STATE }));
      return;
    }
    this.asked.push(method);
    if (method === "duet_subscribeJustifications") this.#subscribers.add(socket);
    const honest = this.#honest(method, params);
    const answer = this.#lie(method, params, honest);
    if (answer instanceof Promise) answer.then((late) => this.#send(socket, id, late));
    else this.#send(socket, id, answer);
  }

  #send(socket, id, answer) {
    if (answer === SILENCE) return;
    if (answer?.raw !== undefined) {
      if (answer.before) socket.send(answer.before);
      socket.send(typeof answer.raw === "function" ? answer.raw(id) : answer.raw);
      return;
    }
    const body = answer?.error ? { error: answer.error } : { result: answer };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  }

  #honest(method, params) {
    const { answers, heads } = this.#recording;
    const head = heads[this.#head];
    switch (method) {
      case "duet_subscribeJustifications":
        return "sub";
      case "duet_getFinalizedHead":
      case "chain_getFinalizedHead":
        return head.hash;
      case "duet_getSetProofs":
      case "duet_getStatelessSetProofs":
        return answers[`${method} [${params[0]},64]`];
      case "state_getReadProof":
        if (this.#recording.nodes) return readProof(this.#recording, ...params);
      // Recorded as they were asked for.
      default: {
        const answer = answers[`${method} ${JSON.stringify(params)}`];
        // Recorded on nodes of before these methods.
        if (/^duet_getLast/.test(method)) return { error: { code: -32601, message: "Method not found" } };
        return answer === undefined ? { error: { code: -32000, message: "not recorded" } } : answer;
      }
    }
  }
}

/** What a node answers to `state_getReadProof` about a state of which all nodes were recorded. */
export function readProof({ answers, heads, nodes }, keys, at) {
  const { stateRoot } = answers[`chain_getHeader ["${at}"]`];
  const { values } = heads.find(({ hash }) => hash === at);
  const used = new Set();
  const trie = new Trie((hash) => {
    used.add(toHex(hash));
    return fromHex(nodes[toHex(hash)]);
  });
  for (const key of keys) {
    trie.closest(fromHex(stateRoot), fromHex(key));
    if (key in values) used.add(values[key]);
  }
  return { at, proof: [...used].map((hash) => nodes[hash]) };
}

export const NO_STATE = { code: 9008, message: "the state is pruned" };
export const SILENCE = Symbol("no answer");

/** A client of these servers, which ends with the test. It is content with chains of unknown age. */
export function client(test, servers, options = {}) {
  const made = create({
    genesisHash: recording.genesis,
    endpoints: servers.map(({ url }) => url),
    worker: false,
    times: TIMES,
    trustOldStart: true,
    ...options,
  });
  made.faults = [];
  made.heads = [];
  made.on("fault", (fault) => made.faults.push(fault));
  made.on("head", (head) => made.heads.push(head));
  test.after(async () => {
    await made.destroy();
    await Promise.all(servers.map((server) => server.stop()));
  });
  return made;
}

/** Waits until something holds, but not for ever. */
export async function until(what, holds) {
  const end = Date.now() + LIMIT;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Hexadecimal digits with one byte changed. */
export function flip(text, offset, mask = 1) {
  const at = 2 + 2 * offset;
  const byte = Number.parseInt(text.slice(at, at + 2), 16) ^ mask;
  return text.slice(0, at) + byte.toString(16).padStart(2, "0") + text.slice(at + 2);
}
