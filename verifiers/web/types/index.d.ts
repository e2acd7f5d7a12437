/** `0x` and hexadecimal digits. */
export type Hex = string;

/** The proof of entries of a block's state: see `duet_getProofs` in docs/spec/rpc.md. */
export interface Proofs {
  /** The Justification, or the StatelessProof, of block `under`. */
  proof: Hex;
  /** SCALE bytes of the header of the requested block. */
  header: Hex;
  /** The trie nodes. */
  nodes: Hex[];
  /** The path from `under` to the block; `null` if they are the same. */
  path: { leaves: Hex; proof: Hex } | null;
}

/** A valid proof that contradicts what GRANDPA finalized on the node: see `duet_health` in docs/spec/rpc.md. */
export interface Contradiction {
  block: number;
  /** The node's block with that number; `null` if it had none. */
  finalized: Hex | null;
  /** The block that the proof names. */
  proven: Hex;
  setId: number;
  signers: number;
  acknowledged: boolean;
  /** The Justification. */
  evidence: Hex;
}

/** The result of `duet_health`. */
export interface Health {
  bestProven: number | null;
  finalized: number;
  /** Whether the chain has a signing set; `null` if the node cannot read that. */
  active: boolean | null;
  voting: boolean;
  /** Why the node does not take part in Duet; `null` if it does. */
  stopped: string | null;
  diverged: Contradiction[];
}

/** An unproven block that has votes, or on which the node is about to vote. */
export interface Round {
  block: number;
  votes: number;
  /** The largest number of votes that agree. */
  agreeing: number;
  ownVote: boolean;
  openForMs: number;
}

/** A member without a received vote on the newest block. */
export interface Missing {
  position: number;
  /** The key's half in G1. */
  key: Hex;
  /** `null` if it has not voted since the node or the set started. */
  lastVoted: number | null;
  silentForMs: number | null;
}

/** The result of `duet_roundState`: see docs/spec/rpc.md. */
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
  /** The positions of the members that voted on `newest`. */
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

/** A definition in the format of `@polkadot/types`. */
export interface Definition {
  description: string;
  params: { name: string; type: string; isOptional?: boolean }[];
  type: string;
  isUnsafe?: boolean;
  /** Name of the notifications, and the methods that start and end the subscription. */
  pubsub?: [string, string, string];
}

/** For `ApiPromise.create({ provider, rpc, types })` of @polkadot/api; the methods are then `api.rpc.duet.*`. */
export const rpc: { duet: Record<string, Definition> };
/** The result types of these methods. */
export const types: Record<string, Record<string, string>>;

/** The common interface of polkadot-api's observables. */
export interface Observed<T> {
  subscribe(observer: { next?(value: T): void; error?(error: unknown): void; complete?(): void }): { unsubscribe(): void };
}

/** The part of a polkadot-api client that is used here. */
export interface PapiClient {
  _request<Reply = any, Params extends any[] = any[]>(method: string, params: Params): Promise<Reply>;
  _subscribe<Reply = any, Params extends any[] = any[]>(method: string, unsubscribeMethod: string, params: Params): Observed<Reply>;
}

/** Duet's methods. Block numbers, set ids and limits are numbers; a node rejects with the codes of docs/spec/rpc.md. */
export interface DuetMethods {
  /** The hash of the highest block that Duet proved. Rejects with 9001 if there is none. */
  getFinalizedHead(): Promise<Hex>;
  /** `null` if the block has no justification. */
  getJustification(block: number): Promise<Hex | null>;
  getStatelessProof(block: number): Promise<Hex | null>;
  /** `limit` is 1 to 128. */
  getSetProofs(fromSet: number, limit: number): Promise<Hex>;
  getStatelessSetProofs(fromSet: number, limit: number): Promise<Hex>;
  /** Rejects with 9005 if the chain did not start with Duet. */
  getGenesisProof(): Promise<Hex>;
  /**
   * The proof of the set that signs at a block; `null` if the node has none. Without a block: at the block where the
   * chain's sets begin, as far as the node knows; rejects with 9005 if it has none.
   */
  getStartProof(block?: Hex | null): Promise<Hex | null>;
  /** The proof of the GRANDPA voters in the genesis state; `null` if the node has no such proof. */
  getWarpGenesis(): Promise<Hex | null>;
  /** The SDK's warp sync proof of GRANDPA from a block on; `null` if the node has no proofs from there. */
  getWarpProof(after: number): Promise<Hex | null>;
  /** `null` if the set is unknown. */
  getKeys(set: number): Promise<Hex | null>;
  /** Of the highest block that the set signed, also where a reset ended the set; `null` if the node has no proof of it. */
  getLastJustification(set: number): Promise<Hex | null>;
  getLastStatelessProof(set: number): Promise<Hex | null>;
  /** The header of the first block that starts a set after `fromSet` without a handoff; `null` if there is none. */
  getReset(fromSet: number): Promise<Hex | null>;
  /** At most 64 keys. `null` if block `under` has no justification, or `block` is after it. */
  getProofs(keys: Hex[], block?: number | null, under?: number | null, stateless?: boolean): Promise<Proofs | null>;
  /** Reports the signers of a valid finality proof that contradicts the node's chain. Rejects invalid ones with 9009. */
  reportProof(proof: Hex): Promise<"true" | "false" | "undecided">;
  justifications(): Observed<Hex>;
  fullerJustifications(): Observed<Hex>;
  /** The signing records of the sets that the chain remembers, as the node claims. */
  getSigningRecords(): Promise<SigningRecord[]>;
  /** The votes that the node has received; `null` if the chain has no set yet. */
  roundState(): Promise<RoundState | null>;
  health(): Promise<Health>;
  /** For operators. */
  generateKeys(owner: string): Promise<{ public: Hex; proof: Hex }>;
  /** For operators. */
  proveKeys(publicKey: Hex, owner: string): Promise<Hex>;
}

/** Duet's methods for a polkadot-api client. The answers are not verified. */
export function papiDuet(client: PapiClient): DuetMethods;
