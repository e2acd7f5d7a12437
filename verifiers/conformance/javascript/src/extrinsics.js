// The extrinsics of a final block. (STATE-4)

import { blake2, concat, same } from './bytes.js';
import { require } from './broken.js';
import { compact } from './scale.js';
import { nibblesOf } from './state.js';

/** The first bits of the nodes that occur here, and how many they are. */
const LEAF = { first: 0b01, bits: 2 };
const LEAF_BY_HASH = { first: 0b001, bits: 3 };
const BRANCH = { first: 0b10, bits: 2 };
/** State version 1 keeps longer values as nodes of their own. */
const LONGEST_INLINE = 32;

/** The kind of a node and its part of the path. */
function front({ first, bits }, partial) {
  const most = 0xff >> bits;
  const bytes = [(first << (8 - bits)) | Math.min(partial.length, most)];
  for (let rest = partial.length - most; rest >= 0; rest -= 0xff) bytes.push(Math.min(rest, 0xff));
  const even = partial.length % 2 === 0 ? partial : [0, ...partial];
  for (let at = 0; at < even.length; at += 2) bytes.push((even[at] << 4) | even[at + 1]);
  return Uint8Array.from(bytes);
}

const byteList = (bytes) => concat(compact(bytes.length), bytes);

function leaf(partial, value, version) {
  if (version === 0 || value.length <= LONGEST_INLINE) return concat(front(LEAF, partial), byteList(value));
  return concat(front(LEAF_BY_HASH, partial), blake2(value));
}

/** The node above these entries, whose paths are the same up to `from`. No position begins with another one. */
function node(entries, from, version) {
  const [{ path, value }] = entries;
  if (entries.length === 1) return leaf(path.slice(from), value, version);
  let to = from;
  while (entries.every((entry) => entry.path[to] === path[to])) to += 1;
  let bitmap = 0;
  const children = [];
  for (let nibble = 0; nibble < 16; nibble += 1) {
    const below = entries.filter((entry) => entry.path[to] === nibble);
    if (below.length === 0) continue;
    bitmap |= 1 << nibble;
    const child = node(below, to + 1, version);
    children.push(byteList(child.length < 32 ? child : blake2(child)));
  }
  const bits = Uint8Array.of(bitmap & 0xff, bitmap >> 8);
  return concat(front(BRANCH, path.slice(from, to)), bits, ...children);
}

function rootOf(extrinsics, version) {
  if (extrinsics.length === 0) return blake2(Uint8Array.of(0));
  const entries = extrinsics.map((value, position) => ({ path: nibblesOf(compact(position)), value }));
  return blake2(node(entries, 0, version));
}

/** STATE-4 */
export function checkExtrinsics(root, extrinsics) {
  require([0, 1].some((version) => same(rootOf(extrinsics, version), root)), 'STATE-4');
}

/** The position of the first extrinsic with this hash; nothing when there is none. */
export function positionOf(hash, extrinsics) {
  const position = extrinsics.findIndex((bytes) => same(blake2(bytes), hash));
  return position < 0 ? null : position;
}
