// A light client: from a trusted state to the next. (LIGHT-1 to LIGHT-7)

import { blake2, same, unhex } from './bytes.js';
import { Broken, require, under } from './broken.js';
import * as curve from './curve.js';
import { decode, keysets, MAX_VALIDATORS, sameCommitment, sameKeyset } from './objects.js';
import { allHold, checkKeys, prepare, prepareStateless, verify } from './proofs.js';
import { decodeAll } from './scale.js';
import { readHeader, readState } from './state.js';

/** `twox_128("Duet") ‖ twox_128("Keysets")` */
const KEYSETS_KEY = unhex('0xae5a543b37564ca242e71af4200f32a19dcb75a6220d974dec966d1500eff350');

/** `twox_128("Duet") ‖ twox_128("Ended")` */
const ENDED_KEY = unhex('0xae5a543b37564ca242e71af4200f32a188bc74ebbbfe468237fcb5eaf26af21c');

const hasMembers = ({ len }) => len >= 1 && len <= MAX_VALIDATORS;

/** LIGHT-5: a set is followed by itself, or by the one with the next id. */
const follows = (current, next) =>
  sameKeyset(current, next) || (next.id === current.id + 1n && hasMembers(next));

const isHandoff = (commitment) => commitment.next.id !== commitment.validator_set_id;

function begin({ genesisHash, mode, number, hash, current, next, keys }) {
  return {
    genesisHash,
    mode,
    best: { number, hash, proof: undefined },
    signing: { commitment: current, keys },
    next: sameKeyset(current, next) ? undefined : { commitment: next, keys: undefined },
  };
}

const isGenesis = ({ number, parentHash }) => number === 0 && parentHash.every((byte) => byte === 0);

/** LIGHT-2: the sets in the state of the start block, none of which was ended; at the genesis none can be. */
function setsIn(nodes, { number, stateRoot }) {
  const keys = number === 0 ? [KEYSETS_KEY] : [KEYSETS_KEY, ENDED_KEY];
  const [value, ended] = readState(nodes, stateRoot, keys, 'LIGHT-2');
  require(ended === undefined || same(ended, Uint8Array.of(0)), 'LIGHT-2');
  return under('LIGHT-2', () => decodeAll(value ?? new Uint8Array(), keysets));
}

/** LIGHT-1 to LIGHT-3 */
export function fromStart(genesisHash, startHash, bytes, mode) {
  const proof = decode('StartProof', bytes);
  require(same(blake2(proof.header), startHash), 'LIGHT-1');
  const header = readHeader(proof.header);
  require(header !== undefined, 'LIGHT-1');
  require(same(startHash, genesisHash) ? isGenesis(header) : header.number > 0, 'LIGHT-1');
  const { current, next } = setsIn(proof.nodes, header);
  const keys = under('LIGHT-3', () => checkKeys(current, proof.keys));
  require(follows(current, next), 'LIGHT-2');
  const kept = mode === 'full' ? keys : undefined;
  return begin({ genesisHash, mode, number: header.number, hash: startHash, current, next, keys: kept });
}

export function fromCheckpoint(bytes, mode) {
  const checkpoint = decode('Checkpoint', bytes);
  const { current, next } = checkpoint;
  for (const set of [current, next]) {
    require(hasMembers(set), 'SET-1');
    under('KEY-1', () => curve.g1(set.apk1));
  }
  require(follows(current, next), 'LIGHT-5');
  const { genesis_hash: genesisHash, block_number: number, block_hash: hash } = checkpoint;
  return begin({ genesisHash, mode, number, hash, current, next, keys: undefined });
}

const sets = (trusted) => [trusted.signing, trusted.next].filter((set) => set !== undefined);
const setOf = (trusted, id) => sets(trusted).find((set) => set.commitment.id === id);

/** LIGHT-3: the keys of a trusted set. */
export function withKeys(trusted, id, keys) {
  const set = trusted.mode === 'full' ? setOf(trusted, id) : undefined;
  require(set !== undefined, 'LIGHT-3');
  const known = { ...set, keys: under('LIGHT-3', () => checkKeys(set.commitment, keys)) };
  return set === trusted.signing ? { ...trusted, signing: known } : { ...trusted, next: known };
}

const FORMS = { justification: 'Justification', handoff: 'HandoffProof', stateless: 'StatelessProof' };

export function readUpdate(form, bytes) {
  const object = decode(FORMS[form], bytes);
  const justification = form === 'justification' ? object : object.justification;
  return { form, object, justification, nextKeys: object.next_keys };
}

