// The shared context of one provider: the light client, the proven chain, pinned data, and passing requests on.

import { ProvenChain } from "./chain.js";
import { badParams, ofClient, ofNode, refused } from "./error.js";
import { rowOf } from "./methods.js";
import { Pins } from "./pins.js";
import { shown } from "duet-light-client/text";

const OPTIONS = ["strict", "pinned", "waitForProof"];
const WAIT = 30_000;

export class Context {
  #failed;

  /** `failed(error)` gets errors, `tell(about)` the class of each answer. */
  constructor(client, options = {}, { failed, tell }) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown) throw badParams(`unknown option ${unknown}`);
    this.client = client;
    this.chain = new ProvenChain(client);
    this.isStrict = options.strict === true;
    this.pins = new Pins(options.pinned);
    /** How long a request about a block waits for the proof of the block. */
    this.wait = { within: options.waitForProof ?? WAIT };
    this.follows = new Map();
    this.#failed = failed;
    /** Reports the class of an answer: `{ method, class, block, hash, endpoint }`. */
    this.tell = tell;
  }

  /** Converts an error of the light client into a JSON-RPC error, and reports it to listeners. */
  failed(thrown) {
    const error = ofClient(thrown);
    this.#failed(error);
    return error;
  }

  /** Whether a method is served. */
  serves(method) {
    const found = rowOf(method);
    return (this.isStrict ? found.strict : found.class) !== "refused";
  }

  /** Passes a request on, if the row allows it in this mode. */
  pass(row, method, params, why = row.note) {
    if (this.isStrict && row.strict !== "passed") throw refused(method, `${why} (strict mode)`);
    return this.handOn(method, params);
  }

  /** Passes a request on; `expected` is the only honest result, if known. What sends a transaction is sent only once. */
  async handOn(method, params, expected) {
    const again = !/^(author|transaction)/.test(method);
    const { result, error, endpoint } = await this.client.request(method, params, { again, expected });
    if (error) throw ofNode(error, shown);
    return { result, class: "passed", endpoint };
  }

  /** Passes a subscription on, if the row allows it in this mode. */
  async passOn(row, method, params, push, unsubscribe, why = row.note) {
    if (this.isStrict && row.strict !== "passed") throw refused(method, `${why} (strict mode)`);
    let ready;
    const early = [];
    const take = ({ value, error }) => push(error ? undefined : value, { class: "passed", endpoint, error: error && ofClient({ verdict: "unreachable", ...error }) });
    const { error, endpoint, end } = await this.client.subscribe(method, params, unsubscribe, (pushed) => (ready ? take(pushed) : early.push(pushed)));
    if (error) throw ofNode(error, shown);
    return {
      start: () => {
        ready = true;
        early.splice(0).forEach(take);
      },
      end,
    };
  }

  /** Ends everything. */
  end() {
    this.chain.end();
    for (const follow of this.follows.values()) follow.end();
    this.follows.clear();
  }
}
