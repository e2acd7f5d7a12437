// Duet's RPC methods for @polkadot/api and polkadot-api (docs/spec/rpc.md).

export { papiDuet } from "./papi.js";
export { rpc, types } from "./polkadot-js.js";
