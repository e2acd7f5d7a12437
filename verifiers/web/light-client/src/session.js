// One run of a light client, which follows all endpoints at once. Runs in a worker or in the caller's thread.
//
// The first endpoint that proves a block moves the trusted state. Only the verifier changes that state, one proof at a
// time. So no endpoint can hold the client back, and a lagging endpoint is reported.

import { Calls } from "./calls.js";
import { Endpoint, verdict } from "./endpoints.js";
import { DuetError, misuse, ofVerifier, silent } from "./error.js";
import { Follower } from "./follower.js";
import { Reader } from "./reader.js";
import { Recovery } from "./recovery.js";
import { Relay } from "./relay.js";
import { Connection } from "./rpc.js";
import { Server } from "./server.js";
import { Trust } from "./trust.js";

/** The default times, in milliseconds. */
const TIMES = { requestTimeout: 10_000, stallAfter: 12_000, lagAfter: 8_000, settleAfter: 2_000, readyWithin: 30_000, callTimeout: 10_000 };
// Faults that waiting does not mend.
const FINAL = ["lied", "other_chain", "incompatible", "fatal"];

export class Session {
  #openSocket;
  #emit;
  #endpoints;
  #reader;
  #calls;
  #kept;
  #relay;
  #timers = new Set();
  #ended;
  #ready = {};

  /**
   * `emit(name, value)` gets the events: `start`, `head`, `time`, `set`, `fault`, `checkpoint`, `state`, `ready`,
   * `unready`, `push`, `code`, `keys`, `failed`, and those of a recovery: `announced`, `disputed`, `cancelled`, `outdated`,
   * `contradicted`, `recovered`.
   */
  constructor({ wasm, openSocket, spawnCalls, emit, options, state }) {
    this.#openSocket = openSocket;
    this.#emit = emit;
    this.times = { ...TIMES, ...options.times };
    this.#endpoints = options.endpoints.map((url) => new Endpoint(url));
    /** The trusted state. */
    this.trust = new Trust({ wasm, emit, options, state });
    /** The crossing of a reset. */
    this.recovery = new Recovery({ session: this, wasm, emit, ask: (among) => this.#askEach(among), recoveryProof: options.recoveryProof });
    this.#reader = new Reader(this.trust, () => this.#connected(), () => (this.#calls ??= new Calls(spawnCalls, this.times.callTimeout, this.#kept, emit)));
    this.#relay = new Relay({
      // Only endpoints with a proven head of this chain, so that no request goes to a node of another chain.
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
    this.recovery.start();
  }

  /** The client has followed an endpoint to its head. */
  synced(endpoint) {
    endpoint.succeeded();
    this.#settle();
  }

  /** An endpoint says that no set signs its newest block: told once for each newest proven block. */
  saysSilent(endpoint) {
    const status = this.trust.status();
    if (endpoint.silent !== status.block) this.#emit("fault", silent(endpoint.url, status).toPlain());
    endpoint.silent = status.block;
  }

  /** Whether there is another usable endpoint. */
  hasOther(endpoint) {
    return this.#endpoints.some((other) => other !== endpoint && !other.dropped);
  }

  /** Whether the session ended. */
  get isEnded() {
    return this.#ended !== undefined;
  }

  /** Ends the session with a fault, unless it ended before. */
  fail(thrown) {
    if (!this.#ended) this.#end(ofVerifier(thrown));
  }

  /** Waits, unless the session ends. `begun` gets what ends the wait. */
  sleep(time, begun = () => {}) {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve) => begun(this.#later(resolve, time, resolve)));
  }

  /** The device slept, or has its network again: looks at every connection, and tries those that broke, at once. */
  wake() {
    for (const endpoint of this.#endpoints) {
      endpoint.failures = 0;
      endpoint.retry?.();
      endpoint.server?.wake();
    }
  }

  /** Performs a method of the public client. */
  async perform(method, parameters) {
    return (method in this.#reader ? this.#reader : this)[method](...parameters);
  }

  verify(bytes, form) {
    return this.trust.verify(bytes, form);
  }

  checkpoint() {
    return this.trust.checkpoint();
  }

  /** Gives the `code` and the `keys` that were stored, before the first call. They need not be those of the chain. */
  giveKept(kept) {
    this.#kept = kept;
  }

  blake2b(bytes, length) {
    return this.trust.call(() => this.trust.blake2b(bytes, length));
  }

  request(method, params, options) {
    return this.#relay.request(method, params, options);
  }

  /** Sends a signed transaction to every endpoint but these. Of what they answer only its hash is verified. */
  submit(transaction, hash, except) {
    return this.#relay.each("author_submitExtrinsic", [transaction], hash, except);
  }

  subscribe(id, method, params, unsubscribe) {
    return this.#relay.subscribe(id, method, params, unsubscribe);
  }

  unsubscribe(id) {
    this.#relay.unsubscribe(id);
  }

  /** Ends all connections, and stores the state. */
  destroy() {
    if (this.#ended) return;
    this.trust.save(true);
    this.#end(misuse("the client was destroyed"));
  }

  /** The connected endpoints, in the caller's order. */
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
      if (Number.isFinite(wait)) await this.sleep(wait, (retry) => (endpoint.retry = retry));
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

  /**
   * Asks endpoints for what is newer and for the reset, each over a connection of its own: what they say against the
   * announced statement, and those that give no answer. (RECOVER-8)
   */
  async #askEach(among = this.#endpoints) {
    const asked = among.filter(({ dropped }) => !dropped);
    const answers = await Promise.all(asked.map((endpoint) => this.#ask(endpoint)));
    return { answers: answers.filter(Boolean), silent: asked.filter((_, index) => !answers[index]) };
  }

  async #ask(endpoint) {
    let server;
    try {
      server = await Server.connect(endpoint.url, this.#openSocket, this.times.requestTimeout);
      return { endpoint: endpoint.url, dispute: await new Follower(this, endpoint, server).ask() };
    } catch (thrown) {
      const fault = ofVerifier(thrown);
      // What may be otherwise later is told by who follows the endpoint.
      if (this.#ended || !FINAL.includes(fault.verdict)) return undefined;
      if (endpoint.server) endpoint.server.close(fault);
      else this.#failed(endpoint, fault);
      return undefined;
    } finally {
      server?.close(misuse("the answer was given"));
    }
  }

  /** Reports a fault; returns the wait before the next try. */
  #failed(endpoint, fault) {
    fault.endpoint = endpoint.url;
    const wait = endpoint.failed(fault);
    this.#emit("fault", fault.toPlain());
    if (fault.verdict === "fatal") this.#end(fault);
    else this.#settle();
    return wait;
  }

  /** Emits `ready` when a head is proven and the others had time to show a newer one. Ends if no endpoint is left. */
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

  /** Reports at intervals that no head is proven yet, and why. The client keeps trying all endpoints. */
  #waitForReady() {
    this.#later(() => {
      if (this.#ready.done || this.#ended) return;
      const { fault, message } = verdict(this.#endpoints);
      const what = `no head was proven within ${this.times.readyWithin} ms`;
      const plain = fault?.toPlain() ?? { culprit: "nobody", nextStep: "leave-sender" };
      this.#emit("unready", { verdict: "unreachable", ...plain, endpoint: undefined, message: `${what}, the client keeps trying: ${message}` });
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
    this.#calls?.end();
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
    return cancel;
  }
}
