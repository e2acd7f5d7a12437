// One run of the light client: what is trusted, and the endpoints that prove more. Runs in a worker or beside its caller.
//
// All endpoints are followed at once. Whoever proves a block first moves the trusted state, which only the verifier
// changes, and one proof at a time; so no endpoint can hold the client back, and who lags behind the others is named.

import { accountId, accountKey, readAccount } from "./account.js";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.js";
import { Endpoint, verdict } from "./endpoints.js";
import { DuetError, incomplete, misuse, ofVerifier } from "./error.js";
import { Follower } from "./follower.js";
import { genesisHashOf, hashOf, newer, otherChain } from "./chain.js";
import { Server } from "./server.js";
import { equal, fromHex, toHex } from "./text.js";

// Every form of proof begins with the commitment, whose length is fixed.
const COMMITMENT = 168;
const SAVE_INTERVAL = 1_000;

/** Times in milliseconds, as they are when the caller names none. */
const TIMES = { requestTimeout: 10_000, stallAfter: 12_000, lagAfter: 8_000, settleAfter: 2_000 };

export class Session {
  #wasm;
  #openSocket;
  #emit;
  #endpoints;
  #client;
  #genesis;
  #latestSet;
  #best;
  #saved = 0;
  #timers = new Set();
  #ended;
  #ready = {};

  /** `emit(name, value)` gets what happens: `start`, `head`, `set`, `fault`, `checkpoint`, `state`, `ready`, `failed`. */
  constructor({ wasm, openSocket, emit, options, state }) {
    this.#wasm = wasm;
    this.#openSocket = openSocket;
    this.#emit = emit;
    this.mode = options.mode ?? "stateless";
    this.times = { ...TIMES, ...options.times };
    this.#endpoints = options.endpoints.map((url) => new Endpoint(url));
    this.#begin(options, state);
  }

