// Sends a signed transaction to every endpoint, and looks for it in each block that is proven from then on.
//
// No word of a node ends a watch as included or as expired. That all nodes refuse the transaction is their word, so that
// end says so. A node that takes it and returns another hash than that of its bytes has lied (RPC-1).

import { misuse } from "./error.js";
import { concat, fromHex, isPrefixed, shown, toHex } from "./text.js";

const TIMEOUT = 600_000;
const MAX_BYTES = 5 << 20;
// What nodes answer about a transaction that they have, or had in a block a moment ago: no refusal.
const KNOWN = [1012, 1013];
const VALIDATE = "TaggedTransactionQueue_validate_transaction";
// The source of a transaction that came from outside, and the beginning of an answer that it is invalid.
const EXTERNAL = Uint8Array.of(2);
const INVALID = [1, 0];
// No era is shorter.
const SHORTEST = 4;

/** Watches a transaction; `submit(hex, hash, except)` sends it to endpoints, `mortality(bytes)` reads its era. */
export async function watch({ client, submit, mortality }, transaction, options) {
  const bytes = transaction instanceof Uint8Array ? transaction : fromHex(transaction);
  if (!bytes || bytes.length > MAX_BYTES || !isPrefixed(bytes)) {
    throw misuse(`a transaction is its length in SCALE's compact form and so many bytes, at most ${MAX_BYTES}, also as 0x and hexadecimal digits`);
  }
  const { timeout = TIMEOUT, from, signal, progress = () => {}, ...others } = options ?? {};
  const [unknown] = Object.keys(others);
  if (unknown) throw misuse(`unknown option ${unknown}`);
  if (!Number.isFinite(timeout) || timeout < 0) throw misuse("timeout has to be a number of milliseconds");
  if (from !== undefined && (!Number.isSafeInteger(from) || from < 0)) throw misuse("from has to be the number of a block");
  await client.ready;
  const hash = await client.blake2b(bytes, 32);
  return new Watch({ client, submit, mortality, bytes, hash, timeout, from, signal, progress }).run();
}

class Watch {
  #of;
  #until;
  #begun;
  #from;
  #next;
  // The last block without it.
  #seen;
  // By endpoint: `undefined` if it took the transaction, else its refusal.
  #answers = new Map();
  #isSending = false;
  // Whether an endpoint may have the transaction and did not say so.
  #isUnsure = false;
  #era;
  #death;
  #found;
  #fault;
  #stop;
  #wake = () => {};

  constructor(of) {
    this.#of = of;
    this.#until = Date.now() + of.timeout;
    this.#begun = of.client.head.block;
    this.#from = Math.min(of.from ?? this.#begun, this.#begun);
    this.#next = this.#from;
  }

