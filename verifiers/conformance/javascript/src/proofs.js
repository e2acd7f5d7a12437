// Sets, votes, evidence and finality proofs. (SET, VOTE, POP, JUST, STATELESS, EQV)

import { concat, keccak256, littleEndian, littleEndianBytes, same, sha256, text } from './bytes.js';
import { require, under } from './broken.js';
import * as curve from './curve.js';
import { encodeCommitment, MAX_VALIDATORS, sameCommitment } from './objects.js';

/** SET-4 */
export const threshold = (members) => members - Math.floor((members - 1) / 3);

const leafHash = (key) => keccak256(Uint8Array.of(0), key);
const nodeHash = (left, right) => keccak256(Uint8Array.of(1), left, right);

/** SET-2: all layers, the leaves' first. */
function layers(keys) {
  const all = [keys.map(leafHash)];
  while (all.at(-1).length > 1) {
    const below = all.at(-1);
    const above = [];
    for (let at = 0; at < below.length; at += 2) {
      above.push(at + 1 < below.length ? nodeHash(below[at], below[at + 1]) : below[at]);
    }
    all.push(above);
  }
  return all;
}

const rootOf = (keys) => (keys.length === 0 ? new Uint8Array(32) : layers(keys).at(-1)[0]);

/** The nodes of a multiproof, in order: of each its layer and place, and the nodes known in each layer. */
function* walk(positions, len) {
  let known = [...positions];
  for (let width = len, layer = 0; width > 1; width = Math.ceil(width / 2), layer += 1) {
    const set = new Set(known);
    const wanted = known.map((at) => at ^ 1).filter((at) => at < width && !set.has(at));
    yield { known, wanted, width, layer };
    known = [...new Set(known.map((at) => at >> 1))];
  }
}

/** SET-2 */
export function checkMultiproof(root, len, positions, keys, hashes) {
  const inside = positions.every((at, place) => at < len && (place === 0 || positions[place - 1] < at));
  require(inside && len <= MAX_VALIDATORS, 'SET-2');
  const expected = [...walk(positions, len)].reduce((count, layer) => count + layer.wanted.length, 0);
  require(hashes.length === (positions.length === 0 ? 0 : expected), 'SET-2');
  if (positions.length === 0) return;
  const rest = [...hashes];
  let nodes = new Map(positions.map((at, place) => [at, leafHash(keys[place])]));
  for (const { wanted, width } of walk(positions, len)) {
    for (const at of wanted) nodes.set(at, rest.shift());
    const above = new Map();
    for (const at of nodes.keys()) {
      const left = at & ~1;
      const parent = left + 1 < width ? nodeHash(nodes.get(left), nodes.get(left + 1)) : nodes.get(left);
      above.set(at >> 1, parent);
    }
    nodes = above;
  }
  require(same(nodes.get(0), root), 'SET-2');
}

/** SET-2 */
export function proveMembers(keys, positions) {
  if (positions.length === 0) return [];
  const all = layers(keys);
  return [...walk(positions, keys.length)].flatMap(({ wanted, layer }) => wanted.map((at) => all[layer][at]));
}

/** SET-1: the points of keys that the chain has checked. */
function readKeys(keys) {
  require(keys.length >= 1 && keys.length <= MAX_VALIDATORS && curve.ascend(keys), 'SET-1');
  return under('SET-1', () => keys.map((key) => curve.g1(key, { registered: true })));
}

export function commitToKeys(id, keys) {
  const total = curve.sum(readKeys(keys));
  require(!total.equals(curve.G1.ZERO), 'SET-3');
  return { id, len: keys.length, root: rootOf(keys), apk1: curve.encode(total) };
}

/** SET-3: the points of a commitment's keys. */
export function checkKeys(commitment, keys) {
  require(keys.length === commitment.len && same(rootOf(keys), commitment.root), 'SET-3');
  const points = readKeys(keys);
  const total = under('SET-3', () => curve.g1(commitment.apk1));
  require(curve.sum(points).equals(total), 'SET-3');
  return { commitment, points };
}

