// JSON-RPC over a WebSocket to an untrusted node: what comes is bounded in length, depth and number before it is used.

import { incompatible, incomplete, notHex, otherAnswer, unreachable } from "./error.js";
import { fromHex, shown } from "./text.js";

// Of one answer, before it is parsed: JSON around the value, and a value that is a hash or a number.
const SMALL = 1 << 12;
const MAX_DEPTH = 8;
// Proofs that may wait while another is verified. Newer ones make older ones unnecessary.
const MAX_WAITING = 64;
const MAX_TIMEOUT_SOCKET = 10_000;

// What these mean is written in `finality/src/rpc.rs`.
const METHOD_NOT_FOUND = -32601;
const NOT_READY = 9001;
const NO_GENESIS_PROOF = 9005;
const NOT_HERE_YET = 9006;

/** The most characters of an answer with so many bytes in hexadecimal digits. */
export function answerOf(bytes) {
  return SMALL + 2 * bytes;
}

/** One connection. It ends with its first fault. */
export class Connection {
  #socket;
  #timeout;
  #pending = new Map();
  #next = 1;
  #fault;
  #waiting = [];
  #wake;
  #pushed;

  constructor(socket, timeout) {
    this.#socket = socket;
    this.#timeout = timeout;
    socket.onmessage = ({ data }) => this.#received(data);
    socket.onerror = () => this.end(unreachable("the connection failed"));
    socket.onclose = () => this.end(unreachable("the connection was closed"));
  }

  /** Connects. Which chain the endpoint serves is not asked yet. */
  static open(url, openSocket, timeout) {
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
      socket.onerror = () => fail("it cannot be reached, or does not admit this page");
      socket.onclose = () => fail("the connection was closed");
      socket.onopen = () => {
        clearTimeout(timer);
        resolve(new Connection(socket, timeout));
      };
    });
  }

  /** Asks. `most` bounds the characters of the answer. */
  ask(method, params, most = SMALL) {
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

  /** Asks for bytes; `null` where the node has none. */
  async askBytes(method, params, most, object) {
    const value = await this.ask(method, params, answerOf(most));
    if (value === null) return null;
    const bytes = fromHex(value);
    if (bytes === undefined) throw notHex(object);
    if (bytes.length > most) throw otherAnswer(object, `${bytes.length} bytes, where ${most} are the most`);
    return bytes;
  }

  /** Subscribes. One subscription is what a connection has. */
  async subscribe(method, notification, most) {
    // What is pushed before the answer comes is of this subscription too: no other was asked for.
    this.#pushed = { notification, most: answerOf(most), id: undefined };
    const id = await this.ask(method, []);
    if (typeof id !== "string" && typeof id !== "number") throw otherAnswer("a subscription", shown(typeof id));
    this.#pushed.id = id;
  }

  /** The next push, when there is one within this time; `undefined` otherwise. */
  async nextPush(within) {
    if (this.#waiting.length === 0 && !this.#fault) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, within);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    if (this.#waiting.length > 0) return this.#waiting.shift();
    if (this.#fault) throw this.#fault;
    return undefined;
  }

  /** Ends the connection; whoever waits for an answer gets this fault. */
  end(fault) {
    if (this.#fault) return;
    this.#fault = fault;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(fault);
    }
    this.#pending.clear();
    this.#wake?.();
    this.#socket.onmessage = null;
    this.#socket.close();
  }

  #received(data) {
    try {
      this.#take(this.#parse(data));
    } catch (fault) {
      this.end(fault);
    }
  }

  #parse(data) {
    if (typeof data !== "string") throw otherAnswer("text", "a binary message");
    let most = this.#pushed?.most ?? SMALL;
    for (const request of this.#pending.values()) most = Math.max(most, request.most);
    if (data.length > most) throw otherAnswer(`at most ${most} characters`, `${data.length}`);
    if (depth(data) > MAX_DEPTH) throw otherAnswer(`JSON of at most ${MAX_DEPTH} levels`, "more");
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      throw otherAnswer("JSON", shown(data));
    }
    if (typeof message !== "object" || message === null || message.jsonrpc !== "2.0") {
      throw otherAnswer("a message of JSON-RPC 2.0", shown(data));
    }
    message.length = data.length;
    return message;
  }

  #take(message) {
    if ("method" in message) {
      this.#take_push(message);
      return;
    }
    const request = this.#pending.get(message.id);
    if (request === undefined) throw otherAnswer("answers to what was asked", `one to ${shown(JSON.stringify(message.id) ?? "nothing")}`);
    if (message.length > request.most) throw otherAnswer(`at most ${request.most} characters for ${request.method}`, `${message.length}`);
    if ("result" in message === "error" in message) throw otherAnswer(request.method, "neither a result nor an error, or both");
    this.#pending.delete(message.id);
    clearTimeout(request.timer);
    if ("result" in message) request.resolve(message.result);
    else request.reject(this.#refusal(request.method, message.error));
  }

  #take_push({ method, params, length }) {
    const pushed = this.#pushed;
    const known = pushed !== undefined && method === pushed.notification && (pushed.id === undefined || params?.subscription === pushed.id);
    if (!known) throw otherAnswer("what was subscribed to", `a push of ${shown(String(method))}`);
    if (length > pushed.most) throw otherAnswer(`pushes of at most ${pushed.most} characters`, `${length}`);
    const bytes = fromHex(params?.result);
    if (bytes === undefined) throw notHex("justification");
    this.#waiting.push(bytes);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#wake?.();
  }

  #refusal(method, error) {
    const code = error?.code;
    if (!Number.isInteger(code) || typeof error.message !== "string") return otherAnswer(method, "an error without code or message");
    const fault = refusal(method, code, error.message);
    fault.code = code;
    return fault;
  }
}

function refusal(method, code, text) {
  switch (code) {
    case METHOD_NOT_FOUND:
      return incompatible(`there is no method ${method}`);
    case NO_GENESIS_PROOF:
      return incomplete("proof of genesis");
    case NOT_HERE_YET:
      return incomplete("proofs yet from before it joined the chain, and is fetching them: ask again later");
    default:
      return unreachable(`${method}: ${shown(text)} (${code})`);
  }
}

/** Whether the endpoint says that nothing is proven there yet. */
export function isNotReady(fault) {
  return fault.code === NOT_READY;
}

/** Whether the endpoint answered that it cannot, other than by lacking the method. */
export function isRefusal(fault) {
  return fault.code !== undefined && fault.code !== METHOD_NOT_FOUND;
}

/** How deep arrays and objects are in each other, without parsing. */
function depth(text) {
  let now = 0;
  let most = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (quoted) {
      if (character === 0x5c) index += 1;
      else if (character === 0x22) quoted = false;
    } else if (character === 0x22) quoted = true;
    else if (character === 0x5b || character === 0x7b) most = Math.max(most, (now += 1));
    else if (character === 0x5d || character === 0x7d) now -= 1;
  }
  return most;
}
