// A WebSocket client for Node, which has its own since version 22. Only text messages, and only the needed features.

import { createHash, randomBytes } from "node:crypto";
import { request as http } from "node:http";
import { request as https } from "node:https";

// RFC 6455.
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10];
const MAX_CONTROL = 125;
/** The most bytes of one message: the longest requested answer. */
const MAX_MESSAGE = 30 << 20;
const MAX_FRAGMENTS = 1_024;

/** Opens a connection, with the part of the browser interface that this package uses. */
export function openSocket(url) {
  return new Socket(url);
}

class Socket {
  onopen = null;
  onmessage = null;
  onerror = null;
  onclose = null;
  #stream;
  #request;
  #received = [];
  #length = 0;
  #fragments = [];
  #closed = false;

  constructor(url) {
    const key = randomBytes(16).toString("base64");
    const expected = createHash("sha1").update(key + GUID).digest("base64");
    const target = new URL(url);
    const ask = target.protocol === "wss:" ? https : http;
    target.protocol = target.protocol === "wss:" ? "https:" : "http:";
    const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key };
    this.#request = ask(target, { headers, agent: false });
    this.#request.on("upgrade", (response, stream, first) => {
      if (response.headers["sec-websocket-accept"] !== expected) this.#fail();
      else this.#opened(stream, first);
    });
    this.#request.on("response", () => this.#fail());
    this.#request.on("error", () => this.#fail());
    this.#request.end();
  }

  send(text) {
    this.#write(TEXT, Buffer.from(text));
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.onmessage = null;
    if (this.#stream) {
      this.#frame(CLOSE, Buffer.alloc(0));
      this.#stream.end();
      // Do not wait for a peer that does not answer.
      this.#stream.destroySoon();
    } else this.#request.destroy();
  }

  #opened(stream, first) {
    this.#stream = stream;
    stream.setNoDelay(true);
    stream.on("data", (bytes) => this.#take(bytes));
    stream.on("error", () => this.#fail());
    stream.on("close", () => this.#end());
    if (this.#closed) {
      stream.destroy();
      return;
    }
    this.onopen?.();
    if (first.length > 0) this.#take(first);
  }

  #fail() {
    if (!this.#closed) this.onerror?.();
    this.#end();
  }

  #end() {
    this.#request.destroy();
    this.#stream?.destroy();
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  #take(bytes) {
    this.#received.push(bytes);
    this.#length += bytes.length;
    while (!this.#closed && this.#next());
  }

  /** Takes one frame from the received bytes; returns whether there was one. */
  #next() {
    if (this.#length < 2) return false;
    const head = this.#peek(Math.min(this.#length, 10));
    const [first, second] = head;
    const short = second & 0x7f;
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (head.length < 2 + extended) return false;
    const length = extended === 0 ? short : extended === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    const code = first & 0x0f;
    const fragments = this.#fragments.reduce((sum, part) => sum + part.length, 0);
    // Reserved bits, a masked frame, a long or divided control frame, or more than any answer.
    const bad = (first & 0x70) !== 0 || (second & 0x80) !== 0 || (code >= CLOSE && (length > MAX_CONTROL || (first & 0x80) === 0)) || fragments + length > MAX_MESSAGE || this.#fragments.length > MAX_FRAGMENTS;
    if (bad) {
      this.#fail();
      return false;
    }
    if (this.#length < 2 + extended + length) return false;
    const frame = this.#peek(2 + extended + length).subarray(2 + extended);
    this.#drop(2 + extended + length);
    this.#frameReceived(code, (first & 0x80) !== 0, frame);
    return true;
  }

  #frameReceived(code, isLast, body) {
    const goesOn = this.#fragments.length > 0;
    if (code === PING) this.#write(PONG, body);
    else if (code === CLOSE) this.#end();
    else if (code === PONG) return;
    else if (code === BINARY || (code === TEXT) === goesOn || ![TEXT, CONTINUATION].includes(code)) this.#fail();
    else {
      this.#fragments.push(Buffer.from(body));
      if (!isLast) return;
      const text = Buffer.concat(this.#fragments).toString("utf8");
      this.#fragments = [];
      this.onmessage?.({ data: text });
    }
  }

  #peek(length) {
    if (this.#received[0].length < length) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0].subarray(0, length);
  }

  #drop(length) {
    this.#length -= length;
    const rest = this.#received[0].subarray(length);
    this.#received[0] = rest;
    if (rest.length === 0) this.#received.shift();
  }

  #write(code, body) {
    if (!this.#closed && this.#stream) this.#frame(code, body);
  }

  #frame(code, body) {
    const mask = randomBytes(4);
    const extended = body.length < 126 ? 0 : body.length < 65_536 ? 2 : 8;
    const head = Buffer.alloc(2 + extended);
    head[0] = 0x80 | code;
    head[1] = 0x80 | (extended === 0 ? body.length : extended === 2 ? 126 : 127);
    if (extended === 2) head.writeUInt16BE(body.length, 2);
    if (extended === 8) head.writeBigUInt64BE(BigInt(body.length), 2);
    this.#stream.write(Buffer.concat([head, mask, body.map((byte, index) => byte ^ mask[index % 4])]));
  }
}
