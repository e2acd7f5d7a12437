// Duet's RPC methods as @polkadot/api and polkadot-api take them (docs/spec/rpc.md).

export { papiDuet } from "./papi.js";
export { rpc, types } from "./polkadot-js.js";
