// SCALE, as far as the objects of the protocol need it. (ENC-6)

import { littleEndian, littleEndianBytes } from './bytes.js';
import { Broken, require } from './broken.js';

const MALFORMED = 'ENC-6';

export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get left() {
    return this.bytes.length - this.at;
  }

  take(length) {
    require(length <= this.left, MALFORMED);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  u8() {
    return this.take(1)[0];
  }

  u16() {
    return Number(littleEndian(this.take(2)));
  }

  u32() {
    return Number(littleEndian(this.take(4)));
  }

  u64() {
    return littleEndian(this.take(8));
  }

  /** A number of at most 32 bits in as few bytes as it needs. */
  compact() {
    const first = this.u8();
    const mode = first & 3;
    if (mode === 0) return first >> 2;
    if (mode === 3) {
      require(first === 3, MALFORMED);
      const number = this.u32();
      require(number >= 2 ** 30, MALFORMED);
      return number;
    }
    const [length, least] = mode === 1 ? [2, 2 ** 6] : [4, 2 ** 14];
    this.at -= 1;
    const number = Number(littleEndian(this.take(length)) >> 2n);
    require(number >= least, MALFORMED);
    return number;
  }

  /** A list of items that have the same length each. */
  list(length, limit) {
    const count = this.compact();
    require(count <= limit && count * length <= this.left, MALFORMED);
    return Array.from({ length: count }, () => this.take(length));
  }

  byteList(limit = Infinity) {
    const count = this.compact();
    require(count <= limit, MALFORMED);
    return this.take(count);
  }
}

/** A number below 2³⁰ in as few bytes as it needs. */
export function compact(number) {
  if (number < 2 ** 6) return Uint8Array.of(number * 4);
  return number < 2 ** 14 ? littleEndianBytes(number * 4 + 1, 2) : littleEndianBytes(number * 4 + 2, 4);
}

/** Reads an object that is all of the bytes. */
export function decodeAll(bytes, read) {
  const reader = new Reader(bytes);
  const object = read(reader);
  if (reader.left > 0) throw new Broken(MALFORMED);
  return object;
}
