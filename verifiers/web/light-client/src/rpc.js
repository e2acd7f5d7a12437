// JSON-RPC over a WebSocket to an untrusted node: messages are bounded in length, depth and number before use.

import { incompatible, incomplete, misuse, notHex, otherAnswer, tooLarge, unreachable } from "./error.js";
import { answerOf, idOf, parse, SMALL } from "./message.js";
import { fromHex, shown } from "./text.js";

const MAX_DEPTH = 8;
const MAX_TIMEOUT_SOCKET = 10_000;
// The most characters of a request. Nodes refuse longer ones unless their operators permit more.
const MAX_REQUEST = 15 << 20;

// `docs/spec/rpc.md` defines these codes.
const METHOD_NOT_FOUND = -32601;
const NOT_READY = 9001;
const NO_GENESIS_PROOF = 9005;
const NOT_HERE_YET = 9006;
const NO_STATE = 9008;
// JSON-RPC servers refuse to send a longer answer.
const ANSWER_TOO_LARGE = -32008;

/** One connection. It ends with its first fault. */
export class Connection {
  #socket;
  #timeout;
  #deepest;
  #pushes;
  #pending = new Map();
  // The requests that were taken for those that the node did not read.
  #unread = new Set();
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

  /**
   * Sends a request; returns the result. `most` bounds the answer in characters. A longer one is a lie, unless the
   * answer `isOpen`: the caller or the chain decides how long it is. Errors of the node become faults.
   */
  async ask(method, params, most = SMALL, isOpen = false) {
    const { result, error } = await this.askRaw(method, params, most, isOpen);
    if (error === undefined) return result;
    const fault = refusal(method, error.code, error.message);
    fault.code = error.code;
    throw fault;
  }

  /** Sends a request; returns `{ result }` or `{ error: { code, message, data? } }`, unchanged. */
  async askRaw(method, params, most, isOpen = true) {
    if (this.#fault) throw this.#fault;
    const id = this.#next++;
    const text = textOf({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.end(unreachable(`${method}: no answer within ${this.#timeout} ms`));
      }, this.#timeout);
      this.#pending.set(id, { method, most, isOpen, length: text.length, resolve, reject, timer });
      this.#socket.send(text);
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
      if (data.length > this.#most()) this.#tooLong(idOf(data), data.length);
      else this.#take(parse(data, this.#deepest));
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
    // An error to nobody is about a message that the node did not read. (RPC-3)
    const isUnread = message.id === null && "error" in message;
    const id = isUnread ? this.#longest() : message.id;
    const request = this.#pending.get(id);
    if (request === undefined && isUnread) throw unreachable("the node could not read a message");
    if (isUnread) this.#unread.add(id);
    else if (this.#unread.delete(id)) return;
    if (request === undefined) throw otherAnswer("an answer to a pending request", `one to ${shown(JSON.stringify(message.id) ?? "nothing")}`);
    if (message.length > request.most) {
      this.#tooLong(id, message.length);
      return;
    }
    if ("result" in message === "error" in message) throw otherAnswer(request.method, "neither a result nor an error, or both");
    const { result, error } = message;
    if ("error" in message && (!Number.isInteger(error?.code) || typeof error.message !== "string")) {
      throw otherAnswer(request.method, "an error without code or message");
    }
    this.#settle(id).resolve("error" in message ? { error } : { result });
  }

  /** Takes a pending request out. */
  #settle(id) {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(request.timer);
    return request;
  }

  /** The id of the longest pending request: a node that does not read a request, for its length, does not know its id. */
  #longest() {
    return [...this.#pending].sort(([, one], [, other]) => other.length - one.length)[0]?.[0];
  }

  /** An answer was longer than its request permits. */
  #tooLong(id, length) {
    const { method, most, isOpen } = this.#pending.get(id) ?? { most: this.#most() };
    if (!isOpen) throw otherAnswer(`at most ${most} characters`, `${length}`);
    this.#settle(id).reject(tooLarge(method, `${most} characters`));
  }
}

/** The text of a request. What cannot be sent is the caller's mistake. */
function textOf(request) {
  let text;
  try {
    text = JSON.stringify(request);
  } catch (error) {
    throw misuse(shown(error.message));
  }
  if (text.length > MAX_REQUEST) throw misuse(`a request has at most ${MAX_REQUEST} characters`);
  return text;
}

function refusal(method, code, text) {
  switch (code) {
    case METHOD_NOT_FOUND:
      return incompatible(`no method ${method}`);
    case NO_GENESIS_PROOF:
      return incomplete("proof of genesis");
    case NOT_HERE_YET:
      return incomplete("proofs yet from before the node joined the chain; the node is fetching them: ask again later");
    case ANSWER_TOO_LARGE:
      return tooLarge(method, "the node sends");
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
