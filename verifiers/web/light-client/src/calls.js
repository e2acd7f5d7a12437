// Calls of the chain's runtime. Its code is in the state, so it is proven like any other entry, and so is each entry
// that a call reads. A module of its own executes the call, in a worker of its own: one that does not end ends with
// its worker.

import { misuse, stopped } from "./error.js";
import { equal, fromHex, shown, toHex } from "./text.js";

const TEXT = new TextEncoder();
// The runtime's code, and a key that no state has: its proof has the hash of the code instead of the code.
const CODE = TEXT.encode(":code");
const CODE_PROBE = TEXT.encode(":code\0");
const HEAP_PAGES = TEXT.encode(":heappages");
// What a call may take: proofs that are fetched one after the other, and bytes of them.
const MAX_ROUNDS = 32;
const MAX_BYTES = 1 << 24;
// How many calls may wait; of how many methods the keys are known that the last call read, and how many of each, in all
// and in bytes.
const MAX_WAITING = 64;
const MAX_METHODS = 64;
const MAX_KEYS = 512;
const MAX_KEY = 1_024;
const MAX_KEY_BYTES = 1 << 14;
const MAX_STORED = 1 << 22;
// How long new ones wait to be stored, in milliseconds.
const PAUSE = 2_000;

/** Executes calls, one after the other. */
export class Calls {
  #spawn;
  #maxTime;
  #worker;
  #hasCode = false;
  #keys = new Map();
  #before = Promise.resolve();
  #waiting = 0;
  #first;
  #running;
  #ended = false;
  #code;
  #save;
  #storing;

  /**
   * `spawn()` starts the worker; `maxTime` is how many milliseconds it may take at once. `code` is that of a runtime, and
   * `keys` are those that its calls read, as `save("code", bytes)` and `save("keys", bytes)` got them. Nobody has to trust
   * them: the module finds the code by its hash, and each key is proven when it is fetched.
   */
  constructor(spawn, maxTime, { code, keys } = {}, save = () => {}) {
    this.#spawn = spawn;
    this.#maxTime = maxTime;
    this.#code = code;
    this.#keys = decodeKeys(keys);
    this.#save = save;
  }

