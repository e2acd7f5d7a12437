import type { LightClient } from "duet-light-client";

/**
 * The class of an answer: `verified`, proven by the light client; `passed`, an unverified claim of a node; `pinned`,
 * given by the application in `options.pinned`.
 */
export type AnswerClass = "verified" | "passed" | "pinned";

/** An answer and its class. Each message of a subscription is an answer. */
export interface Answer {
  method: string;
  class: AnswerClass;
  /** The block of the answer, if it is about one; the hash is 0x-hex. */
  block?: number;
  hash?: string;
  /** The endpoint that was asked; absent if the light client already had the answer. */
  endpoint?: string;
  /**
   * For `verified`: `head.time` of the light client, the time of its newest block, or of one about ten seconds older, in
   * milliseconds since 1970. An old time under a new answer means that the chain has halted.
   */
  headTime?: number;
}

/** Data that the application vouches for. */
export interface Pinned {
  /**
   * The result of `state_getMetadata`: bytes that begin with `meta`, or their hex. It is answered in place of the
   * proven one, so that the runtime's code need not be fetched; update it with each runtime upgrade.
   */
  metadata?: Uint8Array | string;
  /** The result of `state_getRuntimeVersion`, likewise. */
  runtimeVersion?: Record<string, unknown>;
  /** The results of `system_chain` and `system_properties`, which cannot be proven. */
  chain?: string;
  properties?: Record<string, unknown>;
}

export interface ProviderOptions {
  /** Refuses requests whose answers are neither verifiable nor pinned, except transactions. Default: `false`. */
  strict?: boolean;
  pinned?: Pinned;
  /** How many milliseconds a request about a block waits for its proof. Default: 30 000. At most 120 000. */
  waitForProof?: number;
}

/**
 * An error with a JSON-RPC code: −32090 the method is refused, −32091 no endpoint proved an answer, −32092 too many
 * requests or subscriptions at once, −32093 the newest proven block is older than the light client's `maxAge`, −32094
 * a call of the runtime has no result, since it trapped or takes more than a call may have, −32602 invalid
 * parameters; or the node's own code if the answer was passed on.
 */
export class ProviderError extends Error {
  code: number;
  /** For −32091, −32093 and −32094: the broken rule, the culprit, and the next step. */
  data?: { verdict?: string; rule?: string; culprit?: string; nextStep?: string; endpoint?: string; expected?: string; got?: string; method?: string } | string;
  toJson(): { code: number; message: string; data?: unknown };
}

interface Told {
  /** Adds a listener. The returned function removes it. */
  on(name: "answer", listener: (answer: Answer) => void): () => void;
  on(name: "fault", listener: (fault: ProviderError) => void): () => void;
}

/** A provider in the sense of polkadot-api. */
export interface PapiProvider extends Told {
  (onMessage: (message: any) => void): { send: (message: any) => void; disconnect: () => void };
}

/** A provider for `createClient` of polkadot-api 2. It does not stop the light client. */
export function papiProvider(client: LightClient, options?: ProviderOptions): PapiProvider;

/** A provider for `ApiPromise.create({ provider })` of @polkadot/api. Connects by itself. Does not stop the client. */
export class PolkadotJsProvider {
  constructor(client: LightClient, options?: ProviderOptions);
  readonly hasSubscriptions: boolean;
  readonly isClonable: boolean;
  readonly isConnected: boolean;
  clone(): PolkadotJsProvider;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  on(name: "answer", listener: (answer: Answer) => void): () => void;
  on(name: "fault", listener: (fault: ProviderError) => void): () => void;
  on(name: "connected" | "disconnected" | "error", listener: (value?: any) => any): () => void;
  send<T = any>(method: string, params: unknown[], isCacheable?: boolean): Promise<T>;
  subscribe(type: string, method: string, params: unknown[], callback: (error: Error | null, result: any) => void): Promise<number | string>;
  unsubscribe(type: string, method: string, id: number | string): Promise<boolean>;
}

/** The class of each method's answers: the column `provider` of docs/light-clients/methods.md. */
export const TABLE: {
  methods: string[];
  class: "verified" | "passed" | "refused";
  strict: "verified" | "passed" | "pinned" | "in part" | "refused";
  note: string;
  pushes?: string;
  ends: string[];
}[];