/** MSG-2 */
export const signedBytes = (genesisHash, commitment) =>
  concat(text('duet-v1'), genesisHash, encodeCommitment(commitment));

export const messagePoint = (genesisHash, commitment) =>
  curve.hashToG1('ordinary', signedBytes(genesisHash, commitment));

/** VOTE-1 to VOTE-3 */
export function checkVote(genesisHash, set, vote) {
  require(vote.commitment.validator_set_id === set.commitment.id, 'VOTE-1');
  require(vote.signer < set.points.length, 'VOTE-2');
  const hash = messagePoint(genesisHash, vote.commitment);
  under('VOTE-3', () => curve.checkSignature(set.points[vote.signer], hash, vote.signature));
  return hash;
}

const field = (bytes) => concat(littleEndianBytes(bytes.length, 8), bytes);
const digestOf = (tag, ...fields) => sha256(...[text(tag), ...fields].map(field));

/** The first 16 bytes, read little-endian, and 1 when they are zero. (JUST-5) */
const coefficient = (digest) => littleEndian(digest.subarray(0, 16)) || 1n;

const VOTING = { ownership: 'ordinary', possession: 'possession' };

/** POP-1 to POP-4 */
export function checkPossession(keyBytes, owner, proof, suites = VOTING) {
  const [pk1, pk2] = [keyBytes.subarray(0, 48), keyBytes.subarray(48)];
  const key = under('KEY-1', () => ({ pk1: curve.g1(pk1), pk2: curve.g2(pk2) }));
  const owned = curve.hashToG1(suites.ownership, concat(text('POP_'), owner));
  under('POP-1', () => curve.checkSignature(key.pk1, owned, proof.subarray(0, 112)));
  const hash = curve.hashToG1(suites.possession, pk2);
  const sigma = under('POP-2', () => curve.checkSignature(key.pk1, hash, proof.subarray(112)));
  const [point, sigmaBytes] = [curve.encode(hash), proof.subarray(112, 160)];
  const t = curve.hashToScalar(point, pk2, pk1, sigmaBytes);
  const left = sigma.add(curve.times(key.pk1, t));
  const right = hash.add(curve.times(curve.G1.BASE, t));
  require(curve.equationHolds(left, [[right, key.pk2]]), 'POP-3');
  return { point, t, digest: digestOf('duet-v1/possession/r', point, pk1, pk2, sigmaBytes) };
}

export const signs = (bitfield, position) => ((bitfield[position >> 3] >> (position & 7)) & 1) === 1;

/** JUST-2 to JUST-4: the positions of those who signed and of those who did not. */
export function checkSigners(set, bitfield) {
  require(bitfield.length === Math.ceil(set.len / 8), 'JUST-2');
  const positions = Array.from({ length: bitfield.length * 8 }, (_, at) => at);
  const signers = positions.filter((at) => signs(bitfield, at));
  require(signers.every((at) => at < set.len), 'JUST-3');
  require(signers.length >= threshold(set.len), 'JUST-4');
  const nonSigners = positions.filter((at) => at < set.len && !signs(bitfield, at));
  return { signers, nonSigners };
}

/** JUST-1 to JUST-4 */
function checkForm(set, proof) {
  require(proof.commitment.validator_set_id === set.id, 'JUST-1');
  return checkSigners(set, proof.signers);
}

/** The equation of JUST-5, to be checked alone or with others. */
export function equation(hash, signature, apk2Bytes, apk1) {
  const sigma = curve.g1(signature);
  const apk2 = curve.g2(apk2Bytes);
  const [point, key] = [curve.encode(hash), curve.encode(apk1)];
  const digest = digestOf('duet-v1/justification/t', point, key, apk2Bytes, signature);
  const t = coefficient(digest);
  return {
    left: sigma.add(curve.times(apk1, t)),
    right: hash.add(curve.times(curve.G1.BASE, t)),
    apk2,
    digest,
    answers: { point, apk1: key, digest, t },
  };
}

function equationOf(genesisHash, proof, apk1) {
  return equation(messagePoint(genesisHash, proof.commitment), proof.signature, proof.apk2, apk1);
}

