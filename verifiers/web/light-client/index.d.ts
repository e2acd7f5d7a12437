/** What is trusted. */
export interface Status {
  genesisHash: Uint8Array;
  mode: Mode;
  /** Number and hash of the newest block. */
  block: number;
  hash: Uint8Array;
  /** Root over the blocks before it, where a proof of it is known. */
  mmrRoot?: Uint8Array;
  /** The set that signs, how many validators it has, and how many of them make a proof. */
  set: bigint;
  validators: number;
  threshold: number;
  /** The newest set that is trusted, and how many validators it has. */
  latestSet: bigint;
  latestLength: number;
  nextSet?: bigint;
}

/** A block that was proven. */
export interface Head {
  block: number;
  hash: Uint8Array;
  mmrRoot: Uint8Array;
  set: bigint;
  /** How many signed, of how many; bit `i` of `bitfield` stands for validator `i`, the lowest bit of a byte first. */
  signers: number;
  of: number;
  bitfield: Uint8Array;
  /** The set that it names as the next one, when it is a handoff. */
  nextSet?: bigint;
  /** Length of the proof, without keys of a next set. */
  bytes: number;
  /** Milliseconds that its verification took. */
  ms: number;
  /** Who sent it; nobody when `verify` was given it. */
  endpoint?: string;
  /** The proof, where it did not come in a list of handoffs. */
  proof?: Uint8Array;
}

/** Whether the keys of sets are kept: `full` has the shortest proofs, `stateless` the smallest state. */
export type Mode = "full" | "stateless";

/** A checkpoint, as `duet-light status --checkpoint` prints it. */
export interface Checkpoint {
  genesis_hash: string;
  block_number: number;
  block_hash: string;
  current: Keyset;
  next: Keyset;
}

/** A commitment to a set. */
export interface Keyset {
  id: number;
  len: number;
  root: string;
  apk1: string;
}

/** Where what is trusted is kept. Whoever can write there decides what the client trusts. */
export interface Storage {
  load(): Promise<Uint8Array | undefined>;
  save(bytes: Uint8Array): Promise<void>;
}

export interface Options {
  /** Which chain: 0x and 64 hexadecimal digits, or 32 bytes. */
  genesisHash?: string | Uint8Array;
  /**
   * The block to begin at instead of the genesis: its hash, from somebody you trust; 0x and 64 hexadecimal digits, or 32 bytes. For
   * a chain that took Duet up later, and after a reset. What is kept in `storage` goes before it when it is newer. Not with `checkpoint`.
   */
  startHash?: string | Uint8Array;
  /** Where to begin instead of at genesis; JSON or the object. */
  checkpoint?: Checkpoint | string;
  /** Addresses of nodes, `ws://` or `wss://`, 1 to 16. All are followed at once; two of different people are wise. */
  endpoints: string[];
  /** `stateless` when absent. */
  mode?: Mode;
  /** Nothing is kept when absent. */
  storage?: Storage;
  /** Whether it runs in a worker; it does when absent. */
  worker?: boolean;
  /** Milliseconds: until an answer is given up, until a chain without new proofs is a fault, how far an endpoint may be behind the others, how long `ready` waits for them, and after how long without any proven head it is rejected. */
  times?: { requestTimeout?: number; stallAfter?: number; lagAfter?: number; settleAfter?: number; readyWithin?: number };
}

/** How something about a block is proven. */
export interface UnderBlock {
  /** Under which block it was read. */
  block: number;
  hash: Uint8Array;
  endpoint: string;
  /** Bytes of all parts of the proof, without that of finality. */
  proofBytes: number;
  header: Uint8Array;
  /** Bytes of the path from the newest block to this one; 0 for the newest. */
  history: number;
}

/** How something that was read from the state is proven. */
export interface Proven extends UnderBlock {
  /** The trie nodes. */
  nodes: Uint8Array[];
}

/** Which block: its number or its hash (0x and 64 digits, or 32 bytes); the newest proven one when absent. */
export type At = number | string | Uint8Array;