  async run() {
    const { client, signal, timeout } = this.#of;
    const stop = (error) => {
      this.#stop ??= error;
      this.#wake();
    };
    const aborted = () => stop(signal.reason);
    const send = () => this.#send().catch(stop);
    const offs = [
      client.on("head", () => {
        send();
        this.#wake();
      }),
      client.on("fault", (fault) => fault.verdict === "fatal" && stop(fault)),
      client.on("destroyed", () => stop(misuse("the client was destroyed"))),
    ];
    const timer = setTimeout(() => this.#wake(), timeout);
    signal?.addEventListener("abort", aborted);
    try {
      signal?.throwIfAborted();
      send();
      for (;;) {
        const news = new Promise((resolve) => (this.#wake = resolve));
        const end = await this.#step();
        if (this.#stop) throw this.#stop;
        if (end) return end;
        await news;
      }
    } finally {
      for (const off of offs) off();
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    }
  }

  /** Looks at what is new; the end, if this is one. */
  async #step() {
    this.#found ??= await this.#look();
    if (this.#found) return this.#outcome();
    const hasSeenAll = this.#next > this.#of.client.head.block;
    if (hasSeenAll && this.#isRefused()) return this.#end("rejected", { rejections: [...this.#answers.values()] });
    if (hasSeenAll && (await this.#isOver())) return this.#end("expired");
    return this.#isLate() ? this.#end("timed_out") : undefined;
  }

  #isLate() {
    return Date.now() >= this.#until;
  }

  /** Between `from` and `block` no block has the transaction. */
  #end(end, more) {
    return { end, transaction: toHex(this.#of.hash), from: this.#from, block: this.#seen?.block, ...more };
  }

  /** Looks into the proven blocks, one after the other. */
  async #look() {
    const { client, hash, progress } = this.#of;
    while (!this.#stop && !this.#isLate() && this.#next <= client.head.block) {
      const found = await this.#ask(() => client.transaction(hash, { at: this.#next }));
      // No endpoint proves it now. It is asked for again with the next block.
      if (!found) return undefined;
      progress({ block: this.#next });
      if (found.included) return found;
      this.#seen = found;
      this.#next += 1;
    }
    return undefined;
  }

  /** What became of the transaction that a block has. Without an outcome that it is there is proven all the same. */
  async #outcome() {
    const { client, hash } = this.#of;
    const outcome = await this.#ask(() => client.outcome(hash, { at: this.#found.block }));
    if (outcome) return { end: "included", ...outcome };
    if (this.#fault?.verdict !== "stopped" && !this.#isLate()) return undefined;
    return { end: "included", ...this.#found, fault: this.#fault };
  }

  /** Whether the transaction can be in no later block: its era is over, and the chain's runtime refuses it. */
  async #isOver() {
    if (this.#next < this.#begun + SHORTEST) return false;
    const { client, bytes, mortality } = this.#of;
    this.#era ??= await this.#ask(() => mortality(bytes));
    if (!this.#era?.length) return false;
    const [period, phase] = this.#era;
    this.#death ??= Math.max(this.#begun, phase) - ((Math.max(this.#begun, phase) - phase) % period) + period;
    if (this.#next <= this.#death) return false;
    // It may have been signed after a newer block than the one that was proven then. Only the runtime knows.
    // It is asked after the last block that was looked into: after a newer one it may be invalid because it is in that.
    const { block: at, hashBytes } = this.#seen;
    const called = await this.#ask(() => client.call(VALIDATE, concat([EXTERNAL, bytes, hashBytes]), { at }));
    if (!called) return false;
    if (INVALID.every((byte, index) => called.result[index] === byte)) return true;
    this.#death += period;
    return false;
  }

  #isRefused() {
    const answers = [...this.#answers.values()];
    return !this.#isUnsure && answers.length > 0 && answers.every(Boolean);
  }

  /** Sends the transaction to the endpoints that did not answer yet. */
  async #send() {
    if (this.#isSending) return;
    this.#isSending = true;
    const { submit, bytes, hash, progress } = this.#of;
    const answers = await this.#ask(() => submit(toHex(bytes), toHex(hash), [...this.#answers.keys()]));
    this.#isSending = false;
    if (!answers?.length) return;
    this.#isUnsure = answers.some(({ fault }) => fault);
    for (const { endpoint, error, fault } of answers) {
      if (fault) continue;
      const refusal = error && !KNOWN.includes(error.code) ? refusalOf(endpoint, error) : undefined;
      this.#answers.set(endpoint, refusal);
      progress(refusal ?? { endpoint });
    }
    this.#wake();
  }

  /** The answer to a question; `undefined` if there is none now. Misuse and the end of the client end the watch. */
  async #ask(question) {
    try {
      return await question();
    } catch (fault) {
      this.#fault = fault;
      if (["fatal", "refused"].includes(fault.verdict) || !fault.verdict) this.#stop ??= fault;
      return undefined;
    }
  }
}

/** A node's words, for display. */
function refusalOf(endpoint, { code, message, data }) {
  const words = typeof data === "string" ? `${message}: ${data}` : message;
  return { endpoint, code, message: shown(words) };
}
