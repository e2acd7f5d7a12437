// The methods `duet_*`, by `_request` and `_subscribe` of a polkadot-api client.

/** Duet's methods for a client from polkadot-api's `createClient`. The answers are not verified. */
export function papiDuet(client) {
  const ask = (method, ...params) => client._request(method, params);
  const subscribe = (name) => client._subscribe(`duet_subscribe${name}`, `duet_unsubscribe${name}`, []);
  return {
    getFinalizedHead: () => ask("duet_getFinalizedHead"),
    getJustification: (block) => ask("duet_getJustification", block),
    getStatelessProof: (block) => ask("duet_getStatelessProof", block),
    getSetProofs: (fromSet, limit) => ask("duet_getSetProofs", fromSet, limit),
    getStatelessSetProofs: (fromSet, limit) => ask("duet_getStatelessSetProofs", fromSet, limit),
    getGenesisProof: () => ask("duet_getGenesisProof"),
    getStartProof: (block = null) => ask("duet_getStartProof", block),
    getWarpGenesis: () => ask("duet_getWarpGenesis"),
    getWarpProof: (after) => ask("duet_getWarpProof", after),
    getKeys: (set) => ask("duet_getKeys", set),
    getLastJustification: (set) => ask("duet_getLastJustification", set),
    getLastStatelessProof: (set) => ask("duet_getLastStatelessProof", set),
    getReset: (fromSet) => ask("duet_getReset", fromSet),
    getProofs: (keys, block = null, under = null, stateless = false) => ask("duet_getProofs", keys, block, under, stateless),
    reportProof: (proof) => ask("duet_reportProof", proof),
    justifications: () => subscribe("Justifications"),
    fullerJustifications: () => subscribe("FullerJustifications"),
    getSigningRecords: () => ask("duet_getSigningRecords"),
    roundState: () => ask("duet_roundState"),
    health: () => ask("duet_health"),
    generateKeys: (owner) => ask("duet_generateKeys", owner),
    proveKeys: (publicKey, owner) => ask("duet_proveKeys", publicKey, owner),
  };
}
