// Recovery keys, drills, and what a recovery set signs. (RECOVER-1, RECOVER-2, RECOVER-4 to RECOVER-9)

import { checkPassed } from './age.js';
import { concat, littleEndianBytes, same, text } from './bytes.js';
import { require, under } from './broken.js';
import * as curve from './curve.js';
import { decode, encodeKeyset, MAX_VALIDATORS } from './objects.js';
import * as proofs from './proofs.js';

const SUITES = { ownership: 'recovery', possession: 'recovery possession' };

/** RECOVER-1 */
export function checkPossession(genesisHash, account, key, proof) {
  return proofs.checkPossession(key, concat(text('drcv'), genesisHash, account), proof, SUITES);
}

/** RECOVER-2 */
export function checkDrill(genesisHash, account, key, drill) {
  const block = concat(littleEndianBytes(drill.block_number, 4), drill.block_hash);
  const message = concat(text('duet-recovery-v1/drill'), genesisHash, account, block);
  curve.checkSignature(curve.g1(key), curve.hashToG1('recovery', message), drill.signature);
}

const encodeStatement = (it) =>
  concat(
    littleEndianBytes(it.recovery_set, 8),
    littleEndianBytes(it.block_number, 4),
    it.block_hash,
    littleEndianBytes(it.ended, 8),
    littleEndianBytes(it.reset_number, 4),
    it.reset_hash,
    encodeKeyset(it.set),
  );

/** RECOVER-5: `H(m)` */
function messagePoint(genesisHash, statement) {
  const message = concat(text('duet-recovery-v1/statement'), genesisHash, encodeStatement(statement));
  return curve.hashToG1('recovery', message);
}

/** SET-1 for the length and KEY-1 for the total: that a commitment has the form of a set. */
function checkForm({ len, apk1 }, rule) {
  require(len >= 1 && len <= MAX_VALIDATORS, rule);
  under(rule, () => curve.g1(apk1));
}

/** RECOVER-6 for the recovery set, then RECOVER-5: whether the statement is well-formed. */
function checkStatement(recoverySet, statement) {
  require(statement.recovery_set === recoverySet.id, 'RECOVER-6');
  const { block_number: block, reset_number: reset, ended, set } = statement;
  require(reset > block && set.id > ended, 'RECOVER-5');
  checkForm(set, 'RECOVER-5');
}

/** RECOVER-6 */
export function checkProof(genesisHash, recoverySet, proof) {
  checkStatement(recoverySet, proof.statement);
  const signed = proofs.checkSigners(recoverySet, proof.signers);
  const apk1 = proofs.signersSum(recoverySet, signed, proof);
  const hash = messagePoint(genesisHash, proof.statement);
  proofs.verify(proofs.equation(hash, proof.signature, proof.apk2, apk1));
  return { ...signed, hash };
}

/** JUST-5 for one signer. */
function checkSignature(genesisHash, key, vote) {
  const hash = messagePoint(genesisHash, vote.statement);
  proofs.verify(proofs.equation(hash, vote.signature, vote.pk2, key));
  return hash;
}

/** RECOVER-5, RECOVER-6 and RECOVER-9 for the signature of one member. */
export function checkVote(genesisHash, set, vote) {
  checkStatement(set.commitment, vote.statement);
  require(vote.signer < set.points.length, 'RECOVER-9');
  return checkSignature(genesisHash, set.points[vote.signer], vote);
}

/** RECOVER-9: that all of the accused signed. */
export function checkAccusation(genesisHash, set, { vote, proof, accused, membership }) {
  checkStatement(set, (vote ?? proof).statement);
  const signs = (position) => (vote ? vote.signer === position : proofs.signs(proof.signers, position));
  const [positions, keys] = [accused.map(({ signer }) => signer), accused.map(({ key }) => key)];
  require(positions.length > 0 && positions.every(signs), 'RECOVER-9');
  under('RECOVER-9', () => proofs.checkMultiproof(set.root, set.len, positions, keys, membership));
  if (proof) return checkProof(genesisHash, set, proof);
  // Positions ascend, so that there is one.
  const key = under('STATELESS-2', () => curve.g1(keys[0], { registered: true }));
  return checkSignature(genesisHash, key, vote);
}

/** RECOVER-4 */
function readTerms(bytes) {
  const terms = under('RECOVER-4', () => decode('RecoveryTerms', bytes));
  require(terms.delay >= 1n, 'RECOVER-4');
  checkForm(terms.set, 'RECOVER-4');
  return terms;
}

/** RECOVER-7: the statement is about the client's newest block. */
function checkBlock(client, { block_number: number, block_hash: hash }) {
  require(number === client.number && same(hash, client.hash), 'RECOVER-7');
}

/** LIGHT-9 for the client's newest block. */
function checkAge({ time, periods }, now) {
  require(time !== undefined, 'LIGHT-9');
  checkPassed(time, now, periods);
}

/** RECOVER-7: the client's newest block is not more than 60 seconds ahead of its clock. */
function checkClock({ time }, now) {
  require(time === undefined || time <= now + 60_000n, 'RECOVER-7');
}

/** RECOVER-7 for the first proof. */
function announce(client, terms, proof, now) {
  const { ended, set } = proof.statement;
  checkBlock(client, proof.statement);
  require(client.sets.includes(ended) && client.sets.every((id) => set.id > id), 'RECOVER-7');
  under('RECOVER-6', () => checkProof(client.genesisHash, terms.set, proof));
  checkAge(client, now);
  checkClock(client, now);
}

/** RECOVER-8: a second valid proof, with another statement about the same block. */
function checkOther(client, terms, statement, other) {
  checkBlock(client, other.statement);
  under('RECOVER-6', () => checkProof(client.genesisHash, terms.set, other));
  require(same(encodeStatement(other.statement), encodeStatement(statement)), 'RECOVER-8');
}

/** RECOVER-7 and RECOVER-8: announces a recovery at one time, and tries to cross at another, both in milliseconds. */
export function cross(client, { terms: termsBytes, proof, other, announced, now }) {
  const terms = readTerms(termsBytes);
  announce(client, terms, proof, announced);
  const { statement } = proof;
  if (other) checkOther(client, terms, statement, other);
  checkClock(client, now);
  if (now < announced) {
    const [signing, next] = client.sets;
    return { outcome: 'restarted', block_number: client.number, block_hash: client.hash, signing, next: next ?? null };
  }
  require(now - announced >= terms.delay * 1000n, 'RECOVER-8');
  checkAge(client, now);
  const { reset_number: number, reset_hash: hash, set } = statement;
  return { outcome: 'crossed', block_number: number, block_hash: hash, signing: set.id, next: null };
}
