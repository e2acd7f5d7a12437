// Follows one endpoint: from the trusted state to its head, then each pushed proof. Notices when no proofs come.

import { contradiction, incomplete, otherAnswer, reset, stalled } from "./error.js";
import { equal } from "./text.js";
import { formOf } from "./trust.js";

// How often a new set may take over while the handoff proofs are fetched.
const MAX_ROUNDS = 8;
// The number of tries for a proof of the head, and the pause between them: the head may have moved meanwhile.
const MAX_MISSING = 3;
const MISSING_WAIT = 300;
const [SHORTEST_LOOK, LONGEST_LOOK] = [100, 6_000];
// The factor on the wait for an endpoint whose chain does not grow.
const STANDSTILL = 4;
// A client without keys pays about a hundred bytes for each non-signer. Where a new proof lacks more than these, it asks
// for the fuller one that late votes make of it, which is there after a second. (ROUND-9)
const FEW = 32;
const GROWS = 1_100;
// Up to this age in milliseconds a newest block is not old.
const YOUNG = 60_000;

export class Follower {
  #session;
  #trust;
  #endpoint;
  #server;
  #behind;

  constructor(session, endpoint, server) {
    this.#session = session;
    this.#trust = session.trust;
    this.#endpoint = endpoint;
    this.#server = server;
  }

  /** Follows the endpoint until it fails. */
  async run() {
    const { times } = this.#session;
    await this.#trust.beginWith(this.#server);
    // Subscribed first, so that no proof is missed on the way to the head.
    await this.#server.subscribe();
    await this.#sync(() => this.#catchUp());
    this.#session.synced(this.#endpoint);
    // Also if the age is not known.
    if (!(Date.now() - this.#status().time <= YOUNG)) await this.#askWhy();
    const { stallAfter } = times;
    const first = Math.min(Math.max(stallAfter / 4, SHORTEST_LOOK), LONGEST_LOOK);
    let watch = this.#watch();
    let look = first;
    let next = Date.now() + look;
    for (;;) {
      const pushed = await this.#server.nextProof(Math.max(next - Date.now(), 0));
      const isNews = pushed !== undefined && (await this.#sync(() => this.#take(pushed)));
      if (isNews) {
        // While proofs come, there is nothing to look for.
        watch = this.#watch();
        look = first;
        next = Date.now() + stallAfter;
      } else if (pushed === undefined || Date.now() >= next) {
        await this.#sync(async () => {
          watch = await this.#look(watch);
        });
        // Less and less often, while nothing happens.
        next = Date.now() + look;
        look = Math.min(2 * look, stallAfter * STANDSTILL);
      } else next = Math.min(next, Date.now() + first);
    }
  }

  /** Asks the endpoint once for what is newer; what it says against the announced statement. (RECOVER-8) */
  async ask() {
    await this.#trust.beginWith(this.#server);
    await this.#unlessReset(() => this.#catchUp());
    return this.#trust.dispute(await this.#server.reset(this.#status().latestSet));
  }

  #status() {
    return this.#trust.status();
  }

  /** Takes a step, proves the time of the newest block, and announces the caller's recovery proof. */
  async #sync(step) {
    const { recovery } = this.#session;
    const { set } = this.#status();
    const { reset, value } = await this.#unlessReset(step);
    if (recovery.missing !== undefined) await this.#fetchMissing(recovery.missing);
    await this.#trust.keepTime(this.#server);
    await recovery.announce(this.#server);
    if (reset && !recovery.isWaiting && this.#status().set === set) throw reset;
    return value;
  }

  /** Takes a step, and gives its `value`. While a reset is to be crossed, the endpoint's word of it is no fault: `reset`. */
  async #unlessReset(step) {
    try {
      return { value: await step() };
    } catch (reset) {
      if (reset.verdict !== "reset" || !this.#session.recovery.isWaiting) throw reset;
      return { reset };
    }
  }

  /** Verifies the newest block before a reset. An endpoint behind the reset names only heads of the sets after it. */
  async #fetchMissing(block) {
    const proof = await this.#fetchProof(block);
    if (proof !== null) await this.#verifyOrWalk(proof);
  }

