// Known chains as data, which an application brings.

import type { Options } from "./index.js";

/** A chain, as it stands in a list in JSON. */
export interface Chain {
  /** How the application names it. No other chain in the list has this name. */
  name: string;
  /** Its genesis hash: 0x and 64 hexadecimal digits. */
  genesisHash: string;
  /** The hash of the block at which to start instead of the genesis. */
  startHash?: string;
  /** 1 to 16 addresses of nodes. */
  endpoints: string[];
  /** From which age on the client continues from no block, in seconds. (LIGHT-9) */
  trustingPeriod?: number;
  /** The prefix of its addresses. The client takes addresses with any prefix: they name the same account. */
  ss58Prefix?: number;
}

/**
 * The options of `create` for the chain with this name. Checks the whole list, and throws a `DuetError` with the verdict
 * `refused` that names the field: for a missing, unknown or wrong one, for a name that is there twice or not at all.
 */
export function chain(chains: readonly Chain[], name: string): Pick<Options, "genesisHash" | "startHash" | "endpoints" | "trustingPeriod">;
