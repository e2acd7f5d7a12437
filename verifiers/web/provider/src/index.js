// A JSON-RPC provider with verified answers, for polkadot-api and @polkadot/api.

export { ProviderError } from "./error.js";
export { TABLE } from "./methods.js";
export { papiProvider } from "./papi.js";
export { PolkadotJsProvider } from "./polkadot-js.js";
