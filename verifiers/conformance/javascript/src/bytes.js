// Bytes, hex and the three hashes of the protocol.

import { blake2b } from '@noble/hashes/blake2b';
import { keccak_256 } from '@noble/hashes/sha3';
import { sha256 as sha } from '@noble/hashes/sha2';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils';

export const concat = (...parts) => concatBytes(...parts);
export const hex = (bytes) => `0x${bytesToHex(bytes)}`;
export const unhex = (text) => hexToBytes(text.slice(2));
export const text = (string) => new TextEncoder().encode(string);

export const sha256 = (...parts) => sha(concat(...parts));
export const keccak256 = (...parts) => keccak_256(concat(...parts));
export const blake2 = (bytes) => blake2b(bytes, { dkLen: 32 });

/** Less than, equal to or greater than zero, by the first byte that differs. */
export function compare(one, other) {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at < 0 ? one.length - other.length : one[at] - (other[at] ?? -1);
}

export const same = (one, other) => one.length === other.length && compare(one, other) === 0;

/** A number from bytes with the most significant one first. */
export const bigEndian = (bytes) => (bytes.length === 0 ? 0n : BigInt(hex(bytes)));
export const littleEndian = (bytes) => bigEndian(Uint8Array.from(bytes).reverse());

export function littleEndianBytes(number, length) {
  const bytes = new Uint8Array(length);
  for (let at = 0, rest = BigInt(number); at < length; at += 1, rest >>= 8n) {
    bytes[at] = Number(rest & 0xffn);
  }
  return bytes;
}