/** JUST-1 to JUST-4, STATELESS-1, STATELESS-2, and the points of the equation. */
function wellFormed(trusted, set, update) {
  if (update.form === 'stateless') {
    return prepareStateless(trusted.genesisHash, set.commitment, update.object);
  }
  require(set.keys !== undefined, 'LIGHT-3');
  return prepare(trusted.genesisHash, set.keys, update.justification);
}

/** LIGHT-7: whether the proof holds for a trusted set whose id it does not name. */
function holdsUnder(trusted, set, update) {
  const commitment = { ...update.justification.commitment, validator_set_id: set.commitment.id };
  const justification = { ...update.justification, commitment };
  try {
    verify(wellFormed(trusted, set, { ...update, justification, object: { ...update.object, justification } }));
    return true;
  } catch (error) {
    if (error instanceof Broken) return false;
    throw error;
  }
}

function beforeEquation(trusted, update) {
  const { block_number: number, validator_set_id: id } = update.justification.commitment;
  require(number >= trusted.best.number, 'LIGHT-4');
  require(id >= trusted.signing.commitment.id, 'LIGHT-5');
  const set = setOf(trusted, id);
  require(set !== undefined, 'LIGHT-6');
  return { set, prepared: wellFormed(trusted, set, update) };
}

/** The rule that two signed commitments break together, if they do. */
function conflict(one, other) {
  if (sameCommitment(one, other)) return undefined;
  if (one.block_number === other.block_number) return 'LIGHT-4';
  const [earlier, later] = one.block_number < other.block_number ? [one, other] : [other, one];
  if (earlier.validator_set_id > later.validator_set_id) return 'LIGHT-5';
  if (earlier.validator_set_id < later.validator_set_id || !isHandoff(earlier)) return undefined;
  return sameKeyset(earlier.next, later.next) ? undefined : 'LIGHT-5';
}

/** The same with a checkpoint, of which no proof is known. */
function conflictWithCheckpoint({ best, signing, next }, commitment) {
  if (commitment.block_number === best.number && !same(commitment.block_hash, best.hash)) return 'LIGHT-4';
  const bySigning = next !== undefined && commitment.validator_set_id === signing.commitment.id;
  return bySigning && !sameKeyset(commitment.next, next.commitment) ? 'LIGHT-5' : undefined;
}

/** What the validators signed, and the state that it leads to. Counts only when the equation holds. */
function afterEquation(trusted, set, update) {
  const { commitment } = update.justification;
  require(follows(set.commitment, commitment.next), 'LIGHT-5');
  const { proof } = trusted.best;
  const broken = proof ? conflict(proof, commitment) : conflictWithCheckpoint(trusted, commitment);
  require(broken === undefined, broken);
  let next;
  if (update.nextKeys !== undefined) {
    require(isHandoff(commitment), 'LIGHT-5');
    const keys = under('LIGHT-3', () => checkKeys(commitment.next, update.nextKeys));
    next = { commitment: commitment.next, keys: trusted.mode === 'full' ? keys : undefined };
  } else if (isHandoff(commitment)) {
    const known = setOf(trusted, commitment.next.id);
    const same = known !== undefined && sameKeyset(known.commitment, commitment.next);
    next = same ? known : { commitment: commitment.next, keys: undefined };
  }
  if (commitment.block_number === trusted.best.number) return undefined;
  const { block_number: number, block_hash: hash } = commitment;
  return { ...trusted, best: { number, hash, proof: commitment }, signing: set, next };
}

/** One proof: the state after it, or nothing when it is about the block that is known. */
export function verifyUpdate(trusted, update) {
  let found;
  try {
    found = beforeEquation(trusted, update);
  } catch (error) {
    if (error.rule !== 'LIGHT-6') throw error;
    const changed = sets(trusted).some((set) => holdsUnder(trusted, set, update));
    throw changed ? new Broken('LIGHT-7') : error;
  }
  verify(found.prepared);
  return afterEquation(trusted, found.set, update);
}

/** JUST-6: the states after the first proofs that hold, by one equation. */
export function verifyTogether(trusted, updates) {
  const [states, prepared] = [[], []];
  try {
    for (const update of updates) {
      const before = states.at(-1) ?? trusted;
      const found = beforeEquation(before, update);
      const state = afterEquation(before, found.set, update);
      if (state === undefined) break;
      prepared.push(found.prepared);
      states.push(state);
    }
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
  }
  if (allHold(prepared)) return states;
  return states.slice(0, prepared.findIndex((one) => !allHold([one])));
}

/** The newest block, to read state and older blocks under it. */
export const newestBlock = ({ best }) => ({
  number: best.number,
  hash: best.hash,
  history: best.proof?.mmr_root,
});
