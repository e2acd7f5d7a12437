// Requests and subscriptions that are passed on to a node unchanged. The answers are bounded, but not verified.
//
// They use separate connections, so that they do not affect verified requests.

import { incomplete, misuse, ofVerifier, otherAnswer, unreachable } from "./error.js";
import { Connection } from "./rpc.js";
import { shown } from "./text.js";

/** The most characters of an answer or a push: metadata and blocks fit. */
const MOST = 1 << 24;
const DEEPEST = 127;
const MAX_PENDING = 256;
const MAX_SUBSCRIPTIONS = 64;
// The most pushes before their subscription is known, and per connection and second.
const MAX_EARLY = 64;
const MAX_RATE = 1_000;

export class Relay {
  #endpoints;
  #open;
  #emit;
  #blame;
  #lines = new Map();
  #ended;

  /**
   * `endpoints()` lists the usable endpoints in the caller's order; `open(url, options)` connects; `emit(push)` gets
   * `{ id, value }` and, once, `{ id, error }`; `blame(endpoint, fault)` gets the faults that no honest node has.
   */
  constructor({ endpoints, open, emit, blame }) {
    this.#endpoints = endpoints;
    this.#open = open;
    this.#emit = emit;
    this.#blame = blame;
  }

  /**
   * Asks a node; `{ result, endpoint }`, or `{ error, endpoint }` with the node's own error. Once, unless `again` is
   * set. `expected` is the only result of an honest node, if that is known.
   */
  async request(method, params, { again = false, expected } = {}) {
    let last;
    for (const endpoint of this.#endpoints()) {
      let line;
      try {
        line = await this.#line(endpoint);
        return await this.#ask(endpoint, line, method, params, expected);
      } catch (thrown) {
        last = this.#failed(endpoint, thrown);
        if (last.verdict === "refused" || (line && !again)) throw last;
      }
    }
    throw last ?? this.#nobody();
  }

  /** Asks every node but these, as `request` does one; `{ fault, endpoint }` where there is no answer. */
  each(method, params, expected, except) {
    const asked = this.#endpoints().filter(({ url }) => !except.includes(url));
    return Promise.all(
      asked.map(async (endpoint) => {
        try {
          return await this.#ask(endpoint, await this.#line(endpoint), method, params, expected);
        } catch (thrown) {
          return { fault: this.#failed(endpoint, thrown).toPlain(), endpoint: endpoint.url };
        }
      }),
    );
  }

  /** Subscribes under the caller's id; `{ endpoint }`, or `{ error, endpoint }`. */
  async subscribe(id, method, params, unsubscribe) {
    const [endpoint] = this.#endpoints();
    if (!endpoint) throw this.#nobody();
    if (this.#count() >= MAX_SUBSCRIPTIONS) throw misuse(`there are already ${MAX_SUBSCRIPTIONS} subscriptions`);
    try {
      const line = await this.#line(endpoint);
      return { ...(await line.subscribe(id, method, params, unsubscribe)), endpoint: endpoint.url };
    } catch (thrown) {
      throw this.#failed(endpoint, thrown);
    }
  }

  /** Ends a subscription. */
  unsubscribe(id) {
    for (const { line } of this.#lines.values()) line.unsubscribe(id);
  }

  /** Ends all connections. */
  end(fault) {
    this.#ended = fault;
    for (const { opening } of this.#lines.values()) opening.then(({ connection }) => connection.end(fault), () => {});
    this.#lines.clear();
  }

  async #ask({ url }, { connection }, method, params, expected) {
    if (connection.pending >= MAX_PENDING) throw misuse(`${MAX_PENDING} requests are already pending`);
    const answer = await connection.askRaw(method, params, MOST);
    if (expected !== undefined && "result" in answer && answer.result !== expected) {
      connection.end(otherAnswer(expected, shown(JSON.stringify(answer.result))));
      throw connection.fault;
    }
    return { ...answer, endpoint: url };
  }

  #nobody() {
    return this.#ended ?? incomplete("endpoint that has shown a proven head and is connected");
  }

  #count() {
    return [...this.#lines.values()].reduce((sum, { line }) => sum + line.size, 0);
  }

  #failed(endpoint, thrown) {
    const fault = ofVerifier(thrown);
    fault.endpoint = endpoint.url;
    if (fault.verdict === "lied") this.#blame(endpoint, fault);
    return fault;
  }

  /** The connection to an endpoint, opened on first use. */
  #line(endpoint) {
    const known = this.#lines.get(endpoint);
    if (known) return known.opening;
    const forget = () => this.#lines.get(endpoint)?.line === line && this.#lines.delete(endpoint);
    const line = new Line(this.#emit, (fault) => {
      forget();
      if (fault.verdict === "lied") this.#failed(endpoint, fault);
    });
    const opening = line.open(this.#open, endpoint.url);
    this.#lines.set(endpoint, { line, opening });
    opening.catch(forget);
    return opening;
  }
}

/** One connection, and the subscriptions on it. */
class Line {
  most = MOST;
  #emit;
  #ended;
  #ids = new Map();
  #asking = 0;
  #early = [];
  #second = 0;
  #count = 0;

  constructor(emit, ended) {
    this.#emit = emit;
    this.#ended = ended;
  }

  async open(open, url) {
    this.connection = await open(url, { deepest: DEEPEST, pushes: this });
    return this;
  }

  get size() {
    return this.#ids.size + this.#asking;
  }

  async subscribe(id, method, params, unsubscribe) {
    this.#asking += 1;
    try {
      const { result, error } = await this.connection.askRaw(method, params, MOST);
      if (error) return { error };
      if (typeof result !== "string" && typeof result !== "number") return { error: { code: -32603, message: `${method} returned no subscription id` } };
      this.#ids.set(result, { id, unsubscribe });
      for (const { params: early } of this.#early) if (early.subscription === result) this.#emit({ id, value: early.result });
      return {};
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#early = [];
    }
  }

  unsubscribe(id) {
    for (const [name, subscription] of this.#ids) {
      if (subscription.id !== id) continue;
      this.#ids.delete(name);
      // The answer is not needed.
      this.connection.askRaw(subscription.unsubscribe, [name], MOST).catch(() => {});
    }
  }

  /** Takes a push. A push of a subscription that has ended is no fault. */
  take({ params }) {
    const second = Math.floor(Date.now() / 1_000);
    this.#count = second === this.#second ? this.#count + 1 : 1;
    this.#second = second;
    if (this.#count > MAX_RATE) throw unreachable(`more than ${MAX_RATE} pushes in a second`);
    const subscription = this.#ids.get(params?.subscription);
    if (subscription) {
      if ("result" in params) this.#emit({ id: subscription.id, value: params.result });
      else this.#emit({ id: subscription.id, error: { message: shown(params.error?.message ?? "the node ended the subscription") } });
    } else if (this.#asking > 0 && this.#early.length < MAX_EARLY && params?.subscription !== undefined) this.#early.push({ params });
  }

  /** The connection ended, and its subscriptions with it. */
  end(fault) {
    for (const { id } of this.#ids.values()) this.#emit({ id, error: fault.toPlain() });
    this.#ids.clear();
    this.#ended(fault);
  }
}
