// The proofs that an endpoint pushes, in a bounded queue.

import { notHex, otherAnswer } from "./error.js";
import { fromHex, shown } from "./text.js";

// Proofs that may wait while another is verified. Newer ones make older ones unnecessary.
const MAX_WAITING = 64;

/** The pushes of one subscription to bytes, in order; `most` bounds the characters of each. */
export class Pushes {
  #notification;
  #id;
  #waiting = [];
  #wake;
  #isWoken = false;
  #fault;

  constructor(notification, most) {
    this.#notification = notification;
    this.most = most;
  }

  /** Sets the subscription id. Before that, every push belongs to this subscription, because it is the only one. */
  named(id) {
    if (typeof id !== "string" && typeof id !== "number") throw otherAnswer("a subscription", shown(typeof id));
    this.#id = id;
  }

  /** Takes a push from the connection. */
  take({ method, params, length }) {
    const known = method === this.#notification && (this.#id === undefined || params?.subscription === this.#id);
    if (!known) throw otherAnswer("a push of the subscription", `a push of ${shown(String(method))}`);
    if (length > this.most) throw otherAnswer(`pushes of at most ${this.most} characters`, `${length}`);
    const bytes = fromHex(params?.result);
    if (bytes === undefined) throw notHex("justification");
    this.#waiting.push(bytes);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#wake?.();
  }

  get hasSome() {
    return this.#waiting.length > 0;
  }

  /** The next push, if one comes within this many milliseconds and before `wake`; `undefined` otherwise. */
  async next(within) {
    if (this.#waiting.length === 0 && !this.#fault && !this.#isWoken) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, within);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    this.#isWoken = false;
    if (this.#waiting.length > 0) return this.#waiting.shift();
    if (this.#fault) throw this.#fault;
    return undefined;
  }

  /** Ends the wait for the next push. */
  wake() {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** The connection ended. */
  end(fault) {
    this.#fault = fault;
    this.#wake?.();
  }
}
