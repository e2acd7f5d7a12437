// One run of the light client: the endpoints, of which all are followed at once. Runs in a worker or beside its caller.
//
// Whoever proves a block first moves the trusted state, which only the verifier changes, and one proof at a time; so no
// endpoint can hold the client back, and who lags behind the others is named.

import { Endpoint, verdict } from "./endpoints.js";
import { DuetError, misuse, ofVerifier } from "./error.js";
import { Follower } from "./follower.js";
import { Reader } from "./reader.js";
import { Relay } from "./relay.js";
import { Connection } from "./rpc.js";
import { Server } from "./server.js";
import { Trust } from "./trust.js";

/** Times in milliseconds, as they are when the caller names none. */
const TIMES = { requestTimeout: 10_000, stallAfter: 12_000, lagAfter: 8_000, settleAfter: 2_000, readyWithin: 30_000 };

export class Session {
  #openSocket;
  #emit;
  #endpoints;
  #reader;
  #relay;
  #timers = new Set();
  #ended;
  #ready = {};

  /** `emit(name, value)` gets what happens: `start`, `head`, `set`, `fault`, `checkpoint`, `state`, `ready`, `unready`, `push`, `failed`. */
  constructor({ wasm, openSocket, emit, options, state }) {
    this.#openSocket = openSocket;
    this.#emit = emit;
    this.times = { ...TIMES, ...options.times };
    this.#endpoints = options.endpoints.map((url) => new Endpoint(url));
    /** What is trusted. */
    this.trust = new Trust({ wasm, emit, options, state });
    this.#reader = new Reader(this.trust, () => this.#connected());
    this.#relay = new Relay({
      // Those that were followed to a proven head of this chain, so that nothing is handed to another chain's node.
      endpoints: () => this.#connected().filter(({ tried, fault }) => tried && !fault),
      open: (url, how) => Connection.open(url, openSocket, this.times.requestTimeout, how),
      emit: (push) => emit("push", push),
      blame: (endpoint, fault) => endpoint.server?.close(fault),
    });
  }

  /** Begins to follow all endpoints. */
  start() {
    if (this.trust.client) this.#emit("start", this.trust.status());
    for (const endpoint of this.#endpoints) this.#serve(endpoint);
    this.#waitForReady();
  }

  /** An endpoint was followed to its head. */
  synced(endpoint) {
    endpoint.succeeded();
    this.#settle();
  }

  /** Whether another endpoint may be asked instead of this one. */
  hasOther(endpoint) {
    return this.#endpoints.some((other) => other !== endpoint && !other.dropped);
  }

  /** Waits, unless the session ends. */
  sleep(time) {
    return new Promise((resolve) => {
      this.#later(resolve, time, resolve);
    });
  }

  // What the caller asks.

  verify(bytes, form) {
    return this.trust.verify(bytes, form);
  }

  checkpoint() {
    return this.trust.checkpoint();
  }

  account(account, options) {
    return this.#reader.account(account, options);
  }

  storage(key, options) {
    return this.#reader.storage(key, options);
  }

  entries(keys, options) {
    return this.#reader.entries(keys, options);
  }

  under(prefix, options) {
    return this.#reader.under(prefix, options);
  }

  merkleValue(prefix, options) {
    return this.#reader.merkleValue(prefix, options);
  }

  block(at, options) {
    return this.#reader.block(at, options);
  }

  body(at, options) {
    return this.#reader.body(at, options);
  }

  transaction(hash, options) {
    return this.#reader.transaction(hash, options);
  }

  headers(from, to, options) {
    return this.#reader.headers(from, to, options);
  }

  blake2b(bytes, length) {
    return this.trust.call(() => this.trust.blake2b(bytes, length));
  }

  request(method, params, options) {
    return this.#relay.request(method, params, options);
  }

  subscribe(id, method, params, unsubscribe) {
    return this.#relay.subscribe(id, method, params, unsubscribe);
  }

  unsubscribe(id) {
    this.#relay.unsubscribe(id);
  }

  /** Ends all connections, and keeps what is to be kept. */
  destroy() {
    if (this.#ended) return;
    this.trust.save(true);
    this.#end(misuse("the client was destroyed"));
  }

  /** Those whose connections are open, in the caller's order. */
  #connected() {
    return this.#endpoints.filter(({ server, dropped }) => server !== undefined && !dropped);
  }

  async #serve(endpoint) {
    while (!this.#ended && !endpoint.dropped) {
      let wait;
      try {
        await this.#follow(endpoint);
        return;
      } catch (thrown) {
        if (this.#ended) return;
        wait = this.#failed(endpoint, ofVerifier(thrown));
      }
      if (Number.isFinite(wait)) await this.sleep(wait);
    }
  }

  async #follow(endpoint) {
    const server = await Server.connect(endpoint.url, this.#openSocket, this.times.requestTimeout);
    if (this.#ended) {
      server.close(this.#ended);
      return;
    }
    endpoint.server = server;
    try {
      await new Follower(this, endpoint, server).run();
    } catch (fault) {
      server.close(ofVerifier(fault));
      throw fault;
    } finally {
      endpoint.server = undefined;
    }
  }

  /** Reports a fault; how long not to ask the endpoint. */
  #failed(endpoint, fault) {
    fault.endpoint = endpoint.url;
    const wait = endpoint.failed(fault);
    this.#emit("fault", fault.toPlain());
    if (fault.verdict === "fatal") this.#end(fault);
    else this.#settle();
    return wait;
  }

  /** `ready` comes when a head is proven and the others had their chance to show a newer one; without any endpoint it is over. */
  #settle() {
    if (this.#endpoints.every((endpoint) => endpoint.dropped)) {
      const { fault, message } = verdict(this.#endpoints);
      this.#end(new DuetError({ ...fault?.toPlain(), verdict: "fatal", message }));
    }
    if (this.#ready.done || this.#ended) return;
    const tried = this.#endpoints.every((endpoint) => endpoint.tried);
    const proven = this.#endpoints.some((endpoint) => endpoint.tried && !endpoint.fault);
    if (proven && tried) this.#becomeReady();
    else if (proven) this.#ready.timer ??= this.#later(() => this.#becomeReady(), this.times.settleAfter);
  }

  /** Says after a while that no endpoint is of use, and why, and again after as long. All are tried again meanwhile. */
  #waitForReady() {
    this.#later(() => {
      if (this.#ready.done || this.#ended) return;
      const { fault, message } = verdict(this.#endpoints);
      const what = `no head was proven within ${this.times.readyWithin} ms`;
      const plain = fault?.toPlain() ?? { culprit: "nobody", nextStep: "leave-sender" };
      this.#emit("unready", { verdict: "unreachable", ...plain, endpoint: undefined, message: `${what}, and it is tried on: ${message}` });
      this.#waitForReady();
    }, this.times.readyWithin);
  }

  #becomeReady() {
    if (this.#ready.done || this.#ended) return;
    this.#ready.done = true;
    this.#emit("ready", this.trust.status());
  }

  #end(fault) {
    if (this.#ended) return;
    this.#ended = fault;
    this.trust.end(fault);
    for (const cancel of [...this.#timers]) cancel();
    for (const { server } of this.#endpoints) server?.close(fault);
    this.#relay.end(fault);
    this.#emit("failed", fault.toPlain());
  }

  #later(then, time, cancelled) {
    const timer = setTimeout(() => {
      this.#timers.delete(cancel);
      then();
    }, time);
    const cancel = () => {
      clearTimeout(timer);
      this.#timers.delete(cancel);
      cancelled?.();
    };
    this.#timers.add(cancel);
    return timer;
  }
}
