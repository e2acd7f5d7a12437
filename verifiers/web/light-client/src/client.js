// The public client. Its interface is the same whether the session runs in a worker or not.

import { checkMaxAge } from "./age.js";
import { DuetError, misuse } from "./error.js";
import { withText } from "./hashes.js";
import { plain } from "./host.js";

/** The methods and the events that give an object with hashes. */
const OBJECTS = ["verify", "account", "storage", "entries", "under", "merkleValue", "block", "body", "transaction", "outcome", "headers", "call"];
const WITH_HASHES = ["start", "ready", "head", "announced", "disputed", "contradicted", "recovered"];

/** The client; `host` is shared by all clients. */
export class LightClient {
  #host;
  #options;
  #listeners = new Map();
  #session;
  #resolve;
  #reject;
  #destroyed = false;
  #saved = Promise.resolve();
  #kept;
  #subscriptions = new Map();
  #nextSubscription = 1;

  constructor(options, host) {
    check(options);
    this.#host = host;
    this.#options = options;
    /** The newest trusted block; `undefined` before the first. */
    this.head = undefined;
    this.#awaitReady();
    this.#session = this.#start();
    this.#session.catch((error) => this.#happened("failed", plain(error)));
  }

  /**
   * The seconds since `head.time` by the clock here; negative if that time is in the future, `undefined` if it is not
   * known.
   */
  get age() {
    const time = this.head?.time;
    return time === undefined ? undefined : Math.floor((Date.now() - time) / 1_000);
  }

  /**
   * Adds a listener for `start`, `ready`, `head`, `time`, `set`, `fault`, `checkpoint`, `announced`, `disputed`,
   * `cancelled`, `outdated`, `contradicted` or `recovered`. The returned function removes it.
   */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Verifies a proof from any source, and continues from it; `undefined` if its block is already trusted. */
  verify(bytes, form) {
    return this.#call("verify", bytes, form);
  }

  /** The current checkpoint, from which another client can start. */
  checkpoint() {
    return this.#call("checkpoint");
  }

  /** An account, by SS58 address, 0x-hex or bytes, under the newest block or under an older one. */
  account(account, options) {
    return this.#call("account", account, options);
  }

  /** An entry of the state. */
  storage(key, options) {
    return this.#call("storage", key, options);
  }

  /** Several entries of the state, all of one block. */
  entries(keys, options) {
    return this.#call("entries", keys, options);
  }

  /** All entries under a prefix, fewer than 1 000, proven complete. */
  under(prefix, options) {
    return this.#call("under", prefix, options);
  }

  /** The Merkle value of all entries under a prefix. It changes when one of them changes. */
  merkleValue(prefix, options) {
    return this.#call("merkleValue", prefix, options);
  }

  /** A header, by number or hash, of the newest block or of an older one. */
  block(at, options) {
    return this.#call("block", at, options);
  }

  /** The extrinsics of the newest block or of an older one. */
  body(at, options) {
    return this.#call("body", at, options);
  }

  /** The position of the transaction with this hash in a block, or its proven absence. */
  transaction(hash, options) {
    return this.#call("transaction", hash, options);
  }

  /** The headers from a number to a block, at most 256, oldest first. */
  headers(from, to, options) {
    return this.#call("headers", from, to, options);
  }

  /** The result of a call of the chain's runtime, executed here over proven entries. */
  call(method, parameters, options) {
    return this.#execute("call", method, parameters, options);
  }

  /** What became of the transaction with this hash in a block: its end, its fee and its events. */
  outcome(hash, options) {
    return this.#execute("outcome", hash, options);
  }

  /** Sends a signed transaction to all endpoints, and looks for it in each proven block: its proven outcome, or another end. */
  async watch(transaction, options) {
    const { watch } = await this.#host.loadWatch();
    const submit = (hex, hash, except) => this.#call("submit", hex, hash, except);
    const mortality = (bytes) => this.#execute("mortality", bytes);
    return watch({ client: this, submit, mortality }, transaction, options);
  }

  /** The BLAKE2b hash of bytes, 16, 32 or 64 bytes long, as Substrate uses it. */
  blake2b(bytes, length) {
    return this.#call("blake2b", bytes, length);
  }

  /** Passes a request on to a node. The answer is not verified. */
  request(method, params = [], options) {
    return this.#call("request", method, params, options);
  }

  /** Passes a subscription on to a node. Its messages are not verified. */
  async subscribe(method, params, unsubscribe, listener) {
    const id = this.#nextSubscription++;
    this.#subscriptions.set(id, listener);
    const end = () => {
      if (this.#subscriptions.delete(id) && !this.#destroyed) this.#call("unsubscribe", id).catch(() => {});
    };
    try {
      const { error, endpoint } = await this.#call("subscribe", id, method, params, unsubscribe);
      if (error) this.#subscriptions.delete(id);
      return { error, endpoint, end };
    } catch (error) {
      this.#subscriptions.delete(id);
      throw error;
    }
  }

  /** Ends the connections, and the worker if no other client is in it. */
  async destroy() {
    this.#destroyed = true;
    this.#tell("destroyed");
    const session = await this.#session.catch(() => undefined);
    await session?.destroy();
    await this.#saved;
  }

  async #start() {
    const { storage, ...options } = this.#options;
    const state = await storage?.load();
    return this.#host.start(options, state ?? undefined, (name, value) => this.#happened(name, value));
  }

