// Recently proven blocks, so that a second read needs no second proof.

import { toHex } from "./text.js";

const MAX_BLOCKS = 128;

/** Proven blocks by number: `{ number, hash, block?, header?, history }`. The least recently used block goes first. */
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

  /** The number of a block by its hash, if known. */
  numberOf(hash) {
    return this.#numbers.get(toHex(hash));
  }

  /** Adds known data of a block; returns the entry with all known data. */
  add({ number, hash, ...known }) {
    const entry = this.get(number) ?? { number, hash, history: 0 };
    Object.assign(entry, known);
    this.#entries.set(number, entry);
    this.#numbers.set(toHex(hash), number);
    // The garbage collector frees the verifier's memory of a block with its object.
    for (const [oldest, { hash: forgotten }] of this.#entries) {
      if (this.#entries.size <= MAX_BLOCKS) break;
      this.#entries.delete(oldest);
      this.#numbers.delete(toHex(forgotten));
    }
    return entry;
  }
}
