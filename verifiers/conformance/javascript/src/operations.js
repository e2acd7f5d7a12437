// The operations of verifiers/conformance/README.md: each takes the input of a case, and gives its outputs or throws the broken rule.

import { checkAge } from './age.js';
import { concat, littleEndianBytes } from './bytes.js';
import { Broken, under } from './broken.js';
import * as client from './client.js';
import * as curve from './curve.js';
import { checkExtrinsics, positionOf } from './extrinsics.js';
import { decode, encodeKeyset, shown } from './objects.js';
import * as proofs from './proofs.js';
import * as recovery from './recovery.js';
import * as rounds from './rounds.js';
import { compact, decodeAll } from './scale.js';
import { checkHeader, checkOlder, readState } from './state.js';

const keysOf = (bytes) => decode('Keys', bytes).keys;

/** The set of a case, which is trusted. */
const trustedSet = ({ commitment, keys }) =>
  proofs.checkKeys(decode('KeysetCommitment', commitment), keysOf(keys));

function justification(input) {
  const proof = decode('Justification', input.justification);
  const prepared = proofs.prepare(input.genesis_hash, trustedSet(input), proof);
  const { answers, signers } = proofs.verify(prepared);
  return { signers: signers.length, ...answers };
}

function statelessProof(input) {
  const proof = decode('StatelessProof', input.proof);
  const set = decode('KeysetCommitment', input.commitment);
  const prepared = proofs.verify(proofs.prepareStateless(input.genesis_hash, set, proof));
  return { signers: prepared.signers.length, non_signers: prepared.nonSigners.length };
}

function evidence(input) {
  const found = decode('EquivocationProof', input.evidence);
  const set = decode('KeysetCommitment', input.commitment);
  proofs.checkEvidence(input.genesis_hash, set, found);
  return { signer: found.signer, key: found.key, block_number: found.first.commitment.block_number };
}

function vote(input) {
  const one = decode('Vote', input.vote);
  const hash = proofs.checkVote(input.genesis_hash, trustedSet(input), one);
  return { signer: one.signer, point: curve.encode(hash) };
}

/** The set of a case with both halves of its keys. */
function dualSet({ commitment, dual_keys: dualKeys }) {
  const keys = decodeAll(dualKeys, (from) => from.list(144, Infinity));
  const firsts = keys.map((key) => key.subarray(0, 48));
  const set = proofs.checkKeys(decode('KeysetCommitment', commitment), firsts);
  return { ...set, seconds: keys.map((key) => key.subarray(48)) };
}

const made = (proof) => ({ justification: rounds.encodeJustification(proof), signers: rounds.signersIn(proof) });
const votesOf = ({ votes }) => votes.map((bytes) => decode('Vote', bytes));

function addVotes(input) {
  const commitment = decode('Commitment', input.message);
  return made(rounds.addVotes(input.genesis_hash, dualSet(input), commitment, votesOf(input)));
}

function extend(input) {
  const proof = decode('Justification', input.justification);
  return made(rounds.extend(input.genesis_hash, dualSet(input), proof, votesOf(input)));
}

function multiproof({ root, len, positions, keys, proof }) {
  const { hashes } = decode('MerkleProof', proof);
  proofs.checkMultiproof(root, len, positions, keysOf(keys), hashes);
  return {};
}

function proveMembers({ keys, positions }) {
  const hashes = proofs.proveMembers(keysOf(keys), positions);
  return { proof: concat(compact(hashes.length), ...hashes) };
}

const possessed = ({ t, ...rest }) => ({ t: littleEndianBytes(t, 32), ...rest });
const possession = ({ key, owner, proof }) => possessed(proofs.checkPossession(key, owner, proof));

function recoveryPossession({ genesis_hash: genesisHash, account, key, proof }) {
  return possessed(recovery.checkPossession(genesisHash, account, key, proof));
}

function drill(input) {
  const { signature, ...block } = decode('Drill', input.drill);
  recovery.checkDrill(input.genesis_hash, input.account, input.key, { signature, ...block });
  return block;
}

function recoveryVote(input) {
  const one = decode('RecoveryVote', input.vote);
  const hash = recovery.checkVote(input.genesis_hash, trustedSet(input), one);
  return { signer: one.signer, point: curve.encode(hash) };
}

function recoveryProof(input) {
  const proof = decode('RecoveryProof', input.proof);
  const set = decode('KeysetCommitment', input.commitment);
  const { signers, nonSigners, hash } = recovery.checkProof(input.genesis_hash, set, proof);
  return { signers: signers.length, non_signers: nonSigners.length, point: curve.encode(hash) };
}

function recoveryAccusation(input) {
  const accusation = decode('RecoveryAccusation', input.accusation);
  const set = decode('KeysetCommitment', input.commitment);
  recovery.checkAccusation(input.genesis_hash, set, accusation);
  return { accused: accusation.accused.map(({ signer }) => signer) };
}

function signing({ seed, genesis_hash: genesisHash, commitment }) {
  return proofs.sign(seed, genesisHash, decode('Commitment', commitment));
}

function signedMessage({ genesis_hash: genesisHash, commitment }) {
  const message = decode('Commitment', commitment);
  return {
    signed_bytes: proofs.signedBytes(genesisHash, message),
    point: curve.encode(proofs.messagePoint(genesisHash, message)),
  };
}

function begin(start, mode) {
  if (start.checkpoint) return client.fromCheckpoint(start.checkpoint, mode);
  const { genesis_hash: genesisHash, start_hash: startHash } = start;
  if (startHash) return client.fromStart(genesisHash, startHash, start.start_proof, mode);
  return client.fromStart(genesisHash, genesisHash, start.genesis_proof, mode);
}

