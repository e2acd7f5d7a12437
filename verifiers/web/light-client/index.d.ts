/**
 * A hash in what the client gives is text: `0x` and 64 hexadecimal digits, so that it can be shown, compared and stored as
 * JSON. The same name with `Bytes` has its 32 bytes. Where the client takes a hash, it takes either. `block` is always the
 * number of a block.
 */
export type Hash = `0x${string}`;

/** The trusted state. */
export interface Status {
  genesisHash: Hash;
  genesisHashBytes: Uint8Array;
  mode: Mode;
  /** Number and hash of the newest block. */
  block: number;
  hash: Hash;
  hashBytes: Uint8Array;
  /** Root over the blocks before it, if a proof of the block is known. */
  mmrRoot?: Hash;
  mmrRootBytes?: Uint8Array;
  /** The signing set, the number of its validators, and how many of them a proof needs. */
  set: bigint;
  validators: number;
  threshold: number;
  /** The newest trusted set, and the number of its validators. */
  latestSet: bigint;
  latestLength: number;
  nextSet?: bigint;
  /**
   * Time of the newest block of which it is proven, in milliseconds since 1970: this block, or an older one. So this
   * block is at most as old. A client that follows proves the time of its newest block every ten seconds.
   */
  time?: number;
  /** The chain's trusting period in seconds. */
  trustingPeriod?: number;
}

/** A proven block. */
export interface Head {
  block: number;
  hash: Hash;
  hashBytes: Uint8Array;
  mmrRoot: Hash;
  mmrRootBytes: Uint8Array;
  set: bigint;
  /** The numbers of signers and validators. Bit `i` of `bitfield` is validator `i`, the lowest bit of a byte first. */
  signers: number;
  of: number;
  bitfield: Uint8Array;
  /** The next set, if the block is a handoff. */
  nextSet?: bigint;
  /** Length of the proof, without the keys of a next set. */
  bytes: number;
  /** Duration of the verification in milliseconds. */
  ms: number;
  /** The endpoint that sent the proof; absent if the caller gave it to `verify`. */
  endpoint?: string;
  /** The proof; absent if it came in a list of handoffs. */
  proof?: Uint8Array;
  /** As `Status.time`. The event `time` tells the block's own time later. */
  time?: number;
}

/** Whether the client stores the keys of sets: `full` has the shortest proofs, `stateless` the smallest state. */
export type Mode = "full" | "stateless";

/** A checkpoint, as `duet-light status --checkpoint` prints it. */
export interface Checkpoint {
  genesis_hash: string;
  block_number: number;
  block_hash: string;
  current: Keyset;
  next: Keyset;
  /** Time of the block, or of an older one, in seconds since 1970, and the chain's trusting period in seconds. */
  time?: number;
  trusting_period?: number;
}

/** A commitment to a set. */
export interface Keyset {
  id: number;
  len: number;
  root: string;
  apk1: string;
}

/** A store for the trusted state. Anybody who can write to it decides what the client trusts. */
export interface Storage {
  load(): Promise<Uint8Array | undefined>;
  save(bytes: Uint8Array): Promise<void>;
  /** The code of the runtime, some MiB, so that the next client need not fetch it. It is checked against the chain. */
  loadCode?(): Promise<Uint8Array | undefined>;
  saveCode?(code: Uint8Array): Promise<void>;
  /** The keys that calls of the runtime read, up to 4 MiB, which the next client fetches first. Each is proven. */
  loadKeys?(): Promise<Uint8Array | undefined>;
  saveKeys?(keys: Uint8Array): Promise<void>;
}

/** A reset that is to be crossed by a recovery proof. (RECOVER-7) */
export interface Announced {
  /** The newest proven block, which the proof is about. */
  block: number;
  hash: Hash;
  hashBytes: Uint8Array;
  /** The set that the reset ended. */
  ended: bigint;
  /** The block of the reset. */
  resetBlock: number;
  resetHash: Hash;
  resetHashBytes: Uint8Array;
  /** The set that signs after it, and the number of its validators. */
  set: bigint;
  validators: number;
  /** How many seconds of the wait are left. */
  seconds: number;
  /** Whether the recovery set signed another statement about the block too, so that nobody crosses. */
  contradicted: boolean;
}