  async #call(method, ...parameters) {
    if (this.#destroyed) throw misuse("the client was destroyed");
    const session = await this.#session;
    const value = await session.call(method, parameters);
    return OBJECTS.includes(method) && value ? withText(value) : value;
  }

  /** Calls a method that executes the runtime. */
  async #execute(method, ...parameters) {
    await (this.#kept ??= this.#giveKept());
    return this.#call(method, ...parameters);
  }

  #happened(name, given) {
    const value = WITH_HASHES.includes(name) ? withText(given) : given;
    switch (name) {
      case "state":
        this.#save("save", value);
        return;
      case "code":
        this.#save("saveCode", value);
        return;
      case "keys":
        this.#save("saveKeys", value);
        return;
      case "start":
        this.head = value;
        this.#tell(name, value);
        return;
      case "ready":
        this.head ??= value;
        this.#resolve(value);
        this.#tell(name, value);
        return;
      case "unready": {
        const reject = this.#reject;
        this.#awaitReady();
        reject(new DuetError(value));
        return;
      }
      case "push":
        this.#pushed(value);
        return;
      case "failed": {
        const error = new DuetError(value);
        this.#reject(error);
        if (!this.#destroyed) this.#tell("fault", error);
        return;
      }
      case "restarted":
        this.#kept = undefined;
        for (const id of [...this.#subscriptions.keys()]) this.#pushed({ id, error: value });
        this.#tell("fault", new DuetError(value));
        return;
      case "fault":
        this.#tell("fault", new DuetError(value));
        return;
      case "time":
        if (this.head) this.head = { ...this.head, time: value.time };
        this.#tell(name, value);
        return;
      case "head":
      case "recovered":
        this.head = value;
        this.#tell(name, value);
        return;
      default:
        this.#tell(name, value);
    }
  }

  /** Resolves with the trusted state when a head is proven. After a non-final rejection, it is a new promise. */
  #awaitReady() {
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Callers that do not wait for it get the error from `fault`.
    this.ready.catch(() => {});
  }

  #pushed({ id, value, error }) {
    const listener = this.#subscriptions.get(id);
    if (error) this.#subscriptions.delete(id);
    listener?.(error ? { error } : { value });
  }

  /** Writes one state after the other; the last write is the newest state. */
  #save(how, bytes) {
    const { storage } = this.#options;
    if (storage?.[how]) this.#saved = this.#saved.then(() => storage[how](bytes)).catch((error) => this.#tell("fault", kept(error)));
  }

  /** Gives the session what was stored of calls: the code of the runtime, and the keys that calls read. */
  async #giveKept() {
    const { storage } = this.#options;
    const load = (how) => storage?.[how]?.().catch((error) => this.#tell("fault", kept(error)));
    const [code, keys] = await Promise.all(["loadCode", "loadKeys"].map(load));
    if (code || keys) await this.#call("giveKept", { code, keys });
  }

  #tell(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }
}

function kept(error) {
  const message = `the storage failed: ${error?.message ?? error}`;
  return new DuetError({ verdict: "storage", culprit: "caller", nextStep: "go-on", message });
}

const OPTIONS = ["genesisHash", "startHash", "checkpoint", "endpoints", "storage", "mode", "worker", "times", "trustingPeriod", "trustOldStart", "maxAge", "recoveryProof"];

function check(options) {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown) throw misuse(`unknown option ${unknown}`);
  const { endpoints, mode = "stateless" } = options;
  const urls = Array.isArray(endpoints) && endpoints.every((url) => /^wss?:\/\//.test(url));
  if (!urls || endpoints.length === 0 || endpoints.length > 16) throw misuse("endpoints has to be 1 to 16 URLs that begin with ws:// or wss://");
  if (new Set(endpoints).size !== endpoints.length) throw misuse("endpoints has the same URL twice");
  if (!["full", "stateless"].includes(mode)) throw misuse("mode has to be full or stateless");
  const { trustingPeriod = 1 } = options;
  if (!Number.isSafeInteger(trustingPeriod) || trustingPeriod < 1) throw misuse("trustingPeriod has to be a number of seconds, 1 or more");
  checkMaxAge(options.maxAge);
  const { recoveryProof = "" } = options;
  if (typeof recoveryProof !== "string" && !(recoveryProof instanceof Uint8Array)) throw misuse("recoveryProof has to be a text or bytes");
  if (options.startHash !== undefined && options.checkpoint !== undefined) throw misuse("startHash and checkpoint exclude each other: give one");
  if (options.genesisHash === undefined && options.checkpoint === undefined && options.storage === undefined) {
    throw misuse("no chain given: set genesisHash or checkpoint");
  }
}
