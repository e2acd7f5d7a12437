// Accounts: addresses, storage keys and values.

import { misuse } from "./error.js";
import { concat, equal, fromHex } from "./text.js";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
// The SDK's prefix of an address in the input of its checksum.
const SS58 = new TextEncoder().encode("SS58PRE");
// twox_128("System") and twox_128("Account").
const ACCOUNTS = fromHex("0x26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9");

/** The 32 bytes of an account: from them, from 0x-hex, or from an SS58 address. */
export function accountId(account, blake2b) {
  if (account instanceof Uint8Array && account.length === 32) return account;
  const bytes = typeof account === "string" ? (fromHex(account) ?? fromAddress(account, blake2b)) : undefined;
  if (bytes?.length !== 32) throw misuse("an account is an SS58 address, 0x and 64 hexadecimal digits, or 32 bytes");
  return bytes;
}

/** The key of an account's entry in the state. */
export function accountKey(id, blake2b) {
  return concat([ACCOUNTS, blake2b(id, 16), id]);
}

/** Decodes an account's entry in the layout of `frame_system` and `pallet_balances`. */
export function readAccount(value) {
  if (value === undefined) return { exists: false, nonce: 0, free: 0n, reserved: 0n, frozen: 0n };
  if (value.length !== 80) throw misuse("this chain has another account format: read the entry with storage()");
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const amount = (offset) => view.getBigUint64(offset, true) | (view.getBigUint64(offset + 8, true) << 64n);
  return { exists: true, nonce: view.getUint32(0, true), free: amount(16), reserved: amount(32), frozen: amount(48) };
}

function fromAddress(text, blake2b) {
  const bytes = base58(text);
  if (bytes === undefined) return undefined;
  // Networks above 63 have a prefix of two bytes.
  const prefix = (bytes[0] & 0x40) === 0 ? 1 : 2;
  if (bytes.length !== prefix + 34) return undefined;
  const body = bytes.subarray(0, prefix + 32);
  const checksum = blake2b(concat([SS58, body]), 64).subarray(0, 2);
  return equal(checksum, bytes.subarray(prefix + 32)) ? body.subarray(prefix) : undefined;
}

function base58(text) {
  if (text.length === 0 || text.length > 64) return undefined;
  let number = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const bytes = [];
  for (; number > 0n; number >>= 8n) bytes.unshift(Number(number & 0xffn));
  for (const character of text) {
    if (character !== "1") break;
    bytes.unshift(0);
  }
  return Uint8Array.from(bytes);
}
