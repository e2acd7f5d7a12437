// Display of untrusted text, and bytes as text.

const SHOWN = 200;
// Control characters, and characters that change the direction of text or have no width.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escapes invisible characters, puts the text on one line, and shortens it. */
export function shown(text) {
  const whole = String(text);
  const cut = whole.length > SHOWN;
  const escaped = whole.slice(0, SHOWN).replace(HIDDEN, (hidden) => `\\u{${hidden.charCodeAt(0).toString(16)}}`);
  return cut ? `${escaped}… (${whole.length} characters)` : escaped;
}

// The value of each hexadecimal digit by its code; 255 for other characters.
const VALUES = new Uint8Array(128).fill(255);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  VALUES[digit.charCodeAt(0)] = value;
  VALUES[digit.toUpperCase().charCodeAt(0)] = value;
}
const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The bytes of `0x` and hexadecimal digits; `undefined` for any other text. */
export function fromHex(text) {
  if (typeof text !== "string" || !text.startsWith("0x") || text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array((text.length - 2) / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    const high = VALUES[text.charCodeAt(2 + 2 * index)] ?? 255;
    const low = VALUES[text.charCodeAt(3 + 2 * index)] ?? 255;
    if (high > 15 || low > 15) return undefined;
    bytes[index] = 16 * high + low;
  }
  return bytes;
}

/** Bytes as `0x` and hexadecimal digits. */
export function toHex(bytes) {
  let text = "0x";
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}

/** Concatenates bytes. */
export function concat(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Whether both are the same bytes. */
export function equal(one, other) {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** A length in SCALE's compact form, up to 2³⁰. */
export function compact(number) {
  if (number < 1 << 6) return Uint8Array.of(number << 2);
  if (number < 1 << 14) return Uint8Array.of(((number & 0x3f) << 2) | 1, number >> 6);
  return Uint8Array.of(((number & 0x3f) << 2) | 2, number >> 6, number >> 14, number >> 22);
}

/**
 * Whether bytes are a length in SCALE's compact form and so many bytes, as a transaction is. A node decodes no more of
 * longer bytes, and gives the hash of what it decodes.
 */
export function isPrefixed(bytes) {
  const size = [1, 2, 4][bytes[0] & 3];
  return size !== undefined && size <= bytes.length && equal(compact(bytes.length - size), bytes.subarray(0, size));
}