  /** Verifies everything up to the proven head that the endpoint names. */
  async #catchUp() {
    let missing = 0;
    await this.#doubtRecovery();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await this.#fetchKeys();
      const head = await this.#server.head();
      if (head === undefined) return;
      const { block } = this.#status();
      if (!this.#isNews(head)) {
        this.#shows(head.number);
        return;
      }
      if (head.number > block) {
        await this.#walk();
        if (this.#status().block >= head.number) return;
      }
      const proof = await this.#fetchProof(head.number);
      if (proof === null) {
        missing += 1;
        if (missing >= MAX_MISSING) throw incomplete(`proof of block ${head.number}, which the endpoint names as its proven head`);
        await this.#session.sleep(MISSING_WAIT);
        continue;
      }
      if (!equal(this.#trust.peek(this.#trust.form, proof).hash, head.hash)) {
        throw contradiction("the head, and a proof of another block with that number");
      }
      if (await this.#verifyOrWalk(proof)) return;
    }
  }

  /**
   * Whether a head has something to prove: it is newer than the newest proven block, or another block with its number, of
   * which no endpoint has a proof unless the validators contradict themselves. (LIGHT-4)
   */
  #isNews({ number, hash }) {
    const best = this.#status();
    return number > best.block || (number === best.block && !equal(hash, best.hash));
  }

