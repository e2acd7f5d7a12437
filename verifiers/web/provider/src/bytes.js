// Bytes as text, and the few SCALE types that the provider reads and writes itself.

import { fromHex as prefixed } from "duet-light-client/text";

/** The bytes of hexadecimal digits, with or without `0x`; `undefined` for any other text. */
export function fromHex(text) {
  const digitsAlone = typeof text === "string" && !text.startsWith("0x");
  return prefixed(digitsAlone ? `0x${text}` : text);
}

/** A length in SCALE's compact form, up to 2³⁰. */
export function compact(number) {
  if (number < 1 << 6) return Uint8Array.of(number << 2);
  if (number < 1 << 14) return Uint8Array.of(((number & 0x3f) << 2) | 1, number >> 6);
  return Uint8Array.of(((number & 0x3f) << 2) | 2, number >> 6, number >> 14, number >> 22);
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

  compact() {
    const [first] = this.take(1);
    const more = [0, 1, 3, first >> 2 === 0 ? 4 : 8][first & 3];
    if (more > 4) throw new RangeError("a number is longer than 32 bits");
    const rest = this.take(more).reduceRight((sum, byte) => sum * 256 + byte, 0);
    return (first & 3) === 3 ? rest : rest * 64 + (first >> 2);
  }

  /** The bytes taken since an offset from `at`. */
  since(start) {
    return this.#bytes.subarray(start, this.#at);
  }

  get at() {
    return this.#at;
  }
}
