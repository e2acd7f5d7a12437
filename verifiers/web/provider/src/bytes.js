// Bytes as text, and the few SCALE types that the provider reads and writes itself.

import { fromHex as prefixed } from "duet-light-client/text";

export { compact, concat } from "duet-light-client/text";

/** The bytes of hexadecimal digits, with or without `0x`; `undefined` for any other text. */
export function fromHex(text) {
  const digitsAlone = typeof text === "string" && !text.startsWith("0x");
  return prefixed(digitsAlone ? `0x${text}` : text);
}

/** A number of 32 bits in SCALE. */
export function u32(number) {
  return Uint8Array.of(number, number >>> 8, number >>> 16, number >>> 24);
}

/** Reads SCALE in order; throws if the bytes end too early. */
export class Reader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  take(length) {
    if (this.#at + length > this.#bytes.length) throw new RangeError("the bytes end too early");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A length in SCALE's compact form. */
  compact() {
    const length = this.compactLong();
    if (length > 0xffff_ffffn) throw new RangeError("a number is longer than 32 bits");
    return Number(length);
  }

  /** A number of any length in SCALE's compact form. */
  compactLong() {
    const [first] = this.take(1);
    if ((first & 3) === 3) return this.number((first >> 2) + 4);
    return (this.number([0, 1, 3][first & 3]) << 6n) | BigInt(first >> 2);
  }

  /** A number of this many bytes. */
  number(length) {
    return this.take(length).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  /** The rest, as a number. */
  rest() {
    return this.number(this.left);
  }

  /** A text with its length in front. */
  text() {
    return new TextDecoder().decode(this.take(this.compact()));
  }

  /** How many bytes are left. */
  get left() {
    return this.#bytes.length - this.#at;
  }

  /** The bytes taken since an offset from `at`. */
  since(start) {
    return this.#bytes.subarray(start, this.#at);
  }

  get at() {
    return this.#at;
  }
}