  /** Begins to follow all endpoints. */
  start() {
    if (this.#client) this.#emit("start", this.status());
    for (const endpoint of this.#endpoints) this.#serve(endpoint);
  }

  /** The newest block that is trusted, and the sets; `undefined` before the genesis is proven. */
  status() {
    return this.#client?.status();
  }

  /** The verifier. */
  get client() {
    return this.#client;
  }

  /** Begins with the genesis proof of an endpoint, if nothing is trusted yet. */
  async beginWith(server) {
    const got = await server.genesis();
    if (!equal(got, this.#genesis)) throw otherChain(this.#genesis, got);
    if (this.#client) return;
    const proof = await server.genesisProof();
    if (this.#client) return;
    this.#client = this.call(() => this.#wasm.LightClient.fromGenesis(this.#genesis, proof, this.mode));
    this.#note();
  }

  /** Calls the verifier; what it throws becomes an error of ours. */
  call(verifier) {
    if (this.#ended) throw this.#ended;
    try {
      return verifier();
    } catch (thrown) {
      throw ofVerifier(thrown);
    }
  }

  /** What a proof says. None of it is verified. */
  peek(form, bytes) {
    return this.call(() => this.#wasm.peek(form, bytes));
  }

  /** The form of proofs for this mode. */
  get form() {
    return this.mode === "full" ? "justification" : "stateless";
  }

  /** Verifies a proof; whether it is new. */
  verifyFrom(endpoint, form, bytes) {
    if (this.#isBest(bytes)) return false;
    const start = performance.now();
    let verified;
    try {
      verified = this.call(() => this.#client.verify(form, bytes));
    } catch (fault) {
      if (fault.rule === "LIGHT-4" && fault.nextStep === "go-on") return false;
      throw fault;
    }
    if (verified === undefined) return false;
    this.#accept(endpoint, verified, performance.now() - start, bytes);
    return true;
  }

  /** Verifies a list of handoff proofs; how many held. */
  verifyHandoffs(endpoint, list) {
    const start = performance.now();
    const { verified, error } = this.call(() => this.#client.verifyHandoffs(list));
    // Their equations were checked as one: each has its share of the time.
    const share = (performance.now() - start) / Math.max(verified.length, 1);
    for (const one of verified) this.#accept(endpoint, one, share);
    if (error !== undefined) throw ofVerifier(error);
    return verified.length;
  }

  /** Adds the keys of a trusted set. */
  addKeys(set, keys) {
    this.call(() => this.#client.addKeys(set, keys));
    this.#save();
  }

  /** An endpoint was followed to its head. */
  synced(endpoint) {
    endpoint.succeeded();
    this.#settle();
  }

  /** Those whose connections are open, in the caller's order. */
  #connected() {
    return this.#endpoints.filter(({ server }) => server !== undefined);
  }

  /** Whether another endpoint may be asked instead of this one. */
  hasOther(endpoint) {
    return this.#endpoints.some((other) => other !== endpoint && !other.dropped);
  }

  // What the caller asks.

  /** Verifies bytes that the caller brings; what they prove, or `undefined` when it is known. */
  verify(bytes, form = this.form) {
    if (!this.#client) throw misuse("nothing is trusted yet: wait for `ready`");
    const start = performance.now();
    let verified;
    try {
      verified = this.call(() => this.#client.verify(form, bytes));
    } catch (fault) {
      if (fault.verdict !== "fatal" && fault.rule) fault.verdict = "refused";
      throw fault;
    }
    if (verified === undefined) return undefined;
    return this.#accept(undefined, verified, performance.now() - start, bytes);
  }

  /** The checkpoint from which another client gets here. */
  checkpoint() {
    if (!this.#client) throw misuse("nothing is trusted yet: wait for `ready`");
    return decodeCheckpoint(this.#client.checkpoint());
  }

  /** What the state says of an account. */
  async account(account, { at } = {}) {
    const id = accountId(account, this.#wasm.blake2b);
    const { values, ...proof } = await this.#read([accountKey(id, this.#wasm.blake2b)], at);
    return { account: toHex(id), ...readAccount(values[0]), ...proof };
  }

  /** An entry of the state; no `value` where there provably is none. */
  async storage(key, { at } = {}) {
    const bytes = key instanceof Uint8Array ? key : fromHex(key);
    if (bytes === undefined) throw misuse("a key is bytes, or 0x and hexadecimal digits");
    const { values, ...proof } = await this.#read([bytes], at);
    return { key: toHex(bytes), value: values[0], ...proof };
  }

  /** The header of a block up to the newest. */
  block(number) {
    return this.#ask(number, async (server, block, history) => {
      const bytes = await server.header(block.hash);
      const header = this.call(() => block.header(bytes));
      return { ...header, proofBytes: bytes.length + history, header: bytes, history };
    });
  }

  /** The extrinsics of a block up to the newest. */
  body(number) {
    return this.#body(number, (block, header, extrinsics) => {
      block.body(header, extrinsics);
      return { extrinsics };
    });
  }

  /** Where in a block the transaction with this hash is; no `index` where it provably has none. */
  async transaction(hash, { at } = {}) {
    const bytes = hashOf(hash, "hash");
    return this.#body(at, (block, header, extrinsics) => {
      const index = block.find(header, extrinsics, bytes);
      return { transaction: toHex(bytes), included: index !== undefined, index, value: extrinsics[index] };
    });
  }

  /** Ends all connections, and keeps what is to be kept. */
  destroy() {
    if (this.#ended) return;
    this.#save(true);
    this.#end(misuse("the client was destroyed"));
  }

  #begin({ genesisHash, checkpoint }, state) {
    const given = checkpoint === undefined ? undefined : this.#fromCheckpoint(checkpoint);
    const kept = state === undefined ? undefined : this.#fromState(state);
    const named = [genesisHashOf(genesisHash), given?.status().genesisHash, kept?.status().genesisHash].filter(Boolean);
    if (named.length === 0) throw misuse("which chain? give genesisHash or checkpoint");
    const other = named.find((hash) => !equal(hash, named[0]));
    if (other) throw misuse(`two chains are named: ${toHex(named[0])} and ${toHex(other)}`);
    this.#genesis = named[0];
    this.#client = newer(kept, given);
    if (this.#client) this.#note();
  }

  #fromCheckpoint(checkpoint) {
    const bytes = encodeCheckpoint(checkpoint);
    return this.call(() => this.#wasm.LightClient.fromCheckpoint(bytes, this.mode));
  }

  #fromState(state) {
    return this.call(() => this.#wasm.LightClient.fromState(state, this.mode));
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

  /** `ready` comes when a head is proven and the others had their chance to show a newer one. */
  #settle() {
    if (this.#ready.done) return;
    const tried = this.#endpoints.every((endpoint) => endpoint.tried);
    const proven = this.#endpoints.some((endpoint) => endpoint.tried && !endpoint.fault);
    if (proven && tried) this.#becomeReady();
    else if (proven) this.#ready.timer ??= this.#later(() => this.#becomeReady(), this.times.settleAfter);
    else if (this.#endpoints.every((endpoint) => endpoint.dropped)) {
      const { fault, message } = verdict(this.#endpoints);
      this.#end(new DuetError({ ...fault?.toPlain(), verdict: "fatal", message }));
    }
  }

  #becomeReady() {
    if (this.#ready.done) return;
    this.#ready.done = true;
    this.#emit("ready", this.status());
  }

  #end(fault) {
    if (this.#ended) return;
    this.#ended = fault;
    for (const cancel of [...this.#timers]) cancel();
    for (const { server } of this.#connected()) server.close(fault);
    this.#emit("failed", fault.toPlain());
  }

  #accept(endpoint, verified, ms, proof) {
    const head = { ...verified, ms, endpoint: endpoint?.url, proof };
    if (endpoint) endpoint.block = Math.max(endpoint.block, verified.block);
    this.#note();
    this.#emit("head", head);
    this.#save();
    return head;
  }

  /** What follows from a new state. */
  #note() {
    const status = this.#client.status();
    this.#best = { number: status.block };
    if (this.#latestSet !== undefined && status.latestSet !== this.#latestSet) {
      this.#emit("set", { set: status.latestSet, validators: status.latestLength, block: status.block });
      this.#emit("checkpoint", this.checkpoint());
    }
    this.#latestSet = status.latestSet;
  }

  /** The newest block, by `number`. */
  get best() {
    return this.#best;
  }

  /** Whether this is another copy of what is trusted; then it is not worth a check. */
  #isBest(bytes) {
    const kept = this.#client.bestCommitment();
    return kept !== undefined && equal(kept, bytes.subarray(0, COMMITMENT));
  }

  #save(now = false) {
    if (!this.#client || (!now && Date.now() - this.#saved < SAVE_INTERVAL)) return;
    this.#saved = Date.now();
    this.#emit("state", this.#client.state());
  }

  async #read(keys, at) {
    return this.#ask(at, async (server, block, history) => {
      const header = await server.header(block.hash);
      const nodes = await server.readProof(keys, block);
      const values = this.call(() => block.read(header, keys, nodes));
      const proofBytes = header.length + history + nodes.reduce((sum, node) => sum + node.length, 0);
      return { values, block: block.number, hash: block.hash, proofBytes, header, nodes, history };
    });
  }

  /** What `check` makes of a block's extrinsics; it throws when they are not proven. */
  async #body(at, check) {
    return this.#ask(at, async (server, block, history) => {
      const header = await server.header(block.hash);
      const extrinsics = await server.extrinsics(block);
      const found = this.call(() => check(block, header, extrinsics));
      const proofBytes = header.length + history + extrinsics.reduce((sum, { length }) => sum + length, 0);
      return { ...found, block: block.number, hash: block.hash, proofBytes, header, history };
    });
  }

  /** Asks one endpoint after the other, until one proves its answer. */
  async #ask(at, question) {
    if (!this.#client) throw misuse("nothing is trusted yet: wait for `ready`");
    const reasons = [];
    for (const endpoint of this.#connected()) {
      const { server } = endpoint;
      try {
        return { ...(await this.#answer(server, at, question)), endpoint: endpoint.url };
      } catch (thrown) {
        const fault = ofVerifier(thrown);
        fault.endpoint = endpoint.url;
        if (fault.verdict === "fatal" || fault.verdict === "refused") throw fault;
        reasons.push(fault);
        // What it may lack is not held against it; the connection's end is seen by who follows it.
        if (fault.verdict !== "incomplete") server.close(fault);
      }
    }
    if (reasons.length === 0) throw incomplete("open connection to any endpoint");
    const [first] = reasons;
    const message = reasons.map(({ endpoint, message }) => `${endpoint}: ${message}`).join("; ");
    throw new DuetError({ ...first.toPlain(), message });
  }

  async #answer(server, at, question) {
    const best = this.call(() => this.#client.best());
    let block;
    try {
      const { number } = best;
      if (at === undefined || at === number) return await question(server, handle(best), 0);
      if (!Number.isInteger(at) || at < 0) throw misuse("a block is named by its number");
      if (at > number) throw misuse(`block ${at} is not proven yet: the newest proven block is ${number}`);
      const { leaves, proof } = await server.blockProof(at, { number, hash: best.hash });
      block = this.call(() => best.older(at, leaves, proof));
      return await question(server, handle(block), leaves.length + proof.length);
    } finally {
      block?.free();
      best.free();
    }
  }

  /** Waits, unless the session ends. */
  sleep(time) {
    return new Promise((resolve) => {
      this.#later(resolve, time, resolve);
    });
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

/** A block with its values read once, each of which is a copy out of the verifier's memory. */
function handle(block) {
  return {
    number: block.number,
    hash: block.hash,
    header: (bytes) => block.header(bytes),
    read: (header, keys, nodes) => block.read(header, keys, nodes),
    body: (header, extrinsics) => block.body(header, extrinsics),
    find: (header, extrinsics, hash) => block.find(header, extrinsics, hash),
  };
}