export interface Options {
  /** The genesis hash of the chain: 0x and 64 hexadecimal digits, or 32 bytes. */
  genesisHash?: string | Uint8Array;
  /**
   * The hash of the block at which to start instead of the genesis, from somebody you trust: 0x and 64 hexadecimal
   * digits, or 32 bytes. For a chain that adopted Duet after its genesis, and after a reset. A newer state in `storage`
   * has priority. Not with `checkpoint`.
   */
  startHash?: string | Uint8Array;
  /** The checkpoint at which to start instead of the genesis, as JSON or as an object. */
  checkpoint?: Checkpoint | string;
  /** URLs of 1 to 16 nodes, `ws://` or `wss://`. The client follows all. Use nodes of at least two operators. */
  endpoints: string[];
  /** Default: `stateless`. */
  mode?: Mode;
  /** Default: the client stores nothing. */
  storage?: Storage;
  /**
   * The client refuses to continue from a block that is older, in seconds: less than the chain's bonding duration.
   * Where the chain names a period too, the shorter one counts; where neither is given, no age is checked. (LIGHT-9)
   */
  trustingPeriod?: number;
  /**
   * Continues also from a block that is older than the trusting period, or whose age nobody proves, until a young block
   * is proven. Only if people whom you trust confirm the newest blocks. Default: false.
   */
  trustOldStart?: boolean;
  /**
   * Reads fail with the verdict `stale` while the newest proven block is older, in seconds by the clock here, or of
   * unknown age. A read then proves the time of this block, if that was not done yet. Default: no limit.
   */
  maxAge?: number;
  /**
   * A recovery proof, to cross a reset after the wait that the chain names (RECOVER-7, RECOVER-8): the text
   * `duet-recovery-proof:…`, or its bytes, which begin with the genesis hash. The client needs an endpoint that has the
   * state of the block that the proof is about. A wait in `storage` continues without this option.
   */
  recoveryProof?: string | Uint8Array;
  /**
   * Whether the client runs in the worker that all clients of a page share. Default: true, where workers can be started:
   * a service worker starts none.
   */
  worker?: boolean;
  /**
   * Times in milliseconds: the timeout of a request; how long a chain may have no new proof before that is a fault; how
   * long an endpoint may lag behind the others; how long `ready` waits for the other endpoints; when `ready` is
   * rejected for lack of a proven head; and how long a call of the runtime may be executed at once.
   */
  times?: { requestTimeout?: number; stallAfter?: number; lagAfter?: number; settleAfter?: number; readyWithin?: number; callTimeout?: number };
}

/** The proof of an answer about a block. */
export interface UnderBlock {
  /** The block of the answer. */
  block: number;
  hash: Hash;
  hashBytes: Uint8Array;
  endpoint: string;
  /** Bytes of all parts of the proof, except the finality proof. */
  proofBytes: number;
  header: Uint8Array;
  /** Bytes of the path from the newest block to this one; 0 for the newest. */
  history: number;
  /** `head.time` when the answer was given: also under an older block it is about the newest one. */
  headTime?: number;
}

/** The proof of an answer from the state. */
export interface Proven extends UnderBlock {
  /** The trie nodes. */
  nodes: Uint8Array[];
}

/** A block: its number or its hash (0x and 64 digits, or 32 bytes). Default: the newest proven block. */
export type At = number | string | Uint8Array;