/** JUST-1 to JUST-5, without the equation. */
export function prepare(genesisHash, set, proof) {
  const { signers, nonSigners } = checkForm(set.commitment, proof);
  const apk1 = curve.sum(signers.map((at) => set.points[at]));
  return { ...equationOf(genesisHash, proof, apk1), signers, nonSigners };
}

/** STATELESS-1 and STATELESS-2: the sum of the signers' keys. */
export function signersSum(commitment, { nonSigners }, { non_signers: keys, multiproof }) {
  require(nonSigners.length === keys.length, 'STATELESS-1');
  const absent = under('STATELESS-2', () => {
    checkMultiproof(commitment.root, commitment.len, nonSigners, keys, multiproof);
    return keys.map((key) => curve.g1(key, { registered: true }));
  });
  const total = under('SET-3', () => curve.g1(commitment.apk1));
  return total.subtract(curve.sum(absent));
}

/** STATELESS-1 and STATELESS-2, without the equation. */
export function prepareStateless(genesisHash, commitment, proof) {
  const signed = checkForm(commitment, proof.justification);
  const apk1 = signersSum(commitment, signed, proof);
  return { ...equationOf(genesisHash, proof.justification, apk1), ...signed };
}

/** JUST-5 */
export function verify(prepared) {
  require(curve.equationHolds(prepared.left, [[prepared.right, prepared.apk2]]), 'JUST-5');
  return prepared;
}

/** JUST-6: the weights, of each `a` and `b`. */
export function weights(digests) {
  const seed = sha256(text('duet-v1/justifications/r'), ...digests);
  return digests.map((_, index) => {
    if (index === 0) return { a: 1n, b: 0n };
    const w = coefficient(sha256(seed, littleEndianBytes(index, 8)));
    return { a: w & 0xffff_ffff_ffff_ffffn, b: w >> 64n };
  });
}

const Z = 0xd201000000010000n;

/** JUST-6: whether all hold. */
export function allHold(prepared) {
  if (prepared.length === 0) return true;
  const scalars = weights(prepared.map(({ digest }) => digest)).map(({ a, b }) => a + b * Z * Z);
  const left = curve.sum(prepared.map((one, at) => curve.times(one.left, scalars[at])));
  const rights = prepared.map((one, at) => [curve.times(one.right, scalars[at]), one.apk2]);
  return curve.equationHolds(left, rights);
}

/** EQV-1 to EQV-5 */
export function checkEvidence(genesisHash, set, evidence) {
  const { first, second } = evidence;
  const votes = [first, second];
  require(votes.every((vote) => vote.commitment.validator_set_id === set.id), 'EQV-1');
  require(first.commitment.block_number === second.commitment.block_number, 'EQV-2');
  require(!sameCommitment(first.commitment, second.commitment), 'EQV-3');
  const key = under('EQV-4', () => {
    checkMultiproof(set.root, set.len, [evidence.signer], [evidence.key], evidence.membership);
    return curve.g1(evidence.key, { registered: true });
  });
  for (const vote of votes) {
    const hash = messagePoint(genesisHash, vote.commitment);
    under('EQV-5', () => curve.checkSignature(key, hash, vote.signature));
  }
}

/** DLEQ-3, and the key of a seed. */
export function sign(seed, genesisHash, commitment) {
  const secret = curve.hashToScalar(seed);
  const secretBytes = littleEndianBytes(secret, 32);
  const key = curve.times(curve.G1.BASE, secret);
  const hash = messagePoint(genesisHash, commitment);
  const sigma = curve.times(hash, secret);
  const k = curve.hashToScalar(sha256(secretBytes), curve.encode(hash));
  const points = [hash, key, sigma, curve.times(curve.G1.BASE, k), curve.times(hash, k)];
  const c = curve.hashToScalar(...points.map(curve.encode));
  const s = (k + (curve.R - c) * secret) % curve.R;
  const scalars = [c, s].map((number) => littleEndianBytes(number, 32));
  return {
    secret: secretBytes,
    key: concat(curve.encode(key), curve.encodeOfG2(secret)),
    signature: concat(curve.encode(sigma), ...scalars),
  };
}

