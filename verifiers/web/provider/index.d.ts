import type { LightClient } from "duet-light-client";

/**
 * What an answer is worth: `verified`, proven by the light client; `passed`, a node's word; `pinned`, what the application
 * itself gave in `options.pinned`.
 */
export type AnswerClass = "verified" | "passed" | "pinned";

/** What was answered, and what it is worth. Of a subscription, each push is an answer. */
export interface Answer {
  method: string;
  class: AnswerClass;
  /** The block it is about, where it is about one; the hash is 0x-hex. */
  block?: number;
  hash?: string;
  /** Who was asked; nobody where the light client knew. */
  endpoint?: string;
}

/** What the application vouches for, because no proof of it exists. Renew it with each upgrade of the runtime. */
export interface Pinned {
  /** What `state_getMetadata` answers: bytes that begin with `meta`, or their hex. */
  metadata?: Uint8Array | string;
  /** What `state_getRuntimeVersion` answers. */
  runtimeVersion?: Record<string, unknown>;
  /** What `system_chain` and `system_properties` answer. */
  chain?: string;
  properties?: Record<string, unknown>;
}

export interface ProviderOptions {
  /** Refuses what cannot be verified and is not pinned. Transactions are sent all the same. `false` when absent. */
  strict?: boolean;
  pinned?: Pinned;
  /** Milliseconds that a question about a block waits for the proof of that block: 30 000 when absent, 120 000 at most. */
  waitForProof?: number;
}

/**
 * An error with a code of JSON-RPC: −32090 the method is refused, −32091 no endpoint proved an answer, −32092 more at once
 * than is kept, −32602 the parameters are wrong; a node's own code where the answer was handed on.
 */
export class ProviderError extends Error {
  code: number;
  /** Of −32091: the rule that broke, who broke it, and what to do next. */
  data?: { verdict?: string; rule?: string; culprit?: string; nextStep?: string; endpoint?: string; expected?: string; got?: string; method?: string } | string;
  toJson(): { code: number; message: string; data?: unknown };
}

interface Told {
  /** Calls back; what is returned ends that. */
  on(name: "answer", listener: (answer: Answer) => void): () => void;
  on(name: "fault", listener: (fault: ProviderError) => void): () => void;
}

/** What polkadot-api calls a provider. */
export interface PapiProvider extends Told {
  (onMessage: (message: any) => void): { send: (message: any) => void; disconnect: () => void };
}

/** A provider for `createClient` of polkadot-api 2. It does not end the light client. */
export function papiProvider(client: LightClient, options?: ProviderOptions): PapiProvider;

/** A provider for `ApiPromise.create({ provider })` of @polkadot/api. It connects by itself, and does not end the light client. */
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

/** What each method's answers are worth: the table of docs/light-clients/provider.md. */
export const TABLE: {
  methods: string[];
  class: "verified" | "passed" | "refused";
  strict: "verified" | "passed" | "pinned" | "in part" | "refused";
  note: string;
  pushes?: string;
  ends?: string;
}[];
