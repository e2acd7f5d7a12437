// The proven chain: each block once, in order, with its header.
//
// Not every block has its own proof. Blocks between two of those are proven by parent hashes.

import { toHex } from "duet-light-client/text";
import { changesRuntime } from "./header.js";

// The most blocks that are fetched to fill a gap between two proven blocks. Wider gaps are skipped.
const MAX_GAP = 64;
const [FIRST_WAIT, LONGEST_WAIT] = [250, 8_000];

export class ProvenChain {
  #client;
  #listeners = new Set();
  #head;
  #target;
  #busy = false;
  #ended = false;
  #off;
  #started;
  #timer;

  constructor(client) {
    this.#client = client;
  }

  /** Resolves with the newest proven block: `{ number, hash, parentHash, header, changesRuntime }`. */
  async head() {
    this.#started ??= this.#start().catch((error) => {
      this.#started = undefined;
      throw error;
    });
    await this.#started;
    return this.#head;
  }

  /** Adds a listener for `{ blocks }`, the new proven blocks, or `{ gap: true, blocks }` after a skipped gap. */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends it. */
  end() {
    this.#ended = true;
    this.#off?.();
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  async #start() {
    await this.#client.ready;
    this.#head = block(await this.#client.block());
    this.#off ??= this.#client.on("head", ({ block: number }) => {
      this.#target = Math.max(this.#target ?? 0, number);
      this.#advance();
    });
    this.#target = Math.max(this.#client.head.block, this.#head.number);
    this.#advance();
  }

  async #advance() {
    if (this.#busy) return;
    this.#busy = true;
    let wait = FIRST_WAIT;
    while (!this.#ended && this.#target > this.#head.number) {
      try {
        await this.#step(this.#target);
        wait = FIRST_WAIT;
      } catch {
        // No endpoint has the data now. The light client reports the faults.
        await new Promise((resolve) => (this.#timer = setTimeout(resolve, wait)));
        wait = Math.min(2 * wait, LONGEST_WAIT);
      }
    }
    this.#busy = false;
  }

  async #step(target) {
    const before = this.#head;
    const isNear = target - before.number <= MAX_GAP;
    const blocks = isNear
      ? (await this.#client.headers(before.number + 1, target)).headers.map(block)
      : [block(await this.#client.block(target))];
    this.#head = blocks.at(-1);
    const gap = blocks[0].parentHash !== before.hash;
    for (const listener of [...this.#listeners]) listener(gap ? { gap, blocks } : { blocks });
  }
}

function block({ block: number, hash, header }) {
  return { number, hash, parentHash: toHex(header.subarray(0, 32)), header, changesRuntime: changesRuntime(header) };
}
