// Answers JSON-RPC requests: verifies what can be verified, and passes on or refuses the rest as `methods.js` defines.

import { callAnswers } from "./answers/calls.js";
import { chainAnswers } from "./answers/chain.js";
import { duetAnswers } from "./answers/duet.js";
import { keyAnswers } from "./answers/keys.js";
import { specAnswers } from "./answers/spec.js";
import { stateAnswers } from "./answers/state.js";
import { submitAnswers } from "./answers/submit.js";
import { chainHeadAnswers } from "./chainhead/answers.js";
import { Context } from "./context.js";
import { badParams, NO_METHOD, ProviderError, refused, tooMany } from "./error.js";
import { Listeners } from "./listeners.js";
import { isEnd, rowOf, UNKNOWN } from "./methods.js";

const MAX_SUBSCRIPTIONS = 128;
const MAX_REQUESTS = 512;

/** The functions that answer, by their names in `methods.js`. */
export const ANSWERS = { ...callAnswers, ...chainAnswers, ...duetAnswers, ...keyAnswers, ...specAnswers, ...stateAnswers, ...submitAnswers, ...chainHeadAnswers };

function noSubscription(method, isOne) {
  return new ProviderError(NO_METHOD, isOne ? `${method} is a subscription` : `${method} is not a known subscription`);
}

/** One connection of an application. */
export class Provider {
  #context;
  #listeners = new Listeners();
  #subscriptions = new Map();
  #next = 1;
  #requests = 0;
  #ended = false;

  constructor(client, options) {
    this.#context = new Context(client, options, {
      failed: (error) => this.#listeners.tell("fault", error),
      tell: (about) => this.#tell(about),
    });
  }

  /** Adds a listener for `answer` (`{ method, class, block?, hash?, endpoint?, headTime? }`) or `fault`; returns its removal. */
  on(name, listener) {
    return this.#listeners.on(name, listener);
  }

  /** The result of a request; rejects with a `ProviderError`. */
  async request(method, params = []) {
    if (!Array.isArray(params)) throw badParams("parameters are an array");
    if (isEnd(method)) return this.#unsubscribe(method, params[0]);
    const row = this.#row(method);
    if (row.pushes || (row === UNKNOWN && /subscribe/i.test(method))) throw noSubscription(method, row.pushes);
    if (this.#requests >= MAX_REQUESTS) throw tooMany(`${MAX_REQUESTS} requests`);
    this.#requests += 1;
    try {
      const answer = ANSWERS[row.answer];
      const answered = answer ? await answer(this.#context, params, row, method) : await this.#context.pass(row, method, params);
      const { result, ...about } = answered;
      this.#tell({ method, ...about });
      return result ?? null;
    } catch (thrown) {
      throw this.#context.failed(thrown);
    } finally {
      this.#requests -= 1;
    }
  }

  /** Whether a method is a subscription, and the name of its notifications. */
  pushes(method) {
    return rowOf(method).pushes;
  }

  /**
   * Subscribes: `{ id, start }`. No message is sent before `start` is called, so that the id comes first.
   * `push(result, error)` gets the messages; an error is the last one. Rejects with a `ProviderError`.
   */
  async subscribe(method, params, push) {
    const row = this.#row(method);
    if (!row.pushes) throw noSubscription(method);
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw tooMany(`${MAX_SUBSCRIPTIONS} subscriptions`);
    const id = `duet-${this.#next++}`;
    const subscription = { end: () => {} };
    this.#subscriptions.set(id, subscription);
    const send = (result, { error, isLast, ...about } = {}) => {
      if (this.#subscriptions.get(id) !== subscription) return;
      if (error || isLast) this.#subscriptions.delete(id);
      if (!error) this.#tell({ method, ...about });
      push(result, error);
    };
    try {
      const answer = ANSWERS[row.answer];
      const [unsubscribe] = row.ends;
      const made = answer ? await answer(this.#context, params ?? [], send, row, method) : await this.#context.passOn(row, method, params ?? [], send, unsubscribe);
      if (this.#subscriptions.get(id) !== subscription) made.end(id);
      subscription.end = made.end;
      return { id, start: () => this.#start(made, id) };
    } catch (thrown) {
      this.#subscriptions.delete(id);
      throw this.#context.failed(thrown);
    }
  }

  /** Ends all subscriptions. The light client continues; its owner destroys it. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    for (const id of [...this.#subscriptions.keys()]) this.#unsubscribe("", id);
    this.#context.end();
  }

  async #start(made, id) {
    try {
      await made.start(id);
    } catch (thrown) {
      this.#context.failed(thrown);
    }
  }

  #unsubscribe(method, id) {
    const subscription = this.#subscriptions.get(id);
    this.#subscriptions.delete(id);
    subscription?.end(id);
    return /^(chainHead|archive|transactionWatch)/.test(method) ? null : subscription !== undefined;
  }

  #row(method) {
    if (this.#ended) throw new ProviderError(-32603, "the provider was disconnected");
    const row = rowOf(method);
    if (!this.#context.serves(method)) throw this.#context.failed(refused(method, this.#context.isStrict ? `${row.note} (strict mode)` : row.note));
    return row;
  }

  #tell({ method, class: answerClass = "verified", block, hash, endpoint, isSilent }) {
    const headTime = answerClass === "verified" ? this.#context.client.head?.time : undefined;
    if (!isSilent) this.#listeners.tell("answer", { method, class: answerClass, block, hash, endpoint, headTime });
  }
}
