// The age of the newest trusted block: proven, kept, and checked before each proof. (LIGHT-9)
//
// The same time shows the user whether the chain goes on. A clock that is wrong shows a wrong age.

import { DuetError, incomplete, misuse } from "./error.js";

// How often a client that follows proves the time of its newest block, in milliseconds. Each proof takes about 1 KB.
const INTERVAL = 10_000;

export class Age {
  #trust;
  #wasm;
  #given;
  #trustOldStart;
  #maxAge;
  #emit;
  // When this client began at a genesis, of which nothing proves the age.
  #began;
  // When the last time was proven, and of which block.
  #proven = 0;
  #dated;
  #isWarned = false;

  /** `emit(name, value)` gets `time`, and a `fault` if nobody names a trusting period. */
  constructor(trust, wasm, { trustingPeriod, trustOldStart = false, maxAge }, emit) {
    this.#trust = trust;
    this.#wasm = wasm;
    this.#maxAge = maxAge;
    this.#emit = emit;
    this.#given = trustingPeriod === undefined ? undefined : BigInt(trustingPeriod);
    this.#trustOldStart = trustOldStart;
  }

  /** The caller's trusting period. */
  get given() {
    return this.#given;
  }

  /** Refuses to continue from a block that is too old, or whose age is not known. */
  check() {
    if (this.#trustOldStart) return;
    const { time, block } = this.#trust.status();
    if (time === undefined && this.#began === undefined) throw noTime(block);
    this.#judge("", () => this.#trust.client.checkAge(now(), this.#given));
  }

  /** Checks the age of the block from which this client begins, before it takes a proof of this endpoint. */
  async checkStart(server) {
    if (this.#trustOldStart) return;
    const { time, block } = this.#trust.status();
    if (time === undefined && block === 0) this.#began ??= now();
    // Behind a time that is proven, the age of the genesis counts no more.
    if (time === undefined) await (this.#began === undefined ? this.#prove(server) : this.#checkGenesis(server));
    this.check();
  }

  /** Proves the time of the newest proven block, unless that was done a moment ago. */
  async keep(server) {
    const isDue = (at) => Date.now() - at >= INTERVAL;
    // Only a proof comes with a root over the blocks before it.
    if (this.#trust.status().mmrRoot === undefined || !isDue(this.#proven) || !isDue(server.timeAsked)) return;
    await this.#prove(server);
    this.check();
  }

  /** Refuses to answer under a newest block that is older than the caller permits. */
  async checkFresh(server, maxAge = this.#maxAge) {
    checkMaxAge(maxAge);
    if (maxAge === undefined || this.#seconds() <= maxAge) return;
    await this.#prove(server);
    const [seconds, { block }] = [this.#seconds(), this.#trust.status()];
    if (!(seconds <= maxAge)) throw stale(block, maxAge, this.#dated === block ? seconds : undefined);
  }

  /** The age of the newest block, at most; `NaN` if it is not known. */
  #seconds() {
    return Math.floor((Date.now() - this.#trust.status().time) / 1_000);
  }

  /** The state of a genesis has no time: an honest endpoint says how old block 1 is. */
  async #checkGenesis(server) {
    const dated = await unlessMissing(server.genesisDate(this.#wasm.dateKeys()));
    if (!dated) return;
    const what = `, so says ${server.url} of the genesis`;
    this.#judge(what, () => this.#wasm.checkDate(dated.time, dated.trustingPeriod, this.#began, this.#given));
  }

  /** Proves the time of the newest block from the endpoint's state, once for each block and endpoint at most. */
  async #prove(server) {
    const { block } = this.#trust.status();
    if (server.dating?.block !== block) server.dating = { block, done: this.#askTime(server) };
    await server.dating.done;
  }

  /** Asks for the time of the newest block, and keeps it, if the endpoint can prove it. */
  async #askTime(server) {
    server.timeAsked = Date.now();
    const { block: number, hash } = this.#trust.status();
    const keys = this.#wasm.dateKeys();
    const found = await unlessMissing(server.proofsAt(keys, { number, hash }, this.#trust));
    // Another endpoint may have proven a newer block meanwhile.
    if (!found || this.#trust.status().block !== number) return;
    if (!this.#trust.call(() => this.#trust.client.proveDate(found.header, found.nodes))) return;
    this.#proven = Date.now();
    this.#dated = number;
    this.#trust.save(true);
    const { time, trustingPeriod } = this.#trust.status();
    this.#emit("time", { block: number, time });
    this.#warn(trustingPeriod ?? this.#given);
    // From now on the age of newer blocks counts.
    this.#trustOldStart &&= this.#isTooOld();
  }

  /** Says once that no age is checked. */
  #warn(period) {
    if (period !== undefined || this.#isWarned) return;
    this.#isWarned = true;
    const message = "the chain names no trusting period, and no trustingPeriod is given: this client continues from a block of any age (LIGHT-9)";
    this.#emit("fault", { verdict: "no_period", culprit: "nobody", nextStep: "go-on", message });
  }

  #isTooOld() {
    try {
      this.#trust.client.checkAge(now(), this.#given);
      return false;
    } catch {
      return true;
    }
  }

  #judge(what, verifier) {
    try {
      this.#trust.call(verifier);
    } catch (fault) {
      if (fault.rule !== "LIGHT-9") throw fault;
      const why = "its signers may have their stake back, and their keys may have been sold";
      const how = "begin from a younger block with checkpoint or startHash, or, if people whom you trust confirm that the sets from there on were honest, set trustOldStart";
      throw new DuetError({ ...fault.toPlain(), message: `${fault.message}${what}: ${why}; ${how}` });
    }
  }
}

const now = () => BigInt(Date.now());

function noTime(block) {
  const remedy = "begin from a younger checkpoint, or set trustOldStart if people whom you trust say that the block is younger than the trusting period";
  return incomplete(`proof of the time of block ${block} (LIGHT-9): its state is pruned, or has no time; ${remedy}`, "LIGHT-9");
}

/** Refuses what is not a number of seconds. */
export function checkMaxAge(maxAge) {
  if (maxAge !== undefined && !(Number.isFinite(maxAge) && maxAge > 0)) throw misuse("maxAge has to be a number of seconds above 0");
}

function stale(block, maxAge, seconds) {
  const what = `block ${block}, the newest proven one, is`;
  const message =
    seconds === undefined
      ? `${what} of unknown age, and maxAge is ${maxAge} s`
      : `${what} ${seconds} s old, and maxAge is ${maxAge} s: the chain has halted, the endpoints hide newer blocks, or this clock is fast`;
  return new DuetError({ verdict: "stale", culprit: "nobody", nextStep: "go-on", message, expected: `${maxAge}`, got: seconds?.toString() });
}

/** An answer; `undefined` if the endpoint refuses the request or lacks the data. */
async function unlessMissing(answer) {
  try {
    return await answer;
  } catch (fault) {
    if (fault.code === undefined && fault.verdict !== "incomplete") throw fault;
    return undefined;
  }
}