export interface ReadOptions {
  /** Milliseconds to wait for the proof of a block that is newer than the newest proven one; none when absent. */
  within?: number;
}

export interface AtOptions extends ReadOptions {
  at?: At;
}

/** An account; amounts in the chain's smallest unit. */
export interface Account extends Proven {
  account: string;
  exists: boolean;
  nonce: number;
  free: bigint;
  reserved: bigint;
  frozen: bigint;
}

/** An entry of the state; no value where the state provably has none. */
export interface Entry extends Proven {
  key: string;
  value?: Uint8Array;
}

/** Several entries of the state, all of one block. */
export interface Entries extends Proven {
  /** As asked, in that order; no value where the state provably has none. */
  entries: { key: string; value?: Uint8Array }[];
}

/** What stands for all entries under a prefix. */
export interface MerkleValue extends Proven {
  /** A hash of 32 bytes, or a trie node that is shorter; nothing when there are no entries. */
  merkleValue?: Uint8Array;
}

/** Headers that lead to a proven block, oldest first. */
export interface Headers {
  headers: { number: number; hash: Uint8Array; header: Uint8Array }[];
  /** The last of them. */
  block: number;
  hash: Uint8Array;
  endpoint: string;
}

/** What a node answered, as it came. Nothing in it is verified. */
export interface Unverified<T = unknown> {
  result?: T;
  error?: { code: number; message: string; data?: unknown };
  endpoint: string;
}

/** What a node pushes, as it came; after an `error` nothing does. Nothing in it is verified. */
export type Pushed<T = unknown> = { value: T; error?: undefined } | { value?: undefined; error: { message: string } };

/** A subscription that was handed on. */
export interface Subscription {
  endpoint: string;
  /** Why the node refused; then nothing is pushed. */
  error?: { code: number; message: string; data?: unknown };
  end(): void;
}

/** The extrinsics of a block. */
export interface Body extends UnderBlock {
  /** All of them in their order, each as its SCALE encoding with its length in front. */
  extrinsics: Uint8Array[];
}

/** Whether a block has a transaction. It says nothing of whether its call succeeded. */
export interface Transaction extends UnderBlock {
  /** Its hash, as asked. */
  transaction: string;
  /** Without it, the block provably has none with this hash. */
  included: boolean;
  /** Its position among the extrinsics of the block, from 0 on. */
  index?: number;
  /** Its bytes, with their length in front. */
  value?: Uint8Array;
}

/** A header. */
export interface Block {
  number: number;
  hash: Uint8Array;
  parentHash?: Uint8Array;
  stateRoot: Uint8Array;
  extrinsicsRoot: Uint8Array;
  header: Uint8Array;
  endpoint: string;
  proofBytes: number;
  history: number;
}

/** An error: which rule broke, who is to blame, and what to do next. */
export class DuetError extends Error {
  verdict: "lied" | "other_chain" | "incompatible" | "unreachable" | "incomplete" | "reset" | "later_start" | "stalled" | "refused" | "storage" | "fatal";
  /** The broken rule, as `docs/spec` numbers it. */
  rule?: string;
  culprit?: "sender" | "validators" | "caller" | "nobody";
  nextStep?: "leave-sender" | "check-trusted-hash" | "fetch-handoff-proofs" | "fetch-keys" | "new-checkpoint" | "go-on" | "stop";
  endpoint?: string;
  /** Of a `reset`: where the chain goes on, as the endpoint says. Begin from it only when people whom you trust confirm its block. */
  checkpoint?: Checkpoint;
  /** Of a `later_start`: where the chain took Duet up, as the endpoint says. Give it as `startHash` only when people whom you trust confirm it. */
  start?: { block: number; hash: string };
  expected?: string;
  got?: string;
  /** The set to fetch from. */
  set?: bigint;
  /** Two proofs that hold and cannot both be true: keep them as evidence. */
  first?: Uint8Array;
  second?: Uint8Array;
}

