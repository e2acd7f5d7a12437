// JSON-RPC over a WebSocket to an untrusted node: messages are bounded in length, depth and number before use.

import { incompatible, incomplete, notHex, otherAnswer, unreachable } from "./error.js";
import { answerOf, parse, SMALL } from "./message.js";
import { fromHex, shown } from "./text.js";

const MAX_DEPTH = 8;
const MAX_TIMEOUT_SOCKET = 10_000;

// `docs/spec/rpc.md` defines these codes.
const METHOD_NOT_FOUND = -32601;
const NOT_READY = 9001;
const NO_GENESIS_PROOF = 9005;
const NOT_HERE_YET = 9006;
const NO_STATE = 9008;

/** One connection. It ends with its first fault. */
export class Connection {
  #socket;
  #timeout;
  #deepest;
  #pushes;
  #pending = new Map();
  #next = 1;
  #fault;
  #expected;

  /** `pushes` takes notifications: `{ most, take(message), end(fault) }`. Without it, a notification is a lie. */
  constructor(socket, timeout, { deepest = MAX_DEPTH, pushes } = {}) {
    this.#socket = socket;
    this.#timeout = timeout;
    this.#deepest = deepest;
    this.#pushes = pushes;
    socket.onmessage = ({ data }) => this.#received(data);
    socket.onerror = () => this.end(unreachable("the connection failed"));
    socket.onclose = () => this.end(unreachable("the connection was closed"));
  }

  /** Connects. Does not check yet which chain the endpoint serves. */
  static open(url, openSocket, timeout, options) {
    return new Promise((resolve, reject) => {
      let socket;
      try {
        socket = openSocket(url);
      } catch (error) {
        reject(unreachable(shown(error.message)));
        return;
      }
      const limit = Math.min(timeout, MAX_TIMEOUT_SOCKET);
      const fail = (message) => {
        clearTimeout(timer);
        reject(unreachable(message));
        socket.close();
      };
      const timer = setTimeout(() => fail(`no connection within ${limit} ms`), limit);
      socket.onerror = () => fail("the endpoint cannot be reached, or does not admit this page");
      socket.onclose = () => fail("the connection was closed");
      socket.onopen = () => {
        clearTimeout(timer);
        resolve(new Connection(socket, timeout, options));
      };
    });
  }

  /** The fault that ended the connection; `undefined` while it is open. */
  get fault() {
    return this.#fault;
  }

  /** The number of pending requests. */
  get pending() {
    return this.#pending.size;
  }

  /** Sends a request; returns the result. `most` bounds the answer in characters. Errors of the node become faults. */
  async ask(method, params, most = SMALL) {
    const { result, error } = await this.askRaw(method, params, most);
    if (error === undefined) return result;
    const fault = refusal(method, error.code, error.message);
    fault.code = error.code;
    throw fault;
  }

  /** Sends a request; returns `{ result }` or `{ error: { code, message, data? } }`, unchanged. */
  askRaw(method, params, most) {
    if (this.#fault) return Promise.reject(this.#fault);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.end(unreachable(`${method}: no answer within ${this.#timeout} ms`));
      }, this.#timeout);
      this.#pending.set(id, { method, most, resolve, reject, timer });
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Requests bytes; `null` if the node has none. */
  async askBytes(method, params, most, object) {
    const value = await this.ask(method, params, answerOf(most));
    if (value === null) return null;
    const bytes = fromHex(value);
    if (bytes === undefined) throw notHex(object);
    if (bytes.length > most) throw otherAnswer(object, `${bytes.length} bytes, above the limit of ${most}`);
    return bytes;
  }

  /** Ends the connection unless a message comes within this time. */
  expect(within) {
    clearTimeout(this.#expected);
    this.#expected = setTimeout(() => this.end(unreachable(`no answer within ${within} ms after this device slept`)), within);
  }

  /** Ends the connection. All pending requests fail with this fault. */
  end(fault) {
    if (this.#fault) return;
    this.#fault = fault;
    clearTimeout(this.#expected);
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(fault);
    }
    this.#pending.clear();
    this.#socket.onmessage = null;
    this.#socket.close();
    this.#pushes?.end(fault);
  }

  #received(data) {
    clearTimeout(this.#expected);
    try {
      this.#take(parse(data, this.#most(), this.#deepest));
    } catch (fault) {
      this.end(fault);
    }
  }

  /** The most characters of a message now. */
  #most() {
    let most = this.#pushes?.most ?? SMALL;
    for (const request of this.#pending.values()) most = Math.max(most, request.most);
    return most;
  }

  #take(message) {
    if ("method" in message) {
      if (!this.#pushes) throw otherAnswer("a push of the subscription", `a push of ${shown(String(message.method))}`);
      this.#pushes.take(message);
      return;
    }
    const request = this.#pending.get(message.id);
    if (request === undefined) throw otherAnswer("an answer to a pending request", `one to ${shown(JSON.stringify(message.id) ?? "nothing")}`);
    if (message.length > request.most) throw otherAnswer(`at most ${request.most} characters for ${request.method}`, `${message.length}`);
    if ("result" in message === "error" in message) throw otherAnswer(request.method, "neither a result nor an error, or both");
    const { result, error } = message;
    if ("error" in message && (!Number.isInteger(error?.code) || typeof error.message !== "string")) {
      throw otherAnswer(request.method, "an error without code or message");
    }
    this.#pending.delete(message.id);
    clearTimeout(request.timer);
    request.resolve("error" in message ? { error } : { result });
  }
}

function refusal(method, code, text) {
  switch (code) {
    case METHOD_NOT_FOUND:
      return incompatible(`no method ${method}`);
    case NO_GENESIS_PROOF:
      return incomplete("proof of genesis");
    case NOT_HERE_YET:
      return incomplete("proofs yet from before the node joined the chain; the node is fetching them: ask again later");
    default:
      return unreachable(`${method}: ${shown(text)} (${code})`);
  }
}

/** Whether the endpoint says that it has no proof yet. */
export function isNotReady(fault) {
  return fault.code === NOT_READY;
}

/** Whether the endpoint says that it does not have the method. */
export function isMethodMissing(fault) {
  return fault.code === METHOD_NOT_FOUND;
}

/** Whether the endpoint says that it cannot prove its genesis, or any start. */
export function isStartMissing(fault) {
  return fault.code === NO_GENESIS_PROOF;
}

/** Whether the endpoint says that it no longer has the state of the block. */
export function isStateMissing(fault) {
  return fault.code === NO_STATE;
}

/** Whether the endpoint refused the request for another reason than a missing method. */
export function isRefusal(fault) {
  return fault.code !== undefined && fault.code !== METHOD_NOT_FOUND;
}
