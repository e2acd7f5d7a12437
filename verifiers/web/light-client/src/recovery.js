// Recovery: a reset is crossed by a proof of the recovery set, after a wait. (RECOVER-7, RECOVER-8)
//
// A proof of a newer block within the wait shows that the recovery set lies. So the endpoints are asked for one all
// along, and once more right before the crossing. Then they also name the reset, and nothing is crossed while one of
// them disputes the statement: it may be the only honest one.

import { DuetError, incomplete } from "./error.js";
import { readRecovery } from "./recovery-text.js";

// How often the clock is looked at, in milliseconds: a timer takes 2³¹ at most, and stops while the machine sleeps.
const LOOK = 60_000;
// The pause before endpoints that did not answer are asked again, in milliseconds. Each later one is twice as long.
const FIRST_PAUSE = 250;

export class Recovery {
  #session;
  #trust;
  #wasm;
  #emit;
  #ask;
  // The caller's proof and the block that it is about, until it is announced.
  #given;
  #about;
  // The newest wait; an older one ends.
  #wait = 0;
  // What was told last of those that dispute the statement.
  #told;

  /**
   * `ask(silent)` asks every usable endpoint, or the silent ones of the last call, for a newer proof and for the reset:
   * `{ answers: [{ endpoint, dispute? }], silent }`.
   */
  constructor({ session, wasm, emit, ask, recoveryProof }) {
    this.#session = session;
    this.#trust = session.trust;
    this.#wasm = wasm;
    this.#emit = emit;
    this.#ask = ask;
    if (recoveryProof === undefined) return;
    this.#given = readRecovery(recoveryProof, this.#trust.genesis, wasm.sha256);
    this.#about = this.#trust.call(() => wasm.peekRecovery(this.#given));
  }

  /** Whether a reset is to be crossed, so that an endpoint's word of it is no fault. */
  get isWaiting() {
    return this.#given !== undefined || this.#trust.announced() !== undefined;
  }

  /** The block that the caller's proof is about, if no endpoint has proven it yet. */
  get missing() {
    return this.#given !== undefined && this.#about > this.#trust.status().block ? this.#about : undefined;
  }

  /** Continues the wait of a stored state, or one that was just announced. */
  start() {
    this.#crossAfter((this.#wait += 1)).catch((fault) => this.#session.fail(fault));
  }

  /** Announces the caller's proof under the terms that this endpoint proves. */
  async announce(server) {
    while (this.#given !== undefined) {
      const { block: number, hash } = this.#trust.status();
      if (this.#about > number) throw incomplete(`proof of block ${this.#about}, which the recovery proof is about`, "RECOVER-7");
      if (this.#about < number) {
        this.#given = undefined;
        this.#emit("outdated", { about: this.#about, block: number });
        return;
      }
      const found = await server.proofsAt(this.#wasm.recoveryKeys(), { number, hash }, this.#trust);
      // Another endpoint may have done more meanwhile.
      if (this.#given === undefined || this.#trust.status().block !== number) continue;
      this.#try(() => this.#trust.announce(this.#given, found));
      this.#given = undefined;
      if (this.#trust.announced().contradicted) this.#cross(Date.now());
      this.start();
    }
  }

  async #crossAfter(wait) {
    for (let isShown = false; ; ) {
      // One time for both, so that the wait does not end between this look and the crossing, where nobody was asked.
      let at = Date.now();
      const before = this.#trust.announced(at);
      if (!before || wait !== this.#wait || this.#session.isEnded) return;
      if (before.contradicted || before.seconds === 0) {
        const answers = await this.#askPatiently();
        if (answers.length === 0 || this.#isDisputed(answers)) {
          await this.#session.sleep(this.#session.times.requestTimeout);
          continue;
        }
        at = Date.now();
      }
      // A newer block was proven meanwhile.
      if (!this.#trust.announced()) return;
      const left = this.#cross(at);
      if (left === 0) return;
      const after = this.#trust.announced();
      if (!isShown || left === undefined) this.#emit("announced", after);
      isShown = true;
      await this.#session.sleep(Math.min(1_000 * after.seconds, LOOK));
    }
  }

  /** The answers of all endpoints. One that gives none is asked again for as long as a request may take. */
  async #askPatiently() {
    const all = [];
    // Counted from the end of the first pass, which a slow liar can draw out.
    let end;
    for (let silent, pause = FIRST_PAUSE; ; pause *= 2) {
      const asked = await this.#ask(silent);
      all.push(...asked.answers);
      silent = asked.silent;
      end ??= performance.now() + this.#session.times.requestTimeout;
      const left = end - performance.now();
      const goesOn = all.length > 0 && silent.length > 0 && left > 0 && this.#trust.announced()?.contradicted === false;
      if (!goesOn || this.#session.isEnded) return this.#session.isEnded ? [] : all;
      await this.#session.sleep(Math.min(pause, left));
    }
  }

  /** Whether an endpoint disputes the statement. Tells who does, and again when that changes. */
  #isDisputed(answers) {
    const announced = this.#trust.announced();
    const disputes = answers.filter(({ dispute }) => dispute !== undefined);
    const isDisputed = announced !== undefined && !announced.contradicted && disputes.length > 0;
    const told = JSON.stringify(disputes);
    if (isDisputed && told !== this.#told) this.#emit("disputed", { ...announced, disputes });
    this.#told = told;
    return isDisputed;
  }

  /** Crosses the reset if the wait is over; returns the seconds that are left of it, `undefined` if it begins anew. */
  #cross(at) {
    const announced = this.#trust.announced(at);
    return this.#try(
      () => this.#trust.cross(at),
      ({ first, second }) => first && this.#emit("contradicted", { ...announced, first, second }),
    );
  }

  #try(verifier, refused) {
    try {
      return verifier();
    } catch (fault) {
      refused?.(fault);
      if (fault.rule !== "LIGHT-9") throw fault;
      const how = "a recovery starts from a block of known age within the trusting period: begin from a younger block with checkpoint or startHash";
      throw new DuetError({ ...fault.toPlain(), message: `${fault.message}; ${how}` });
    }
  }
}
