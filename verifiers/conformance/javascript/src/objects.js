// The objects of docs/spec/formats.md, read from their bytes.

import { concat, hex, littleEndianBytes, same, text } from './bytes.js';
import { require } from './broken.js';
import { decodeAll, Reader } from './scale.js';

export const MAX_VALIDATORS = 100_000;
const MAX_NON_SIGNERS = 33_333;
const MAX_MULTIPROOF = 50_000;
const MAX_ACCUSED = 256;
const MAX_TRIE_NODES = 97;
const MAX_TRIE_BYTES = 65_536;

const keysetCommitment = (from) => ({
  id: from.u64(),
  len: from.u32(),
  root: from.take(32),
  apk1: from.take(48),
});

export const keysets = (from) => ({ current: keysetCommitment(from), next: keysetCommitment(from) });

const commitment = (from) => ({
  block_number: from.u32(),
  block_hash: from.take(32),
  mmr_root: from.take(32),
  validator_set_id: from.u64(),
  next: keysetCommitment(from),
});

const payload = (from) => ({
  mmr_root: from.take(32),
  validator_set_id: from.u64(),
  next: keysetCommitment(from),
});

function mmrLeaf(from) {
  const version = from.u8();
  require(version === 0, 'ENC-6');
  return { version, parent_number: from.u32(), parent_hash: from.take(32), extra: from.take(32) };
}

const vote = (from) => ({
  commitment: commitment(from),
  signer: from.u32(),
  signature: from.take(112),
});

const justification = (from) => ({
  commitment: commitment(from),
  signers: from.byteList(MAX_VALIDATORS / 8),
  signature: from.take(48),
  apk2: from.take(96),
});

const hashes = (from) => from.list(32, MAX_MULTIPROOF);
const keys = (from) => from.list(48, MAX_VALIDATORS);

const stateless = (from) => ({
  justification: justification(from),
  non_signers: from.list(48, MAX_NON_SIGNERS),
  multiproof: hashes(from),
});

const drill = (from) => ({
  block_number: from.u32(),
  block_hash: from.take(32),
  signature: from.take(112),
});

const recoveryTerms = (from) => ({ set: keysetCommitment(from), delay: from.u64() });

const recoveryStatement = (from) => ({
  recovery_set: from.u64(),
  block_number: from.u32(),
  block_hash: from.take(32),
  ended: from.u64(),
  reset_number: from.u32(),
  reset_hash: from.take(32),
  set: keysetCommitment(from),
});

const recoveryVote = (from) => ({
  statement: recoveryStatement(from),
  signer: from.u32(),
  pk2: from.take(96),
  signature: from.take(48),
});

const recoveryProof = (from) => ({
  statement: recoveryStatement(from),
  signers: from.byteList(MAX_VALIDATORS / 8),
  signature: from.take(48),
  apk2: from.take(96),
  non_signers: from.list(48, MAX_NON_SIGNERS),
  multiproof: hashes(from),
});

/** RECOVER-9 */
function recoveryAccusation(from) {
  const kind = from.u8();
  require(kind <= 1, 'ENC-6');
  const signed = kind === 0 ? { vote: recoveryVote(from) } : { proof: recoveryProof(from) };
  const accused = from.list(52, MAX_ACCUSED).map((bytes) => {
    const one = new Reader(bytes);
    return { signer: one.u32(), key: one.take(48) };
  });
  return { ...signed, accused, membership: hashes(from) };
}

const handoff = (from) => ({ justification: justification(from), next_keys: keys(from) });

function startProof(from) {
  const header = from.byteList();
  const count = from.compact();
  require(count <= MAX_TRIE_NODES, 'ENC-6');
  let room = MAX_TRIE_BYTES;
  const nodes = Array.from({ length: count }, () => {
    const node = from.byteList(room);
    room -= node.length;
    return node;
  });
  return { header, nodes, keys: keys(from) };
}

const signedCommitment = (from) => ({ commitment: commitment(from), signature: from.take(112) });