/** What a scenario has reached, and the rule that ended it, if one did. */
function reach({ start, mode, steps }) {
  const reached = { outcomes: [], trusted: undefined, rule: undefined };
  try {
    reached.trusted = begin(start, mode);
    for (const { form, bytes, set } of steps) {
      const next =
        form === 'keys'
          ? client.withKeys(reached.trusted, BigInt(set), keysOf(bytes))
          : client.verifyUpdate(reached.trusted, client.readUpdate(form, bytes));
      reached.outcomes.push(form === 'keys' ? 'keys' : next ? 'new' : 'known');
      reached.trusted = next ?? reached.trusted;
    }
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    reached.rule = error.rule;
  }
  return reached;
}

function answer({ outcomes, trusted, rule }) {
  const state = trusted && {
    block_number: trusted.best.number,
    block_hash: trusted.best.hash,
    signing: trusted.signing.commitment.id,
    next: trusted.next ? trusted.next.commitment.id : null,
  };
  const verdict = rule === undefined ? { valid: true } : { valid: false, rule };
  return { ...verdict, outcomes, trusted: state ?? null };
}

function followTogether(input) {
  const { trusted: start } = reach(input);
  const updates = input.together.map(({ form, bytes }) => client.readUpdate(form, bytes));
  const states = client.verifyTogether(start, updates);
  const trusted = states.at(-1) ?? start;
  let rule;
  try {
    if (states.length < updates.length) client.verifyUpdate(trusted, updates[states.length]);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    rule = error.rule;
  }
  return answer({ outcomes: states.map(() => 'new'), trusted, rule });
}

function read(input) {
  let block = client.newestBlock(reach(input).trusted);
  if (input.older) {
    const { leaf, leaf_index: index, leaf_count: leaves, hashes } = input.older;
    block = checkOlder(block, { leaf, index: BigInt(index), leaves: BigInt(leaves), hashes });
  }
  const outputs = { block_number: block.number, block_hash: block.hash };
  if (!input.header) return outputs;
  const header = checkHeader(block, input.header);
  outputs.parent_hash = block.number === 0 ? null : header.parentHash;
  outputs.state_root = header.stateRoot;
  outputs.extrinsics_root = header.extrinsicsRoot;
  if (input.extrinsics) {
    checkExtrinsics(header.extrinsicsRoot, input.extrinsics);
    if (input.transaction) outputs.index = positionOf(input.transaction, input.extrinsics);
  }
  if (!input.keys) return outputs;
  const values = readState(input.nodes, header.stateRoot, input.keys, 'STATE-2');
  return { ...outputs, values: values.map((value) => value ?? null) };
}

function age({ block_number: number, block_hash: hash, header, nodes, now, given }) {
  const clock = { now: BigInt(now), given: given === undefined ? undefined : BigInt(given) };
  return checkAge({ number, hash }, { header, nodes, ...clock });
}

const numbers = (...texts) => texts.filter((number) => number !== undefined).map(BigInt);

function cross(input) {
  const client = {
    genesisHash: input.genesis_hash,
    number: input.block_number,
    hash: input.block_hash,
    sets: numbers(input.signing, input.next),
    time: numbers(input.time)[0],
    periods: numbers(input.trusting_period),
  };
  const [announced, now] = numbers(input.announced, input.now);
  const proof = decode('RecoveryProof', input.proof);
  const other = input.other && decode('RecoveryProof', input.other);
  return recovery.cross(client, { terms: input.terms, proof, other, announced, now });
}

const ANSWERS = { follow: (input) => answer(reach(input)), follow_together: followTogether };

const OUTPUTS = {
  point: ({ group, bytes }) => (group === 'G1' ? curve.g1(bytes) : curve.g2(bytes), {}),
  key: ({ key }) => under('KEY-1', () => (curve.g1(key.subarray(0, 48)), curve.g2(key.subarray(48)), {})),
  message_point: ({ suite, message }) => ({ point: curve.encode(curve.hashToG1(suite, message)) }),
  signed_message: signedMessage,
  scalar_hash: ({ parts }) => ({ scalar: littleEndianBytes(curve.hashToScalar(...parts), 32) }),
  weights: ({ digests }) => ({ weights: proofs.weights(digests) }),
  signing,
  possession,
  threshold: ({ members }) => ({ signers: proofs.threshold(members) }),
  keyset: (input) => ({
    threshold: proofs.threshold(
      proofs.checkKeys(decode('KeysetCommitment', input.commitment), keysOf(input.keys)).points.length,
    ),
  }),
  commit_to_keys: ({ id, keys }) => ({
    commitment: encodeKeyset(proofs.commitToKeys(BigInt(id), keysOf(keys))),
  }),
  prove_members: proveMembers,
  multiproof,
  vote,
  evidence,
  justification,
  stateless_proof: statelessProof,
  add_votes: addVotes,
  extend,
  publishers: ({ commitment, members }) => ({ order: rounds.publishers(decode('Commitment', commitment), members) }),
  object: ({ type, bytes }) => ({ fields: decode(type, bytes) }),
  read,
  age,
  recovery_possession: recoveryPossession,
  drill,
  recovery_vote: recoveryVote,
  recovery_proof: recoveryProof,
  recovery_accusation: recoveryAccusation,
  cross,
};

/** The operations that this verifier does. */
export const OPERATIONS = new Set([...Object.keys(ANSWERS), ...Object.keys(OUTPUTS)]);

/** The answer of a case, as the vectors write it. */
export function run(operation, input) {
  if (operation in ANSWERS) return shown(ANSWERS[operation](input));
  try {
    return { valid: true, ...shown(OUTPUTS[operation](input)) };
  } catch (error) {
    if (error instanceof Broken) return { valid: false, rule: error.rule };
    throw error;
  }
}
