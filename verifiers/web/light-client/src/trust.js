// The trusted state. Only proofs that the verifier accepts change it.

import { Age } from "./age.js";
import { genesisHashOf, hashOf, isNewer, newer, otherChain } from "./chain.js";
import { decodeCheckpoint, encodeCheckpoint, parseCheckpoint } from "./checkpoint.js";
import { DuetError, incomplete, laterStart, misuse, ofVerifier, otherAnswer } from "./error.js";
import { readHeaderOf } from "./header.js";
import { equal, toHex } from "./text.js";

// Every form of proof begins with the commitment, whose length is fixed.
const COMMITMENT = 168;
const SAVE_INTERVAL = 1_000;

/** The form of proofs for a mode. */
export function formOf(mode) {
  return mode === "full" ? "justification" : "stateless";
}

export class Trust {
  #wasm;
  #emit;
  #client;
  #age;
  #genesis;
  // The block at which to start, until it or a newer block is trusted.
  #start;
  #latestSet;
  #best;
  // The block that the announced recovery is about.
  #about;
  #saved = 0;
  #ended;
  #waiting = new Set();

  /** `emit(name, value)` gets `head`, `time`, `set`, `checkpoint`, `cancelled`, `recovered`, `fault` and `state`. Starts with the newer state. */
  constructor({ wasm, emit, options, state }) {
    this.#wasm = wasm;
    this.#emit = emit;
    this.mode = options.mode ?? "stateless";
    this.#age = new Age(this, wasm, options, emit);
    this.#begin(options, state);
  }

  /** The newest trusted block, and the sets; `undefined` before the genesis or the start block is proven. */
  status() {
    return this.#client?.status();
  }

  /** The verifier; `undefined` before the genesis or the start block is proven. */
  get client() {
    return this.#client;
  }

  /** The newest block, by `number`. */
  get best() {
    return this.#best;
  }

  /** The hash of the chain's genesis. */
  get genesis() {
    return this.#genesis;
  }

  /** The recovery that is waited for at a time in milliseconds; `undefined` without one. (RECOVER-7) */
  announced(at = Date.now()) {
    return this.#client?.announced(BigInt(at));
  }

  /** The form of proofs for this mode. */
  get form() {
    return formOf(this.mode);
  }

