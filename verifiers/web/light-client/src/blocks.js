// Blocks that were proven lately, so that what is read of them again needs no second proof.

import { toHex } from "./text.js";

const MAX_BLOCKS = 128;

/** Proven blocks by number: `{ number, hash, block?, header?, history }`. The least recently used is forgotten first. */
export class Blocks {
  #entries = new Map();
  #numbers = new Map();

  /** The entry of a number. */
  get(number) {
    const entry = this.#entries.get(number);
    if (entry) {
      this.#entries.delete(number);
      this.#entries.set(number, entry);
    }
    return entry;
  }

  /** The number of a block by its hash, when it is known. */
  numberOf(hash) {
    return this.#numbers.get(toHex(hash));
  }

  /** Adds what is known of a block; the entry with all that is known. */
  add({ number, hash, ...known }) {
    const entry = this.get(number) ?? { number, hash, history: 0 };
    Object.assign(entry, known);
    this.#entries.set(number, entry);
    this.#numbers.set(toHex(hash), number);
    // The verifier's memory of a block is freed with the object that stands for it.
    for (const [oldest, { hash: forgotten }] of this.#entries) {
      if (this.#entries.size <= MAX_BLOCKS) break;
      this.#entries.delete(oldest);
      this.#numbers.delete(toHex(forgotten));
    }
    return entry;
  }
}