  /**
   * The result of a call over the state of a block, `{ result, nodes, rounds }`. `read(keys)` fetches the trie nodes
   * that prove these keys, checks that they do, and gives them with the values and the root of the state:
   * `{ nodes, values, root }`.
   */
  async call(method, parameters, read) {
    // Of calls that come at once, the first fetches the code.
    while (this.#first) await this.#first;
    const call = this.#call(method, parameters, read);
    if (this.#hasCode) return call;
    this.#first = call.then(() => {}, () => {}).finally(() => (this.#first = undefined));
    return call;
  }

  /**
   * What metadata, as `Metadata_metadata` returns it, says: `{ metadata, events, index }` asks what became of an extrinsic
   * by the events of its block (STATE-9), `{ metadata, extrinsic }` for its era, `[period, phase]` or none.
   */
  read(question) {
    return this.#execute({ method: "Metadata_metadata", ...question });
  }

  /** Ends the worker, and stores what is new. */
  end() {
    this.#ended = true;
    this.#keep();
    this.#fail(misuse("the client was destroyed"));
  }

  async #call(method, parameters, read) {
    const nodes = [];
    let root;
    const add = async (keys) => {
      const once = [...new Map(keys.map((key) => [toHex(key), key])).values()];
      const found = await read(once);
      root = found.root;
      nodes.push(...found.nodes);
      const code = found.values[once.findIndex((key) => equal(key, CODE))];
      if (code) this.#take(code);
    };
    const hints = this.#keys.get(method) ?? [];
    try {
      await add([this.#code ? CODE_PROBE : CODE, HEAP_PAGES, ...hints]);
    } catch (fault) {
      if (hints.length > 0) this.#remember(method, []);
      throw fault;
    }
    for (let rounds = 1; ; rounds += 1) {
      const bytes = nodes.reduce((sum, { length }) => sum + length, 0);
      if (bytes > MAX_BYTES) throw exceeded(method, `${MAX_BYTES} bytes of trie nodes`);
      // The code is a trie node, too.
      const kept = this.#hasCode || !this.#code ? [] : [this.#code];
      const { output, read: keys, needs } = await this.#execute({ method, parameters, root, nodes: [...nodes, ...kept] });
      if (output) {
        this.#remember(method, keys);
        return { result: output, nodes, rounds };
      }
      if (rounds === MAX_ROUNDS) throw exceeded(method, `${MAX_ROUNDS} rounds of proofs`);
      await add(needs);
    }
  }

  /** Other code reads other keys. */
  #take(code) {
    this.#code = code;
    this.#save("code", code);
    this.#keys.clear();
  }

  /** The next call of a method fetches first what this one read. */
  #remember(method, read) {
    const keys = bounded(read);
    const before = this.#keys.get(method);
    const isNews = before?.length !== keys.length || !before.every((key, index) => equal(key, keys[index]));
    this.#keys.delete(method);
    this.#keys.set(method, keys);
    if (this.#keys.size > MAX_METHODS) this.#keys.delete(this.#keys.keys().next().value);
    if (isNews && !this.#ended) this.#storing ??= setTimeout(() => this.#keep(), PAUSE);
  }

  /** Stores the keys that calls read, if some are new. */
  #keep() {
    if (this.#storing === undefined) return;
    clearTimeout(this.#storing);
    this.#storing = undefined;
    const keys = [...this.#keys].map(([method, of]) => [method, of.map(toHex)]);
    this.#save("keys", TEXT.encode(JSON.stringify(keys)));
  }

  async #execute(call) {
    if (this.#waiting >= MAX_WAITING) throw misuse(`${MAX_WAITING} calls already wait`);
    this.#waiting += 1;
    const turn = this.#before.then(() => this.#run(call));
    this.#before = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Executes in the worker, which is ended if it takes too long. */
  #run(call) {
    if (this.#ended) throw misuse("the client was destroyed");
    this.#worker ??= this.#open(call.method);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(exceeded(call.method, `${this.#maxTime} ms`)), this.#maxTime);
      this.#running = { method: call.method, isCall: call.root !== undefined, resolve, reject, timer };
      this.#worker.post(call);
    });
  }

  #open(method) {
    let worker;
    try {
      worker = this.#spawn();
    } catch (error) {
      // No server is to blame where there are no workers.
      throw without(method, `its worker cannot be started: ${error.message}`);
    }
    const fail = (message) => worker === this.#worker && this.#fail(without(this.#running?.method ?? "a call", message));
    worker.listen(({ value, error }) => {
      if (worker !== this.#worker) return;
      if (error?.isFatal) {
        fail(error.message);
        return;
      }
      const { method: ended, isCall, resolve, reject, timer } = this.#running;
      clearTimeout(timer);
      this.#hasCode ||= isCall;
      if (error) reject(without(ended, error.message));
      else resolve(value);
    }, fail);
    return worker;
  }

  /** Ends the worker, and what it executes. The next call starts another one. */
  #fail(error) {
    clearTimeout(this.#running?.timer);
    this.#running?.reject(error);
    this.#running = undefined;
    this.#worker?.end();
    this.#worker = undefined;
    this.#hasCode = false;
  }
}

/** As many of these keys as are remembered. */
function bounded(keys) {
  let bytes = 0;
  const isWithin = ({ length }) => length > 0 && length <= MAX_KEY && (bytes += length) <= MAX_KEY_BYTES;
  return keys.slice(0, MAX_KEYS).filter(isWithin);
}

/** The keys by method as they were stored; none if these are other bytes. */
function decodeKeys(stored) {
  try {
    if (stored.length > MAX_STORED) return new Map();
    const entries = JSON.parse(new TextDecoder().decode(stored)).slice(-MAX_METHODS);
    return new Map(entries.map(([method, keys]) => [method, bounded(keys.map(fromHex))]));
  } catch {
    return new Map();
  }
}

/** A call without a result, with the rule if the module names one. */
function without(method, message) {
  return stopped(method, shown(message), { rule: /^(STATE-\d): /.exec(message)?.[1] });
}

function exceeded(method, limit) {
  return stopped(method, `it takes more than ${limit} (STATE-8)`, { rule: "STATE-8", expected: `at most ${limit}`, got: "more" });
}