  /** Starts with an endpoint's proof of the caller's start block, or of the genesis if nothing is trusted yet. */
  async beginWith(server) {
    const got = await server.genesis();
    if (!equal(got, this.#genesis)) throw otherChain(this.#genesis, got);
    if (this.#start) await this.#beginAt(this.#start, server);
    if (!this.#client) await this.#beginAtGenesis(server);
    await this.#age.checkStart(server);
  }

  /** Proves the time of the newest proven block, at most once in ten seconds. (LIGHT-9) */
  keepTime(server) {
    return this.#age.keep(server);
  }

  /** Refuses to answer if the newest block is older than so many seconds. */
  checkFresh(server, maxAge) {
    return this.#age.checkFresh(server, maxAge);
  }

  /** Calls the verifier; converts its exceptions into a `DuetError`. */
  call(verifier) {
    if (this.#ended) throw this.#ended;
    try {
      return verifier();
    } catch (thrown) {
      throw ofVerifier(thrown);
    }
  }

  /** The BLAKE2b hash of bytes, 16, 32 or 64 bytes long. */
  blake2b(bytes, length) {
    return this.#wasm.blake2b(bytes, length);
  }

  /** The unverified content of a proof. */
  peek(form, bytes) {
    return this.call(() => this.#wasm.peek(form, bytes));
  }

  /** Verifies a proof; returns whether it is new. */
  verifyFrom(endpoint, form, bytes) {
    if (this.#isBest(bytes)) return false;
    this.#age.check();
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

  /** Checks the proof of the block under which an answer was requested. The newest block's is known. (RPC-1) */
  checkUnder(block, proof) {
    const got = this.peek(this.form, proof).block;
    if (got !== block) throw otherAnswer(`the proof of block ${block}`, `that of block ${got}`);
    // A block of a checkpoint or a start has no proof here to compare with, and its set may have handed off.
    if (this.status().block === block && this.#client.bestCommitment()) this.verifyFrom(undefined, this.form, proof);
  }

  /** Verifies a list of handoff proofs; returns the number of valid ones. */
  verifyHandoffs(endpoint, list) {
    this.#age.check();
    const start = performance.now();
    const { verified, error } = this.call(() => this.#client.verifyHandoffs(list));
    // Their equations were checked together: each proof gets its share of the time.
    const share = (performance.now() - start) / Math.max(verified.length, 1);
    for (const one of verified) this.#accept(endpoint, one, share);
    if (error !== undefined) throw ofVerifier(error);
    return verified.length;
  }

  /** Verifies a proof from the caller; returns the proven head, or `undefined` if it is already known. */
  verify(bytes, form = this.form) {
    this.needed();
    const start = performance.now();
    let verified;
    try {
      this.#age.check();
      verified = this.call(() => this.#client.verify(form, bytes));
    } catch (fault) {
      if (fault.verdict !== "fatal" && fault.rule) fault.verdict = "refused";
      throw fault;
    }
    if (verified === undefined) return undefined;
    return this.#accept(undefined, verified, performance.now() - start, bytes);
  }

  /** Adds the keys of a trusted set. */
  addKeys(set, keys) {
    this.call(() => this.#client.addKeys(set, keys));
    this.save();
  }

  /** The current checkpoint, from which another client can start. */
  checkpoint() {
    this.needed();
    const { time, trustingPeriod: trusting_period } = this.#client.status();
    const date = time === undefined ? {} : { time: Math.floor(time / 1000), ...(trusting_period && { trusting_period }) };
    return { ...decodeCheckpoint(this.#client.checkpoint()), ...date };
  }

  /** Announces a recovery under the terms that header and trie nodes prove. (RECOVER-7) */
  announce(proof, { header, nodes }) {
    this.call(() => this.#client.announce(proof, header, nodes, BigInt(Date.now()), this.#age.given));
    this.#note();
    this.save(true);
  }

  /** What an endpoint's header of the reset, or `null`, says against the announced statement, if anything. (RECOVER-8) */
  dispute(header) {
    return this.call(() => this.#client.dispute(header));
  }

  /**
   * Crosses the announced reset if the wait is over at a time in milliseconds; returns the seconds that are left of it,
   * `undefined` if the clock stood before the announcement, so that the wait begins anew. (RECOVER-8)
   */
  cross(at) {
    const from = this.#best.number;
    const left = this.call(() => this.#client.cross(BigInt(at), this.#age.given));
    if (left === 0) {
      this.#about = undefined;
      this.#note();
      this.#emit("recovered", { ...this.status(), from });
    }
    this.save(true);
    return left;
  }

  /** The checkpoint after the reset in an endpoint's header. It is unproven. (LIGHT-8) */
  resetClaim(header) {
    return decodeCheckpoint(this.call(() => this.#client.resetClaim(header)));
  }

  /** Refuses requests of the caller before a block is trusted, and after the end. */
  needed() {
    if (this.#ended) throw this.#ended;
    if (!this.#client) throw misuse("no block is trusted yet: wait for `ready`");
  }

  /** Waits until a block with this number or a newer one is proven, at most `within` milliseconds. */
  reached(number, within) {
    return new Promise((resolve) => {
      const waiter = { number, done: () => undefined };
      const timer = setTimeout(() => waiter.done(), within);
      waiter.done = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve();
      };
      this.#waiting.add(waiter);
    });
  }

  /** The number of requests that wait for a newer block. */
  get waiting() {
    return this.#waiting.size;
  }

  /** Stores the trusted state, now or at most once a second. */
  save(now = false) {
    if (!this.#client || (!now && Date.now() - this.#saved < SAVE_INTERVAL)) return;
    this.#saved = Date.now();
    this.#emit("state", this.#client.state());
  }

  /** Ends verification: every later call throws this fault. */
  end(fault) {
    this.#ended = fault;
    for (const { done } of [...this.#waiting]) done();
  }

  /** Starts at a block, unless the stored state is newer, or another endpoint has proven the block meanwhile. */
  async #beginAt(hash, server) {
    if (this.#client && !(await this.#isAhead(hash, server))) {
      this.#start = undefined;
      return;
    }
    const proof = await server.startProof(hash);
    if (!this.#start) return;
    if (proof === null) throw incomplete(`start proof of block ${toHex(hash)}: the block is not final there, has no sets, or its state is pruned`);
    this.#client = this.call(() => this.#wasm.LightClient.fromStart(this.#genesis, hash, proof, this.mode));
    this.#start = undefined;
    this.#note();
    this.save();
  }

  /** Whether a block is newer than the stored state, by its header. Nodes keep headers longer than state. */
  async #isAhead(hash, server) {
    const { number: block } = readHeaderOf(hash, await server.header(hash), (bytes) => this.blake2b(bytes, 32));
    try {
      return isNewer("startHash", { block, hash }, this.#client.status());
    } catch (error) {
      throw new DuetError({ ...error.toPlain(), verdict: "fatal" });
    }
  }

  async #beginAtGenesis(server) {
    const proof = await server.genesisProof();
    if (this.#client) return;
    if (proof === null) throw await this.#noGenesis(server);
    this.#client = this.call(() => this.#wasm.LightClient.fromGenesis(this.#genesis, proof, this.mode));
    this.#note();
  }

  /** The fault of an endpoint without a genesis proof. It may claim where the sets begin, unproven. */
  async #noGenesis(server) {
    const proof = await server.claimedStart();
    if (proof === null) return incomplete("proof of genesis");
    return laterStart(this.call(() => this.#wasm.startClaim(this.#genesis, proof)));
  }

  #begin({ genesisHash, startHash, checkpoint }, state) {
    const given = checkpoint === undefined ? undefined : this.#fromCheckpoint(checkpoint);
    const kept = state === undefined ? undefined : this.call(() => this.#wasm.LightClient.fromState(state, this.mode));
    const named = [genesisHashOf(genesisHash), given?.status().genesisHash, kept?.status().genesisHash].filter(Boolean);
    if (named.length === 0) throw misuse("no chain given: set genesisHash or checkpoint");
    const other = named.find((hash) => !equal(hash, named[0]));
    if (other) throw misuse(`two different genesis hashes are given: ${toHex(named[0])} and ${toHex(other)}`);
    this.#genesis = named[0];
    this.#client = newer(kept, given);
    if (startHash !== undefined) this.#start = hashOf(startHash, "startHash");
    if (this.#client) this.#note();
  }

  #fromCheckpoint(checkpoint) {
    const json = parseCheckpoint(checkpoint);
    const bytes = encodeCheckpoint(json);
    const client = this.call(() => this.#wasm.LightClient.fromCheckpoint(bytes, this.mode));
    const { time, trusting_period: period } = json;
    if (time !== undefined) client.vouchDate(1_000n * BigInt(time), period === undefined ? undefined : BigInt(period));
    return client;
  }

  #accept(endpoint, verified, ms, proof) {
    const head = { ...verified, time: this.status().time, ms, endpoint: endpoint?.url, proof };
    if (endpoint) endpoint.block = Math.max(endpoint.block, verified.block);
    this.#note();
    this.#emit("head", head);
    this.save();
    for (const { number, done } of [...this.#waiting]) if (number <= verified.block) done();
    return head;
  }

  /** Updates the fields that depend on the state, and emits the events of a new set and of a cancelled recovery. */
  #note() {
    const status = this.#client.status();
    const about = this.announced()?.block;
    if (this.#about !== undefined && about === undefined) this.#emit("cancelled", { about: this.#about, block: status.block });
    this.#about = about;
    this.#best = { number: status.block };
    if (this.#latestSet !== undefined && status.latestSet !== this.#latestSet) {
      this.#emit("set", { set: status.latestSet, validators: status.latestLength, block: status.block });
      this.#emit("checkpoint", this.checkpoint());
    }
    this.#latestSet = status.latestSet;
  }

  /** Whether this is another proof of the newest trusted block, which needs no check. */
  #isBest(bytes) {
    const kept = this.#client.bestCommitment();
    return kept !== undefined && equal(kept, bytes.subarray(0, COMMITMENT));
  }
}