export interface LightClient {
  /**
   * Resolves when a head is proven and the other endpoints had their chance to show a newer one. Is rejected when none is
   * proven within `times.readyWithin`, with an error that names every endpoint; then all are tried on, and this is another
   * promise. Is rejected for good with the verdict `fatal` when no honest endpoint is left.
   */
  readonly ready: Promise<Status>;
  /** The newest block that is trusted. */
  readonly head: Head | Status | undefined;
  /** Calls back; what is returned ends that. */
  on(name: "start", listener: (status: Status) => void): () => void;
  on(name: "ready", listener: (status: Status) => void): () => void;
  on(name: "head", listener: (head: Head) => void): () => void;
  on(name: "set", listener: (set: { set: bigint; validators: number; block: number }) => void): () => void;
  on(name: "checkpoint", listener: (checkpoint: Checkpoint) => void): () => void;
  on(name: "fault", listener: (fault: DuetError) => void): () => void;
  /** Verifies a proof from anywhere, and goes on from it; `undefined` when its block is trusted already. */
  verify(bytes: Uint8Array, form?: "justification" | "handoff" | "stateless"): Promise<Head | undefined>;
  checkpoint(): Promise<Checkpoint>;
  /** An account by SS58 address, 0x and 64 digits, or 32 bytes. */
  account(account: string | Uint8Array, options?: AtOptions): Promise<Account>;
  storage(key: string | Uint8Array, options?: AtOptions): Promise<Entry>;
  /** At most 1 024 keys, all read under one block. */
  entries(keys: (string | Uint8Array)[], options?: AtOptions): Promise<Entries>;
  /**
   * All entries under a prefix, in the order of their keys: that there are no others is proven. Where there are 1 000 and more
   * it is refused, with `got` "more".
   */
  under(prefix: string | Uint8Array, options?: AtOptions): Promise<Entries & MerkleValue>;
  /** The hash that stands for all entries under a prefix: it changes when one of them does. */
  merkleValue(prefix: string | Uint8Array, options?: AtOptions): Promise<MerkleValue>;
  /** The header of a block. Of a hash it is proven that it is final: another block of that number is refused by STATE-3. */
  block(at?: At, options?: ReadOptions): Promise<Block>;
  /** The extrinsics of a block. */
  body(at?: At, options?: ReadOptions): Promise<Body>;
  /** Whether a block has the transaction with this hash: 0x and 64 digits, or 32 bytes. */
  transaction(hash: string | Uint8Array, options?: AtOptions): Promise<Transaction>;
  /** The headers from a number to a block, at most 256, proven by the hashes that they name. One request for each. */
  headers(from: number, to?: At, options?: ReadOptions): Promise<Headers>;
  /** BLAKE2b, 16, 32 or 64 bytes long. */
  blake2b(bytes: Uint8Array, length: 16 | 32 | 64): Promise<Uint8Array>;
  /**
   * Hands a request on to a node in good standing; at most 256 at once. An answer over 16 MiB, or that is no JSON-RPC, is
   * that endpoint's fault. `again` asks another one when the connection breaks: not for what may be done only once.
   */
  request<T = unknown>(method: string, params?: unknown[], options?: { again?: boolean }): Promise<Unverified<T>>;
  /** Hands a subscription on; at most 64 at once, and 1 000 pushes a second. It ends with its connection. */
  subscribe<T = unknown>(method: string, params: unknown[], unsubscribe: string, listener: (pushed: Pushed<T>) => void): Promise<Subscription>;
  destroy(): Promise<void>;
}

/** Starts a light client. */
export function create(options: Options): LightClient;

/** Keeps what is trusted in this browser's IndexedDB. Only in browsers. */
export function indexedDb(name: string): Storage;
/** Keeps what is trusted in this browser's localStorage. Only in browsers. */
export function localStorage(name: string): Storage;
/** Keeps what is trusted in a file. Only in Node. */
export function file(path: string): Storage;

/** Text from outside, on one line, escaped and cut, fit to be shown. */
export function shown(text: string): string;
export function toHex(bytes: Uint8Array): string;
/** `undefined` when the text is not 0x and pairs of hexadecimal digits. */
export function fromHex(text: string): Uint8Array | undefined;
