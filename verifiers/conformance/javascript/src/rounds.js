// What nodes make of votes, and who publishes it. (JUST-7, JUST-8, ROUND-6)

import { compare, concat, littleEndianBytes, sha256, text } from './bytes.js';
import { Broken, require } from './broken.js';
import * as curve from './curve.js';
import { encodeCommitment, sameCommitment } from './objects.js';
import { checkVote, messagePoint, prepare, threshold, verify } from './proofs.js';
import { compact } from './scale.js';

const sigmaOf = (vote) => vote.signature.subarray(0, 48);

/** A proof by these signers: positions, with what each adds to the signature. `known` is what a proof has already. */
function sum(set, commitment, sigmas, known = { signers: [], signature: [], apk2: [] }) {
  const late = [...sigmas.keys()];
  const all = [...known.signers, ...late];
  require(all.length >= threshold(set.points.length), 'JUST-4');
  const signature = curve.sum([...known.signature, ...sigmas.values()]);
  require(!signature.equals(curve.G1.ZERO), 'ENC-2');
  // As the sum of what was not checked may be.
  require(signature.isTorsionFree(), 'ENC-4');
  const signers = new Uint8Array(Math.ceil(set.points.length / 8));
  for (const at of all) signers[at >> 3] |= 1 << (at & 7);
  const apk2 = curve.sumOfG2([...known.apk2, ...late.map((at) => curve.g2(set.seconds[at], { registered: true }))]);
  return { commitment, signers, signature: curve.encode(signature), apk2: curve.encode(apk2) };
}

/** What `read` makes of the first vote of each signer that it does not refuse. */
function firstOfEach(votes, read) {
  const found = new Map();
  for (const vote of votes) {
    if (found.has(vote.signer)) continue;
    try {
      found.set(vote.signer, read(vote));
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
    }
  }
  return found;
}

/** JUST-7 */
export function addVotes(genesisHash, set, commitment, votes) {
  require(commitment.validator_set_id === set.commitment.id, 'JUST-1');
  const fit = votes.filter((vote) => sameCommitment(vote.commitment, commitment) && vote.signer < set.points.length);
  try {
    const unchecked = firstOfEach(fit, (vote) => curve.g1(sigmaOf(vote), { registered: true }));
    const proof = sum(set, commitment, unchecked);
    verify(prepare(genesisHash, set, proof));
    return proof;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
  }
  const hash = messagePoint(genesisHash, commitment);
  const checked = firstOfEach(fit, (vote) => curve.checkSignature(set.points[vote.signer], hash, vote.signature));
  return sum(set, commitment, checked);
}

/** JUST-8 */
export function extend(genesisHash, set, proof, votes) {
  const { signers } = verify(prepare(genesisHash, set, proof));
  for (const vote of votes) checkVote(genesisHash, set, vote);
  const sigmas = new Map();
  for (const vote of votes) {
    require(sameCommitment(vote.commitment, proof.commitment), 'JUST-8');
    require(!sigmas.has(vote.signer), 'JUST-4');
    sigmas.set(vote.signer, curve.g1(sigmaOf(vote)));
  }
  for (const signer of signers) sigmas.delete(signer);
  const known = { signers, signature: [curve.g1(proof.signature)], apk2: [curve.g2(proof.apk2)] };
  return sum(set, proof.commitment, sigmas, known);
}

/** ROUND-6 */
export function publishers(commitment, members) {
  const seed = sha256(text('duet-schedule-v1'), encodeCommitment(commitment));
  const places = Array.from({ length: members }, (_, at) => sha256(seed, littleEndianBytes(at, 4)));
  return [...places.keys()].sort((one, other) => compare(places[one], places[other]) || one - other);
}

/** How many signed, from the bits. */
export const signersIn = ({ signers }) =>
  signers.reduce((count, byte) => count + [...byte.toString(2)].filter((bit) => bit === '1').length, 0);

export const encodeJustification = ({ commitment, signers, signature, apk2 }) =>
  concat(encodeCommitment(commitment), compact(signers.length), signers, signature, apk2);