const evidence = (from) => ({
  signer: from.u32(),
  key: from.take(48),
  membership: hashes(from),
  first: signedCommitment(from),
  second: signedCommitment(from),
});

const checkpoint = (from) => ({
  genesis_hash: from.take(32),
  block_number: from.u32(),
  block_hash: from.take(32),
  ...keysets(from),
});

/** What a header announces, by the number of its variant. (CHAIN-2, CHAIN-7, RESET-2, ROUND-11) */
const LOGS = {
  1: (log) => ({ planned: keysetCommitment(log) }),
  2: (log) => ({ activated: log.u64() }),
  3: (log) => ({ reset: { ended: log.u64(), set: keysetCommitment(log) } }),
  4: (log) => ({ payload: log.take(32) }),
  5: (log) => ({ rules: { version: log.u16(), min_delta: log.u32() } }),
  6: (log) => ({ pardoned: { first_block: log.u32(), last_block: log.u32(), first_set: log.u64(), last_set: log.u64() } }),
};

/** CHAIN-2 */
function digestItem(from) {
  require(from.u8() === 4 && same(from.take(4), text('DUET')), 'ENC-6');
  const log = new Reader(from.byteList());
  const variant = log.u8();
  const read = LOGS[variant];
  require(read !== undefined, 'ENC-6');
  const item = read(log);
  require(log.left === 0, 'ENC-6');
  return item;
}

/** GOSSIP-1 */
function gossipMessage(from) {
  const kind = from.u8();
  require(kind <= 1, 'ENC-6');
  return kind === 0 ? { vote: vote(from) } : { justification: justification(from) };
}

const request = (from) => ({ first_set: from.u64(), count: from.u8() });

function historyRequest(from) {
  const kind = from.u8();
  require(kind <= 1, 'ENC-6');
  return kind === 0 ? { first_set_proof: true } : request(from);
}

const READERS = {
  KeysetCommitment: keysetCommitment,
  Keysets: keysets,
  Commitment: commitment,
  CommitmentPayload: payload,
  MmrLeaf: mmrLeaf,
  Vote: vote,
  Justification: justification,
  MerkleProof: (from) => ({ hashes: hashes(from) }),
  Keys: (from) => ({ keys: keys(from) }),
  StatelessProof: stateless,
  HandoffProof: handoff,
  StartProof: startProof,
  EquivocationProof: evidence,
  Checkpoint: checkpoint,
  DigestItem: digestItem,
  GossipMessage: gossipMessage,
  JustificationsRequest: request,
  HistoryRequest: historyRequest,
  Drill: drill,
  RecoveryTerms: recoveryTerms,
  RecoveryVote: recoveryVote,
  RecoveryProof: recoveryProof,
  RecoveryAccusation: recoveryAccusation,
};

/** The most bytes that are looked at. */
const LONGEST = {
  Justification: 13_524,
  StatelessProof: 9_600_000,
  HandoffProof: 4_813_528,
  Keys: 4_800_004,
  StartProof: 14_400_000,
};

export function decode(type, bytes) {
  require(bytes.length <= (LONGEST[type] ?? Infinity), 'ENC-6');
  return decodeAll(bytes, READERS[type]);
}

const encodeKeyset = ({ id, len, root, apk1 }) =>
  concat(littleEndianBytes(id, 8), littleEndianBytes(len, 4), root, apk1);

export const encodeCommitment = (it) =>
  concat(
    littleEndianBytes(it.block_number, 4),
    it.block_hash,
    it.mmr_root,
    littleEndianBytes(it.validator_set_id, 8),
    encodeKeyset(it.next),
  );

export const sameKeyset = (one, other) => same(encodeKeyset(one), encodeKeyset(other));
export const sameCommitment = (one, other) => same(encodeCommitment(one), encodeCommitment(other));
export { encodeKeyset };

/** An object as the vectors write it: bytes in hex, numbers of 64 bits as text. */
export function shown(value) {
  if (value instanceof Uint8Array) return hex(value);
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(shown);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shown(field)]));
  }
  return value;
}