  /** Records the block that the endpoint claims to have reached. Only used to detect lag. */
  #shows(number) {
    this.#endpoint.block = Math.max(this.#endpoint.block, number);
  }

  /** Verifies a proof, after the handoffs that lead to its set. */
  async #verifyOrWalk(proof) {
    const { form } = this.#trust;
    // A reset may have been crossed since the keys were fetched.
    await this.#fetchKeys();
    try {
      this.#trust.verifyFrom(this.#endpoint, form, proof);
    } catch (fault) {
      if (fault.nextStep !== "fetch-handoff-proofs") throw fault;
      // Not a trusted set's proof under another id, so that the endpoint may have the way there. (LIGHT-7)
      const isStuck = (await this.#walk()) === 0;
      const why = isStuck ? await this.#noWay() : undefined;
      if (why) throw why;
      await this.#fetchKeys();
      this.#trust.verifyFrom(this.#endpoint, form, proof);
    }
    this.#shows(this.#trust.peek(form, proof).block);
    await this.#fetchKeys();
    return true;
  }

  /**
   * Why the endpoint leads no further: it lacks handoff proofs, or claims a reset (LIGHT-6, LIGHT-8). `undefined` if the
   * client got further meanwhile.
   */
  async #noWay() {
    const { latestSet } = this.#status();
    await this.#takeLast();
    const header = await this.#server.reset(latestSet);
    if (this.#status().latestSet !== latestSet) return undefined;
    if (header === null) return incomplete(`handoff proof of set ${latestSet}`, "LIGHT-6");
    return reset(this.#trust.resetClaim(header));
  }

  /** Verifies the last proof by the trusted sets: behind a reset, the head is by another set, and no handoff leads there. */
  async #takeLast() {
    const { set, latestSet } = this.#status();
    for (const asked of new Set([latestSet, set])) {
      if (!(await this.#takeLastOf(asked, this.#trust.mode, (block) => block > this.#status().block))) continue;
      await this.#fetchKeys();
      return;
    }
  }

  /**
   * Behind a crossed reset, before the new set's first proof: asks for the last proofs by the sets before it, which show a
   * false recovery on a chain that goes on. The keys of an ended set may be missing, and such a proof needs none. (RECOVER-8)
   */
  async #doubtRecovery() {
    const { client } = this.#trust;
    for (const set of client.endedSets()) {
      // Another endpoint may have proven a block of the new set meanwhile.
      await this.#takeLastOf(set, "stateless", (block) => block >= this.#status().block && client.endedSets().includes(set));
    }
  }

  /** Verifies the last proof by a set, if one of its block is wanted; whether it was. */
  async #takeLastOf(set, mode, isWanted) {
    const proof = await this.#server.lastProof(set, mode);
    if (proof === null) return false;
    const form = formOf(mode);
    const got = this.#trust.peek(form, proof);
    if (got.set !== set) throw otherAnswer(`the last proof of set ${set}`, `one of set ${got.set}`);
    if (!isWanted(got.block)) return false;
    this.#trust.verifyFrom(this.#endpoint, form, proof);
    return true;
  }

  /** Walks from set to set as far as the endpoint has proofs; returns the number of new handoffs. */
  async #walk() {
    let walked = 0;
    for (;;) {
      const { latestSet, latestLength } = this.#status();
      const list = await this.#server.handoffs(latestSet, latestLength, this.#trust.mode);
      // Another endpoint may have proven these meanwhile: then the walk continues from there.
      if (this.#status().latestSet !== latestSet) {
        walked += 1;
        await this.#fetchKeys();
        continue;
      }
      const count = this.#trust.verifyHandoffs(this.#endpoint, list);
      if (count === 0) return walked;
      walked += count;
    }
  }

  async #fetchProof(block) {
    const { form, mode } = this.#trust;
    const proof = await this.#server.proof(block, mode);
    if (proof === null) return null;
    const got = this.#trust.peek(form, proof).block;
    if (got !== block) throw otherAnswer(`block ${block}`, `block ${got}`);
    return proof;
  }

  /** Fetches the keys that are missing: the signing set's must be there, the next one's may come later. */
  async #fetchKeys() {
    for (;;) {
      const set = this.#trust.client.missingKeys();
      if (set === undefined) return;
      const keys = await this.#server.keys(set);
      if (this.#trust.client.missingKeys() !== set) continue;
      if (keys === null) {
        if (set === this.#status().set) throw incomplete(`keys of set ${set}`);
        return;
      }
      this.#trust.addKeys(set, keys);
    }
  }

  /** Verifies a pushed proof; returns whether the newest block is then at least that of this proof. */
  async #take(pushed) {
    const said = this.#trust.peek("justification", pushed);
    if (said.block < this.#status().block) {
      this.#shows(said.block);
      return false;
    }
    await this.#fetchKeys();
    let proof = pushed;
    if (this.#trust.mode === "stateless") {
      if (said.block === this.#status().block && equal(said.hash, this.#status().hash)) {
        this.#shows(said.block);
        return true;
      }
      if (said.missing > FEW) {
        // Waiting never makes a client fall behind.
        if (this.#server.hasProof) return;
        await this.#session.sleep(GROWS);
      }
      proof = await this.#fetchProof(said.block);
      // It may come a moment later. If it does not, `look` finds that we are behind.
      if (proof === null) return false;
      if (!equal(this.#trust.peek("stateless", proof).hash, said.hash)) {
        throw contradiction(`the endpoint pushed one block ${said.block} and serves another`);
      }
    }
    await this.#verifyOrWalk(proof);
    this.#endpoint.succeeded();
    return true;
  }

  /** An endpoint has some time to reach a block that another endpoint has proven. */
  #checkLag(best) {
    const { lagAfter } = this.#session.times;
    const { block } = this.#endpoint;
    if (this.#behind !== undefined && block >= this.#behind.block) this.#behind = undefined;
    if (block < best) this.#behind ??= { block: best, since: Date.now() };
    if (this.#behind !== undefined && Date.now() - this.#behind.since > lagAfter) {
      throw stalled(`another endpoint has proven block ${this.#behind.block}, but this one is at ${block < 0 ? "no block" : `block ${block}`}`);
    }
  }

  /** Asks whether a set signs at all. */
  async #askWhy() {
    if (await this.#server.isSilent()) this.#session.saysSilent(this.#endpoint);
  }

  #watch() {
    const since = Date.now();
    return { best: this.#status().block, since, chain: undefined, ask: since + this.#session.times.stallAfter };
  }

  /** Checks whether this client is behind, or the endpoint is. */
  async #look(watch) {
    const { times } = this.#session;
    const { best } = this.#trust;
    const head = await this.#server.head();
    if (head !== undefined) this.#shows(head.number);
    if (head !== undefined && this.#isNews(head)) {
      await this.#catchUp();
      return this.#watch();
    }
    await this.#doubtRecovery();
    const chain = await this.#server.chainHead();
    this.#checkLag(best.number);
    // Where a reset is to be crossed, there are no proofs to wait for.
    if (this.#status().block > watch.best || this.#session.recovery.isWaiting) return this.#watch();
    if (Date.now() >= watch.ask) {
      watch.ask = Date.now() + times.stallAfter * STANDSTILL;
      await this.#askWhy();
    }
    watch.chain ??= chain;
    // A chain that does not grow is not the endpoint's fault, for a while.
    const patience = chain === watch.chain ? STANDSTILL : 1;
    if (Date.now() - watch.since < times.stallAfter * patience || !this.#session.hasOther(this.#endpoint)) return watch;
    throw stalled(`no new proof since block ${watch.best}; its chain is at block ${chain}`);
  }
}
