// Headers, state and older blocks under a block that is final. (STATE-1 to STATE-3, LIGHT-2, MMR-1)

import { blake2, hex, keccak256, same } from './bytes.js';
import { Broken, require, under } from './broken.js';
import { Reader } from './scale.js';

/** The most bytes of all nodes of a storage proof. (STATE-2) */
const MAX_STATE_BYTES = 8 * 1024 * 1024;

/** The fields of a header; nothing when the bytes are none. */
export function readHeader(bytes) {
  try {
    const from = new Reader(bytes);
    const parentHash = from.take(32);
    const number = from.compact();
    const [stateRoot, extrinsicsRoot] = [from.take(32), from.take(32)];
    return from.left > 0 ? { parentHash, number, stateRoot, extrinsicsRoot } : undefined;
  } catch (error) {
    if (error instanceof Broken) return undefined;
    throw error;
  }
}

/** STATE-1 */
export function checkHeader(block, bytes) {
  require(same(blake2(bytes), block.hash), 'STATE-1');
  const header = readHeader(bytes);
  require(header?.number === block.number, 'STATE-1');
  return header;
}

export const nibblesOf = (bytes) => [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);

/** The kinds of trie nodes by their first bits: how many bits these are, and what the node has. */
const KINDS = [
  { bits: 2, first: 0b01, leaf: true, value: 'inline' },
  { bits: 2, first: 0b10, leaf: false, value: 'none' },
  { bits: 2, first: 0b11, leaf: false, value: 'inline' },
  { bits: 3, first: 0b001, leaf: true, value: 'hashed' },
  { bits: 4, first: 0b0001, leaf: false, value: 'hashed' },
];

/** A trie node as docs/spec/formats.md has it. */
function readNode(bytes) {
  const from = new Reader(bytes);
  const first = from.u8();
  if (first === 0) return { partial: [], children: [] };
  const kind = KINDS.find(({ bits, first: wanted }) => first >> (8 - bits) === wanted);
  require(kind !== undefined, 'trie');
  const most = 0xff >> kind.bits;
  let count = first & most;
  for (let more = count === most; more; ) {
    const byte = from.u8();
    count += byte;
    more = byte === 0xff;
  }
  const partial = nibblesOf(from.take(Math.ceil(count / 2)));
  if (count % 2 === 1) require(partial.shift() === 0, 'trie');
  const bitmap = kind.leaf ? 0 : from.u8() | (from.u8() << 8);
  let value;
  if (kind.value === 'inline') value = { bytes: from.byteList() };
  if (kind.value === 'hashed') value = { hash: from.take(32) };
  const children = Array.from({ length: 16 }, (_, at) => (bitmap >> at) & 1 ? from.byteList() : undefined);
  return { partial, value, children };
}

/** The values under these keys; undefined where there is none. Refuses by `rule`. */
export function readState(nodes, stateRoot, keys, rule) {
  require(nodes.reduce((size, node) => size + node.length, 0) <= MAX_STATE_BYTES, rule);
  const byHash = new Map(nodes.map((node) => [hex(blake2(node)), node]));
  const used = new Set();
  const load = (hash) => {
    const name = hex(hash);
    require(byHash.has(name), rule);
    used.add(name);
    return byHash.get(name);
  };
  const find = (key) => {
    let rest = nibblesOf(key);
    let bytes = load(stateRoot);
    for (;;) {
      const { partial, value, children } = readNode(bytes);
      if (partial.some((nibble, at) => rest[at] !== nibble)) return undefined;
      rest = rest.slice(partial.length);
      if (rest.length === 0) return value?.hash ? load(value.hash) : value?.bytes;
      const child = children[rest.shift()];
      if (child === undefined) return undefined;
      bytes = child.length === 32 ? load(child) : child;
    }
  };
  const values = under(rule, () => keys.map(find));
  require(used.size === nodes.length, rule);
  return values;
}

/** MMR-1: how high the mountains of a range with so many leaves are, the first one's first. */
function heights(leaves) {
  const bits = [...leaves.toString(2)].reverse();
  return bits.flatMap((bit, height) => (bit === '1' ? [height] : [])).reverse();
}

/** The root to which a proof of a leaf leads; nothing when it has too few hashes or too many. */
function rangeRoot(leaf, index, leaves, hashes) {
  const mountains = heights(leaves);
  let [place, left] = [0, index];
  while (left >= 1n << BigInt(mountains[place])) {
    left -= 1n << BigInt(mountains[place]);
    place += 1;
  }
  const height = mountains[place];
  const after = place + 1 < mountains.length ? 1 : 0;
  if (hashes.length !== place + height + after) return undefined;
  let node = keccak256(leaf);
  for (const sibling of hashes.slice(place, place + height)) {
    node = left % 2n === 1n ? keccak256(sibling, node) : keccak256(node, sibling);
    left /= 2n;
  }
  const peaks = [...hashes.slice(0, place), node, ...hashes.slice(place + height)];
  // From the right: the sum of what is on the right comes first.
  return peaks.reduceRight((right, peak) => keccak256(right, peak));
}

/** STATE-3 */
export function checkOlder(newest, proof) {
  require(newest.history !== undefined, 'STATE-3');
  const { leaf, index, leaves, hashes } = proof;
  require(leaves <= BigInt(newest.number) && index < leaves && hashes.length <= 64, 'STATE-3');
  const number = new Reader(leaf.subarray(1, 5)).u32();
  require(BigInt(newest.number) - leaves + index === BigInt(number), 'STATE-3');
  const root = rangeRoot(leaf, index, leaves, hashes);
  require(root !== undefined && same(root, newest.history), 'STATE-3');
  return { number, hash: leaf.subarray(5, 37), history: undefined };
}
