// Definitions for `ApiPromise.create({ provider, rpc, types })`. The runtime API `DuetApi` needs none: the metadata has it.

const param = (name, type) => ({ name, type });
const optional = (name, type) => ({ name, type, isOptional: true });
const BLOCK = param("block", "u32");
const LIST = [param("fromSet", "u64"), param("limit", "u32")];

function call(description, params, type, more = {}) {
  return { description, params, type, ...more };
}

function subscription(description, name, method) {
  return { description, params: [], type: "Bytes", pubsub: [name, `subscribe${method}`, `unsubscribe${method}`] };
}

/** The methods `duet_*`, for the option `rpc`. */
export const rpc = {
  duet: {
    getFinalizedHead: call("The hash of the highest block that Duet proved", [], "BlockHash"),
    getJustification: call("The justification of a block", [BLOCK], "Option<Bytes>"),
    getStatelessProof: call("The proof of a block for clients without keys", [BLOCK], "Option<Bytes>"),
    getSetProofs: call("The handoff proofs of sets, from a set on", LIST, "Bytes"),
    getStatelessSetProofs: call("The handoff proofs of sets for clients without keys", LIST, "Bytes"),
    getGenesisProof: call("The proof of the first set", [], "Bytes"),
    getStartProof: call("The proof of the set that signs at a block, or at the block where the chain's sets begin", [optional("block", "BlockHash")], "Option<Bytes>"),
    getWarpGenesis: call("The proof of the GRANDPA voters in the genesis state", [], "Option<Bytes>"),
    getWarpProof: call("The SDK's warp sync proof of GRANDPA from a block on", [param("after", "u32")], "Option<Bytes>"),
    getKeys: call("The keys of a set, in set order", [param("set", "u64")], "Option<Bytes>"),
    getLastJustification: call("The justification of the highest block that a set signed", [param("set", "u64")], "Option<Bytes>"),
    getLastStatelessProof: call("The proof of that block for clients without keys", [param("set", "u64")], "Option<Bytes>"),
    getReset: call("The header of the first reset that starts a set after this one", [param("fromSet", "u64")], "Option<Bytes>"),
    getProofs: call(
      "The complete proof of entries of a block's state",
      [param("keys", "Vec<StorageKey>"), optional("block", "Option<u32>"), optional("under", "Option<u32>"), optional("stateless", "bool")],
      "Option<DuetProofs>",
    ),
    reportProof: call("Submits a possibly false finality proof, and tells whether it agrees with the chain", [param("proof", "Bytes")], "Text"),
    subscribeJustifications: subscription("The justifications of new proven blocks", "justifications", "Justifications"),
    subscribeFullerJustifications: subscription("Justifications with more signers than before", "fullerJustifications", "FullerJustifications"),
    getSigningRecords: call("How often each validator signed the handoffs of its sets", [], "Vec<DuetRecord>"),
    roundState: call("Which members of the signing set have voted, which have not, and since when", [], "Option<DuetRoundState>"),
    health: call("Whether the node works as it should, and the evidence of contradictions", [], "DuetHealth"),
    generateKeys: call("Makes a key on the node, and its proof of possession", [param("owner", "AccountId")], "DuetGeneratedKeys", { isUnsafe: true }),
    proveKeys: call("Proves possession of a key on the node", [param("public", "Bytes"), param("owner", "AccountId")], "Bytes", { isUnsafe: true }),
  },
};

/** The result types of these methods, for the option `types`. */
export const types = {
  DuetPath: { leaves: "Bytes", proof: "Bytes" },
  DuetProofs: { proof: "Bytes", header: "Bytes", nodes: "Vec<Bytes>", path: "Option<DuetPath>" },
  DuetContradiction: { block: "u32", finalized: "Option<Hash>", proven: "Hash", setId: "u64", signers: "u32", acknowledged: "bool", evidence: "Bytes" },
  DuetRound: { block: "u32", votes: "u32", agreeing: "u32", ownVote: "bool", openForMs: "u64" },
  DuetMissing: { position: "u32", key: "Bytes", lastVoted: "Option<u32>", silentForMs: "Option<u64>" },
  DuetRoundState: {
    setId: "u64",
    members: "u32",
    threshold: "u32",
    own: "Option<u32>",
    bestProven: "u32",
    finalized: "u32",
    target: "Option<u32>",
    mandatory: "Option<u32>",
    rounds: "Vec<DuetRound>",
    newest: "Option<u32>",
    voted: "Vec<u32>",
    missing: "Vec<DuetMissing>",
  },
  DuetHealth: { bestProven: "Option<u32>", finalized: "u32", active: "Option<bool>", voting: "bool", stopped: "Option<Text>", diverged: "Vec<DuetContradiction>" },
  DuetRecord: { validator: "AccountId", signed: "u32", handoffs: "u32" },
  DuetGeneratedKeys: { public: "Bytes", proof: "Bytes" },
};
