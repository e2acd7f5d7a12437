/** `0x` and hexadecimal digits. */
export type Hex = string;

/** What proves entries of the state of a block: see `duet_getProofs` in docs/spec/rpc.md. */
export interface Proofs {
  /** The Justification, or the StatelessProof, of block `under`. */
  proof: Hex;
  /** SCALE bytes of the header of the block that is read. */
  header: Hex;
  /** The trie nodes. */
  nodes: Hex[];
  /** The way from `under` to the block; `null` when they are the same. */
  path: { leaves: Hex; proof: Hex } | null;
}

/** A valid proof that contradicts what GRANDPA finalized on the node: see `duet_health` in docs/spec/rpc.md. */
export interface Contradiction {
  block: number;
  /** The node's block of that number; `null` when it had none. */
  finalized: Hex | null;
  /** The block that the proof names. */
  proven: Hex;
  setId: number;
  signers: number;
  acknowledged: boolean;
  /** The Justification. */
  evidence: Hex;
}

/** What `duet_health` answers. */
export interface Health {
  bestProven: number | null;
  finalized: number;
  /** Whether the chain has a set that is to sign; `null` when the node cannot read that. */
  active: boolean | null;
  voting: boolean;
  /** Why the node takes no part in Duet, if it does not. */
  stopped: string | null;
  diverged: Contradiction[];
}

/** A block that has votes, or on which the node is about to vote, and that is not proven. */
export interface Round {
  block: number;
  votes: number;
  /** How many of these say the same, at most. */
  agreeing: number;
  ownVote: boolean;
  openForMs: number;
}

/** A member of whom no vote on the newest block was heard. */
export interface Missing {
  position: number;
  /** The half of the key in G1. */
  key: Hex;
  /** `null` since the node or the set started. */
  lastVoted: number | null;
  silentForMs: number | null;
}

/** What `duet_roundState` answers: see docs/spec/rpc.md. */
export interface RoundState {
  setId: number;
  members: number;
  threshold: number;
  /** The position of the node's key in the set. */
  own: number | null;
  bestProven: number;
  finalized: number;
  target: number | null;
  mandatory: number | null;
  rounds: Round[];
  newest: number | null;
  /** The positions of those who voted on `newest`. */
  voted: number[];
  missing: Missing[];
}

/** How often a validator signed the handoffs of its sets. */
export interface SigningRecord {
  /** The account, as SS58. */
  validator: string;
  signed: number;
  /** Handoffs of its sets that the chain has a proof of. */
  handoffs: number;
}

/** A definition as `@polkadot/types` has it. */
export interface Definition {
  description: string;
  params: { name: string; type: string; isOptional?: boolean }[];
  type: string;
  isUnsafe?: boolean;
  /** Name of the notifications, and methods that begin and end the subscription. */
  pubsub?: [string, string, string];
}

/** For `ApiPromise.create({ provider, rpc, types })` of @polkadot/api; the methods are then `api.rpc.duet.*`. */
export const rpc: { duet: Record<string, Definition> };
/** The types that these methods answer with. */
export const types: Record<string, Record<string, string>>;

/** What observables of polkadot-api have in common. */
export interface Observed<T> {
  subscribe(observer: { next?(value: T): void; error?(error: unknown): void; complete?(): void }): { unsubscribe(): void };
}

/** What is used of a client of polkadot-api. */
export interface PapiClient {
  _request<Reply = any, Params extends any[] = any[]>(method: string, params: Params): Promise<Reply>;
  _subscribe<Reply = any, Params extends any[] = any[]>(method: string, unsubscribeMethod: string, params: Params): Observed<Reply>;
}

/** Duet's methods. Block numbers, set ids and limits are numbers; a node rejects with the codes of docs/spec/rpc.md. */
export interface DuetMethods {
  /** The hash of the highest block that Duet proved. Rejects with 9001 when there is none. */
  getFinalizedHead(): Promise<Hex>;
  /** `null` when the block has no justification. */
  getJustification(block: number): Promise<Hex | null>;
  getStatelessProof(block: number): Promise<Hex | null>;
  /** `limit` is 1 to 128. */
  getSetProofs(fromSet: number, limit: number): Promise<Hex>;
  getStatelessSetProofs(fromSet: number, limit: number): Promise<Hex>;
  /** Rejects with 9005 when the chain did not start with Duet. */
  getGenesisProof(): Promise<Hex>;
  /**
   * The proof of the set that signs at a block; `null` when the node has none. Without a block, of the one at which the chain's sets
   * begin, as far as the node knows; rejects with 9005 when it has none.
   */
  getStartProof(block?: Hex | null): Promise<Hex | null>;
  /** The voters of GRANDPA in the state of the genesis, proven; `null` when the node has no such proof. */
  getWarpGenesis(): Promise<Hex | null>;
  /** What GRANDPA proves from a block on: the SDK's warp sync proof. `null` when the node knows no way on from there. */
  getWarpProof(after: number): Promise<Hex | null>;
  /** `null` when the set is not known. */
  getKeys(set: number): Promise<Hex | null>;
  /** The header of the first block that starts a set after `fromSet` without a handoff; `null` when there is none. */
  getReset(fromSet: number): Promise<Hex | null>;
  /** At most 64 keys. `null` when block `under` has no justification, or `block` comes after it. */
  getProofs(keys: Hex[], block?: number | null, under?: number | null, stateless?: boolean): Promise<Proofs | null>;
  /** Has the signers of a finality proof that holds and is not true of the node's chain reported. Rejects with 9009 when it does not hold. */
  reportProof(proof: Hex): Promise<"true" | "false" | "undecided">;
  justifications(): Observed<Hex>;
  fullerJustifications(): Observed<Hex>;
  /** What the chain knows of the sets that it remembers; the node's word. */
  getSigningRecords(): Promise<SigningRecord[]>;
  /** What the node has heard of the votes; `null` when the chain has no set yet. */
  roundState(): Promise<RoundState | null>;
  health(): Promise<Health>;
  /** For operators. */
  generateKeys(owner: string): Promise<{ public: Hex; proof: Hex }>;
  /** For operators. */
  proveKeys(publicKey: Hex, owner: string): Promise<Hex>;
}

/** Duet's methods over a client of polkadot-api. Nothing in the answers is verified here. */
export function papiDuet(client: PapiClient): DuetMethods;
