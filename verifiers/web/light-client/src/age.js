// The age of the newest trusted block: proven, kept, and checked before each proof. (LIGHT-9)

import { DuetError, incomplete } from "./error.js";

// How long a client follows on before it proves the time of its newest block again, in milliseconds.
const INTERVAL = 60_000;

export class Age {
  #trust;
  #wasm;
  #given;
  #trustOldStart;
  // When this client began at a genesis, of which nothing proves the age.
  #began;
  #proven = 0;

  constructor(trust, wasm, { trustingPeriod, trustOldStart = false }) {
    this.#trust = trust;
    this.#wasm = wasm;
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
    if (this.#began !== undefined) await this.#checkGenesis(server);
    else if (time === undefined) await this.#prove(server);
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

  /** The state of a genesis has no time: an honest endpoint says how old block 1 is. */
  async #checkGenesis(server) {
    const dated = await unlessMissing(server.genesisDate(this.#wasm.dateKeys()));
    if (!dated) return;
    const what = `, so says ${server.url} of the genesis`;
    this.#judge(what, () => this.#wasm.checkDate(dated.time, dated.trustingPeriod, this.#began, this.#given));
  }

  /** Proves the time of the newest block from the endpoint's state, and keeps it, if the endpoint can do that. */
  async #prove(server) {
    server.timeAsked = Date.now();
    const { block: number, hash } = this.#trust.status();
    const keys = this.#wasm.dateKeys();
    const found = await unlessMissing(server.proofsAt(keys, { number, hash }, this.#trust.mode === "stateless"));
    // Another endpoint may have proven a newer block meanwhile.
    if (!found || this.#trust.status().block !== number) return;
    if (!this.#trust.call(() => this.#trust.client.proveDate(found.header, found.nodes))) return;
    this.#proven = Date.now();
    this.#trust.save(true);
    // From now on the age of newer blocks counts.
    this.#trustOldStart &&= this.#isTooOld();
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

/** An answer; `undefined` if the endpoint refuses the request or lacks the data. */
async function unlessMissing(answer) {
  try {
    return await answer;
  } catch (fault) {
    if (fault.code === undefined && fault.verdict !== "incomplete") throw fault;
    return undefined;
  }
}
