// Reads the keys under a prefix from the nodes of a storage proof.
//
// The verifier has already checked that every node is under the state root (STATE-2). It does not check whether the
// nodes show all keys under a prefix: they do if no node below the prefix is missing.

import { equal } from "./text.js";

const HASH = 32;

/** A trie with nodes by hash: `find(hash)` returns the bytes of a node, or nothing. */
export class Trie {
  #find;

  constructor(find) {
    this.#find = find;
  }

  /** The reference to the closest node at or below a prefix, its hash or its bytes; nothing if no key has it. */
  closest(root, prefix) {
    const wanted = nibblesOf(prefix);
    let reference = root;
    let path = [];
    for (;;) {
      const node = this.#node(reference);
      const whole = [...path, ...node.partial];
      const common = Math.min(whole.length, wanted.length);
      if (!whole.slice(0, common).every((nibble, index) => nibble === wanted[index])) return undefined;
      if (whole.length >= wanted.length) return { reference, path };
      const next = wanted[whole.length];
      if (node.children[next] === undefined) return undefined;
      reference = node.children[next];
      path = [...whole, next];
    }
  }

  /** The keys below a node from `closest`, in order. Throws `MissingNode` if the nodes do not show all keys. */
  keys({ reference, path }) {
    const node = this.#node(reference);
    const whole = [...path, ...node.partial];
    const keys = node.hasValue ? [bytesOf(whole)] : [];
    for (const [nibble, child] of node.children.entries()) {
      if (child !== undefined) keys.push(...this.keys({ reference: child, path: [...whole, nibble] }));
    }
    return keys;
  }

  #node(reference) {
    const bytes = reference.length === HASH ? this.#find(reference) : reference;
    if (bytes === undefined) throw new MissingNode();
    return decode(bytes);
  }
}

/** The proof does not have a needed node. */
export class MissingNode extends Error {}

/** A node's partial key in nibbles, whether it has a value, and the references to its children. */
function decode(bytes) {
  let at = 0;
  const take = (length) => {
    if (at + length > bytes.length) throw new MissingNode();
    at += length;
    return bytes.subarray(at - length, at);
  };
  const [first] = take(1);
  if (first === 0) return { partial: [], hasValue: false, children: [] };
  // The kinds: leaf, branch, branch with a value; leaf and branch with the hash of a value.
  const [kind, bits] = first >> 6 !== 0 ? [first >> 6, 2] : first >> 5 === 1 ? [4, 3] : [5, 4];
  const partial = partialKey(take, first & (255 >> bits), 255 >> bits);
  const isBranch = kind !== 1 && kind !== 4;
  const [low, high] = isBranch ? take(2) : [0, 0];
  if (kind === 4 || kind === 5) take(HASH);
  else if (kind !== 2) take(length(take));
  const children = Array.from({ length: 16 }, (_, index) => {
    return ((high << 8) | low) & (1 << index) ? take(length(take)) : undefined;
  });
  return { partial, hasValue: kind !== 2, children };
}

function partialKey(take, first, most) {
  let count = first;
  if (count === most) {
    let more;
    do {
      [more] = take(1);
      count += more;
    } while (more === 255);
  }
  const nibbles = nibblesOf(take(Math.ceil(count / 2)));
  // With an odd number, the first nibble is padding.
  return nibbles.slice(nibbles.length - count);
}

/** A length in SCALE's compact form. */
function length(take) {
  const [first] = take(1);
  const rest = take([0, 1, 3, 4][first & 3]).reduceRight((sum, byte) => sum * 256 + byte, 0);
  return (first & 3) === 3 ? rest : rest * 64 + (first >> 2);
}

function nibblesOf(bytes) {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
}

function bytesOf(nibbles) {
  return Uint8Array.from({ length: nibbles.length / 2 }, (_, index) => 16 * nibbles[2 * index] + nibbles[2 * index + 1]);
}

/** Whether two lists have the same keys in the same order. */
export function sameKeys(one, other) {
  return one.length === other.length && one.every((key, index) => equal(key, other[index]));
}