export interface ReadOptions {
  /** How many milliseconds to wait for the proof of a block newer than the newest proven one. Default: 0. */
  within?: number;
  /** As `Options.maxAge`, for this call. */
  maxAge?: number;
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

/** An entry of the state; without `value` if the state provably has none. */
export interface Entry extends Proven {
  key: string;
  value?: Uint8Array;
}

/** The result of a call of the runtime. */
export interface Called extends Proven {
  method: string;
  /** What the function returned, in SCALE. */
  result: Uint8Array;
  /** How many proofs were fetched one after the other, not counting those of the code. */
  rounds: number;
}

/** Several entries of the state, all of one block. */
export interface Entries extends Proven {
  /** In the order of the requested keys; without `value` if the state provably has none. */
  entries: { key: string; value?: Uint8Array }[];
}

/** The Merkle value of all entries under a prefix. */
export interface MerkleValue extends Proven {
  /** A hash of 32 bytes, or a shorter trie node; absent if there are no entries. */
  merkleValue?: Uint8Array;
}

/** Headers that lead to a proven block, oldest first. */
export interface Headers {
  headers: { block: number; hash: Hash; hashBytes: Uint8Array; header: Uint8Array }[];
  /** The last of them. */
  block: number;
  hash: Hash;
  hashBytes: Uint8Array;
  endpoint: string;
  headTime?: number;
}

/** The unverified answer of a node. */
export interface Unverified<T = unknown> {
  result?: T;
  error?: { code: number; message: string; data?: unknown };
  endpoint: string;
}

/** An unverified message of a subscription. An `error` is the last message. */
export type Pushed<T = unknown> = { value: T; error?: undefined } | { value?: undefined; error: { message: string } };

/** A subscription passed on to a node. */
export interface Subscription {
  endpoint: string;
  /** The error if the node refused the subscription. */
  error?: { code: number; message: string; data?: unknown };
  end(): void;
}

/** The extrinsics of a block. */
export interface Body extends UnderBlock {
  /** All extrinsics in their order, each in SCALE with a length prefix. */
  extrinsics: Uint8Array[];
}

/** Whether a block has a transaction. `outcome` proves whether its call succeeded, too. */
export interface Transaction extends UnderBlock {
  /** The requested hash. */
  transaction: string;
  /** If false, the block provably has no transaction with this hash. */
  included: boolean;
  /** Its position among the extrinsics of the block, from 0. */
  index?: number;
  /** Its bytes, with a length prefix. */
  value?: Uint8Array;
}

/** What became of a transaction: how its call ended, what it paid, and its events. (STATE-9) */
export interface Outcome extends Transaction {
  /** Whether its call succeeded; absent if the block does not have it. Fees are paid in either case. */
  success?: boolean;
  /** Why its call failed: the error of a pallet, or another one, such as `"BadOrigin"` or `{ Arithmetic: "Underflow" }`. */
  error?: { pallet: string; error: string; docs: string; other?: undefined } | { other: unknown; pallet?: undefined };
  /** What it paid and how much of it is the tip, in the chain's smallest unit; absent where the chain tells no fee. */
  fee?: { paid: bigint; tip: bigint };
  /** Its events in their order, that of its end included. */
  events?: TransactionEvent[];
}

/**
 * An event. In `fields`, bytes are 0x-hex, larger integers than 2^53 − 1 decimal digits, a wrapper of one field is that
 * field, and a variant is its name, or an object whose one key is the name.
 */
export interface TransactionEvent {
  pallet: string;
  name: string;
  fields: unknown;
}

export interface WatchOptions {
  /** Milliseconds until the watch ends as `timed_out`. Default: 600 000. */
  timeout?: number;
  /** The first block to look into, if it is older than the newest proven one, which is the default. */
  from?: number;
  /** Ends the watch: it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Gets each proven block in which the transaction was looked for, and what each endpoint said of it, unproven. */
  progress?: (step: { block: number; endpoint?: undefined } | { block?: undefined; endpoint: string; code?: number; message?: string }) => void;
}

/** A node's refusal of a transaction, in its own words. Nothing proves them. */
export interface Rejection {
  endpoint: string;
  code: number;
  message: string;
}

/** How a watch ended: the proven outcome, or why there is none. */
export type Watched =
  /** A proven block has it. Where its outcome cannot be proven, `success` is absent, and `fault` has the reason. */
  | (Outcome & { end: "included"; fault?: DuetError })
  /** Its era is over, and the chain's proven runtime calls it invalid. */
  | (NotIncluded & { end: "expired" })
  /** Every endpoint refused it. That is what they say: a block may have it all the same. */
  | (NotIncluded & { end: "rejected"; rejections: Rejection[] })
  | (NotIncluded & { end: "timed_out" });

/** No block from `from` to `block` has the transaction, which is proven; without `block`, none was looked into. */
export interface NotIncluded {
  transaction: string;
  from: number;
  block?: number;
}

/** A header. */
export interface Block {
  block: number;
  hash: Hash;
  hashBytes: Uint8Array;
  parentHash?: Hash;
  parentHashBytes?: Uint8Array;
  stateRoot: Hash;
  stateRootBytes: Uint8Array;
  extrinsicsRoot: Hash;
  extrinsicsRootBytes: Uint8Array;
  header: Uint8Array;
  endpoint: string;
  proofBytes: number;
  history: number;
  headTime?: number;
}

/** An error: the broken rule, the culprit, and the next step. */
export class DuetError extends Error {
  verdict: "lied" | "other_chain" | "incompatible" | "unreachable" | "incomplete" | "too_large" | "reset" | "later_start" | "stalled" | "refused" | "stale" | "no_period" | "silent" | "stopped" | "storage" | "restarted" | "fatal";
  /** The broken rule, as `docs/spec` numbers it. */
  rule?: string;
  culprit?: "sender" | "validators" | "caller" | "nobody";
  nextStep?: "leave-sender" | "check-trusted-hash" | "fetch-handoff-proofs" | "fetch-keys" | "new-checkpoint" | "go-on" | "stop";
  endpoint?: string;
  /** For `reset`: the claimed checkpoint after it. Start from it only if people whom you trust confirm its block. */
  checkpoint?: Checkpoint;
  /**
   * For `later_start`: the block at which the chain adopted Duet, as the endpoint claims. Use it as `startHash` only if
   * people whom you trust confirm it.
   */
  start?: { block: number; hash: string };
  expected?: string;
  got?: string;
  /** The set to fetch from; for `silent`, the newest trusted one. */
  set?: bigint;
  /** Two valid proofs that contradict each other. Keep them as evidence. */
  first?: Uint8Array;
  second?: Uint8Array;
}

export interface LightClient {
  /**
   * Resolves when a head is proven and the other endpoints had time to show a newer one. Rejects if no head is proven
   * within `times.readyWithin`; the error lists every endpoint. The client then keeps trying, and this property is a
   * new promise. Rejects with the verdict `fatal` if no honest endpoint is left, or, with the rule LIGHT-9, if the
   * newest trusted block is too old; this is final.
   */
  readonly ready: Promise<Status>;
  /** The newest trusted block. */
  readonly head: Head | Status | undefined;
  /**
   * The seconds since `head.time` by the clock here: the newest block is at most as old. Negative if its time is in the
   * future: one of the clocks is wrong. `undefined` if no time is known. The age shows whether the chain goes on; it
   * makes nothing safer, since the clock may be wrong.
   */
  readonly age: number | undefined;
  /** Adds a listener. The returned function removes it. */
  on(name: "start", listener: (status: Status) => void): () => void;
  on(name: "ready", listener: (status: Status) => void): () => void;
  on(name: "head", listener: (head: Head) => void): () => void;
  /** The time of the newest block was proven, and is in `head` now: every ten seconds at most, or as `maxAge` needs it. */
  on(name: "time", listener: (time: { block: number; time: number }) => void): () => void;
  on(name: "set", listener: (set: { set: bigint; validators: number; block: number }) => void): () => void;
  on(name: "checkpoint", listener: (checkpoint: Checkpoint) => void): () => void;
  /**
   * Also tells once, with the verdict `no_period`, that nobody names a trusting period. With the verdict `silent` it tells
   * that no set signs an endpoint's newest block, so that no proofs come, as the endpoint says; nothing proves it. With
   * the verdict `restarted` it tells that the worker stopped, which all clients of a page share: this client goes on in
   * another one from its newest state, pending calls reject, and subscriptions end with an error.
   */
  on(name: "fault", listener: (fault: DuetError) => void): () => void;
  /** A recovery proof holds: its reset is crossed after the wait, unless a newer block is proven. */
  on(name: "announced", listener: (announced: Announced) => void): () => void;
  /**
   * The wait is over, and these endpoints know of no reset or name another one. The client crosses nothing while they
   * do, and asks again. Told again when that changes. One of them may be the only honest one: ask people whom you trust.
   */
  on(name: "disputed", listener: (disputed: Announced & { disputes: { endpoint: string; dispute: string }[] }) => void): () => void;
  /** A newer block is proven, so that the announced recovery, which is about another block, counts no more. */
  on(name: "cancelled", listener: (cancelled: { about: number; block: number }) => void): () => void;
  /** The caller's recovery proof is about an older block than the newest proven one, and is not needed. */
  on(name: "outdated", listener: (outdated: { about: number; block: number }) => void): () => void;
  /** The recovery set signed another statement about the block, too: keep both proofs as evidence. The client ends. */
  on(name: "contradicted", listener: (contradicted: Announced & { first: Uint8Array; second: Uint8Array }) => void): () => void;
  /** The reset is crossed: the trusted state behind it, and the newest block before it. */
  on(name: "recovered", listener: (recovered: Status & { from: number }) => void): () => void;
  /** Verifies a proof from any source, and continues from it; `undefined` if its block is already trusted. */
  verify(bytes: Uint8Array, form?: "justification" | "handoff" | "stateless"): Promise<Head | undefined>;
  checkpoint(): Promise<Checkpoint>;
  /** An account by SS58 address, 0x and 64 digits, or 32 bytes. */
  account(account: string | Uint8Array, options?: AtOptions): Promise<Account>;
  storage(key: string | Uint8Array, options?: AtOptions): Promise<Entry>;
  /** At most 1 024 keys, all read under one block. */
  entries(keys: (string | Uint8Array)[], options?: AtOptions): Promise<Entries>;
  /**
   * All entries under a prefix, in key order, proven complete. For 1 000 entries or more the call is refused, with
   * `got` "more".
   */
  under(prefix: string | Uint8Array, options?: AtOptions): Promise<Entries & MerkleValue>;
  /** The Merkle value of all entries under a prefix. It changes when one of them changes. */
  merkleValue(prefix: string | Uint8Array, options?: AtOptions): Promise<MerkleValue>;
  /** The header of a block. A block given by hash is proven final; otherwise the call is refused. (STATE-3) */
  block(at?: At, options?: ReadOptions): Promise<Block>;
  /** The extrinsics of a block. */
  body(at?: At, options?: ReadOptions): Promise<Body>;
  /** Whether a block has the transaction with this hash: 0x and 64 digits, or 32 bytes. */
  transaction(hash: string | Uint8Array, options?: AtOptions): Promise<Transaction>;
  /**
   * What became of the transaction with this hash in a block. Its events are decoded by the metadata of the code that
   * executed the block, which is that of the block before: other metadata is never used. (STATE-9)
   *
   * The first outcome loads what `call` loads, and a third module of WebAssembly. Decoded metadata is kept for the last two
   * versions of the runtime.
   *
   * Rejects with the verdict `incomplete` if no endpoint has the state of both blocks, which nodes keep for 256 blocks, and
   * with `stopped` if the events are not of the type in the metadata.
   */
  outcome(hash: string | Uint8Array, options?: AtOptions): Promise<Outcome>;
  /**
   * Sends a signed transaction to all endpoints, and looks for it in each block that is proven from then on: resolves with
   * its proven outcome, or with the named end of the watch. Nothing that an endpoint says counts as inclusion. Endpoints
   * that connect later get the transaction too; one that answered does not get it again.
   *
   * Cost: for each proven block its extrinsics, one block after the other; a mortal transaction loads the modules of
   * `outcome` once four blocks do not have it.
   */
  watch(transaction: string | Uint8Array, options?: WatchOptions): Promise<Watched>;
  /**
   * The result of a function of the chain's runtime, such as `Metadata_metadata`, with its parameters in SCALE. The
   * code and all entries that it reads are proven, and a worker executes it here. (STATE-5 to STATE-8)
   *
   * The first call loads a second module of WebAssembly and the runtime's code, which is kept until an upgrade.
   *
   * Rejects with the verdict `stopped` if the function does not exist, traps, takes longer than `times.callTimeout`,
   * or needs more memory, entries or rounds of proofs than a call may have. The chain's own nodes would not answer
   * otherwise, except where their limits are wider, so no endpoint is to blame.
   */
  call(method: string, parameters?: string | Uint8Array, options?: AtOptions): Promise<Called>;
  /** The headers from a number to a block, at most 256, proven by their parent hashes. One request per header. */
  headers(from: number, to?: At, options?: ReadOptions): Promise<Headers>;
  /** BLAKE2b, 16, 32 or 64 bytes long. */
  blake2b(bytes: Uint8Array, length: 16 | 32 | 64): Promise<Uint8Array>;
  /**
   * Passes a request on to a node without known faults; at most 256 at once. An answer without valid JSON-RPC is a
   * fault of the endpoint; one above 16 MiB is refused. With `again`, the client asks another node if the connection
   * breaks: not for requests that may be sent only once. `expected` is the only result of an honest node, if known.
   */
  request<T = unknown>(method: string, params?: unknown[], options?: { again?: boolean; expected?: string }): Promise<Unverified<T>>;
  /** Passes a subscription on; at most 64 at once, and 1 000 messages per second. It ends with its connection. */
  subscribe<T = unknown>(method: string, params: unknown[], unsubscribe: string, listener: (pushed: Pushed<T>) => void): Promise<Subscription>;
  destroy(): Promise<void>;
}

/** Starts a light client. */
export function create(options: Options): LightClient;

/** Stores the trusted state in the browser's IndexedDB. Only in browsers. */
export function indexedDb(name: string): Storage;
/** Stores the trusted state in the browser's localStorage. Only in browsers. */
export function localStorage(name: string): Storage;
/** Stores the trusted state in a file. Only in Node. */
export function file(path: string): Storage;

/** Escapes and shortens untrusted text to one line for display. */
export function shown(text: string): string;
export function toHex(bytes: Uint8Array): string;
/** `undefined` if the text is not 0x and pairs of hexadecimal digits. */
export function fromHex(text: string): Uint8Array | undefined;
