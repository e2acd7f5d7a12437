// Every method, and the class of its answers. docs/light-clients/provider.md shows this table; a test compares them.

const VERIFIED = "verified";
const PASSED = "passed";
const PINNED = "pinned";
const REFUSED = "refused";

/**
 * A row: `methods`, all with the same properties; `class`, the class of answers; `strict`, the class in strict mode;
 * `note`, what is checked, or why nothing is; `answer`, the function that answers (see `answers`), absent if a node
 * does; `pushes`, the name of a subscription's notifications; `ends`, the methods that end it.
 */
function row(methods, [answerClass, strict], note, more = {}) {
  return { methods: methods.split(" "), class: answerClass, strict, note, ...more };
}

const ALWAYS = [VERIFIED, VERIFIED];
const HANDED_ON = [PASSED, REFUSED];
const SENT = [PASSED, PASSED];
const VOUCHED = [PASSED, PINNED];
// Refused in strict mode, except as the note says.
const CALLED = [PASSED, "in part"];
const NEVER = [REFUSED, REFUSED];

const EXECUTED = "executed here over proven code and entries (STATE-5 to STATE-8)";
const OR_PINNED = `${EXECUTED}; pinned, if the application pinned it`;
const LISTS = "lists of fewer than 1 000 keys under the prefix are verified and proven complete; longer lists are passed on, and refused in strict mode";
const WORD = "a node's claim";

export const TABLE = [
  row("chain_getFinalizedHead chain_getFinalisedHead", ALWAYS, "the newest proven block", { answer: "finalizedHead" }),
  row("chain_getBlockHash chain_getHead", ALWAYS, "by the Merkle mountain range; `null` above the newest proven block, which is also the best one", { answer: "blockHash" }),
  row("chain_getHeader", ALWAYS, "by its hash, and by the Merkle mountain range; waits for the proof of a newer block", { answer: "header" }),
  row("chain_getBlock", ALWAYS, "the extrinsics by the header's extrinsics root; `justifications` is `null`", { answer: "block" }),
  row("chain_subscribeFinalizedHeads chain_subscribeFinalisedHeads", ALWAYS, "every block as it is proven, in order; over a gap of more than 64 blocks only the newest", {
    answer: "finalizedHeads", pushes: "chain_finalizedHead", ends: "chain_unsubscribeFinalizedHeads chain_unsubscribeFinalisedHeads",
  }),
  row("chain_subscribeNewHeads chain_subscribeNewHead subscribe_newHead", ALWAYS, "the proven blocks, as with finalized heads: unproven blocks are not shown", {
    answer: "finalizedHeads", pushes: "chain_newHead", ends: "chain_unsubscribeNewHeads chain_unsubscribeNewHead unsubscribe_newHead",
  }),
  row("chain_subscribeAllHeads", ALWAYS, "the proven blocks, as with finalized heads: forks are not shown", { answer: "finalizedHeads", pushes: "chain_allHead", ends: "chain_unsubscribeAllHeads" }),

  row("state_getStorage state_getStorageAt", ALWAYS, "by a storage proof; absence too", { answer: "storage" }),
  row("state_getStorageSize state_getStorageSizeAt", ALWAYS, "the length of the proven value", { answer: "storageSize" }),
  row("state_getStorageHash state_getStorageHashAt", ALWAYS, "the hash of the proven value", { answer: "storageHash" }),
  row("state_queryStorageAt", ALWAYS, "all keys under one block, by one storage proof", { answer: "queryStorageAt" }),
  row("state_subscribeStorage", ALWAYS, "read again under each proven block; only changes are sent", { answer: "subscribeStorage", pushes: "state_storage", ends: "state_unsubscribeStorage" }),
  row("state_getReadProof", ALWAYS, "a verified proof", { answer: "readProof" }),
  row("system_accountNextIndex account_nextIndex", ALWAYS, "the nonce in `System.Account`; transactions that wait in a pool are not counted", { answer: "nextIndex" }),

  row("chainHead_v1_follow", ALWAYS, "finalized blocks are the proven ones, and there are no others; the runtime's version is that of its proven code, or pinned", {
    answer: "follow", pushes: "chainHead_v1_followEvent", ends: "chainHead_v1_unfollow",
  }),
  row("chainHead_v1_header", ALWAYS, "by its hash", { answer: "followHeader" }),
  row("chainHead_v1_body", ALWAYS, "by the header's extrinsics root", { answer: "followBody" }),
  row("chainHead_v1_storage", ALWAYS, "`value`, `hash` and `closestDescendantMerkleValue` by a storage proof. Lists of fewer than 1 000 descendants are proven complete. In longer lists each value is proven, and the list itself is a node's claim, which strict mode refuses. Child tries are refused", { answer: "followStorage" }),
  row("chainHead_v1_unpin", ALWAYS, "the provider's own", { answer: "followUnpin" }),
  row("chainHead_v1_continue", ALWAYS, "the provider's own", { answer: "followContinue" }),
  row("chainHead_v1_stopOperation", ALWAYS, "the provider's own", { answer: "followStop" }),
  row("chainHead_v1_call", ALWAYS, "as `state_call`", { answer: "followCall" }),
  row("chainSpec_v1_genesisHash archive_v1_genesisHash", ALWAYS, "the genesis hash of the light client", { answer: "genesisHash" }),

  row("archive_v1_finalizedHeight", ALWAYS, "the number of the newest proven block", { answer: "finalizedHeight" }),
  row("archive_v1_hashByHeight", ALWAYS, "by the Merkle mountain range", { answer: "hashByHeight" }),
  row("archive_v1_header", ALWAYS, "by its hash, and by the Merkle mountain range", { answer: "archiveHeader" }),
  row("archive_v1_body", ALWAYS, "by the header's extrinsics root", { answer: "archiveBody" }),
  row("archive_v1_storage", ALWAYS, "as `chainHead_v1_storage`, but lists of 1 000 descendants and more are refused", { answer: "archiveStorage", pushes: "archive_v1_storageEvent", ends: "archive_v1_stopStorage" }),
  row("archive_v1_call", ALWAYS, "as `state_call`", { answer: "archiveCall" }),

  row("duet_getFinalizedHead", ALWAYS, "the newest proven block", { answer: "finalizedHead" }),
  row("duet_subscribeJustifications", ALWAYS, "the proofs that moved the light client", { answer: "justifications", pushes: "duet_justifications", ends: "duet_unsubscribeJustifications" }),
  row("duet_getJustification duet_getStatelessProof duet_getSetProofs duet_getStatelessSetProofs duet_getGenesisProof duet_getStartProof duet_getKeys duet_getLastJustification duet_getLastStatelessProof duet_getProofs", SENT, "not checked here; the recipient checks the answer (`client.verify`)"),
  row("duet_getReset", SENT, "a node's claim: no proof leads across a reset (LIGHT-8)"),
  row("duet_getWarpGenesis duet_getWarpProof", SENT, "not checked here; a client that follows GRANDPA checks the proof (WARP-1 to WARP-4)"),
  row("duet_reportProof", SENT, "submits a possibly false proof; the answer is the node's claim"),
  row("duet_subscribeFullerJustifications", SENT, "not checked here, as above", { pushes: "duet_fullerJustifications", ends: "duet_unsubscribeFullerJustifications" }),
  row("mmr_generateProof mmr_generateAncestryProof", SENT, "not checked here, as above"),
  row("grandpa_proveFinality", SENT, "not checked here, as above"),
  row("grandpa_subscribeJustifications", SENT, "not checked here, as above", { pushes: "grandpa_justifications", ends: "grandpa_unsubscribeJustifications" }),

  row("author_submitExtrinsic", SENT, "sends a transaction; acceptance is the node's claim"),
  row("author_submitAndWatchExtrinsic", SENT, "sends a transaction; each status is a node's claim, except `finalized`: it is sent when the block is proven and includes the transaction", { answer: "submitAndWatch", pushes: "author_extrinsicUpdate", ends: "author_unwatchExtrinsic" }),
  row("transaction_v1_broadcast transaction_v1_stop", SENT, "sends a transaction"),
  row("transactionWatch_v1_submitAndWatch", SENT, "sends a transaction; statuses as with `author_submitAndWatchExtrinsic`", { answer: "submitAndWatch", pushes: "transactionWatch_v1_watchEvent", ends: "transactionWatch_v1_unwatch" }),

  row("state_call state_callAt", ALWAYS, `${EXECUTED}. \`Metadata_*\` is pinned, if the application pinned it. A call of what only nodes have, such as child tries, is passed on, and refused in strict mode`, { answer: "call" }),
  row("state_getMetadata", ALWAYS, OR_PINNED, { answer: "metadata" }),
  row("state_getRuntimeVersion chain_getRuntimeVersion", ALWAYS, OR_PINNED, { answer: "runtimeVersion" }),
  row("state_subscribeRuntimeVersion chain_subscribeRuntimeVersion", ALWAYS, `${OR_PINNED}; read again when a header tells of an upgrade`, {
    answer: "runtimeVersions", pushes: "state_runtimeVersion", ends: "state_unsubscribeRuntimeVersion chain_unsubscribeRuntimeVersion",
  }),
  row("payment_queryInfo", ALWAYS, EXECUTED, { answer: "feeInfo" }),
  row("payment_queryFeeDetails", ALWAYS, EXECUTED, { answer: "feeDetails" }),
  row("system_chain chainSpec_v1_chainName", VOUCHED, `${WORD}, or pinned`, { answer: "chainName" }),
  row("system_properties chainSpec_v1_properties", VOUCHED, `${WORD}, or pinned`, { answer: "properties" }),
  row("rpc_methods", [PASSED, VERIFIED], "the methods that this table serves; outside strict mode also the other methods that a node lists", { answer: "methods" }),
  row("state_getKeys", CALLED, LISTS, { answer: "keys" }),
  row("state_getKeysPaged state_getKeysPagedAt", CALLED, LISTS, { answer: "keysPaged" }),
  row("state_getPairs", CALLED, LISTS, { answer: "pairs" }),
  row("state_queryStorage", HANDED_ON, "no proof shows that the list of changes is complete"),
  row("state_getChildReadProof childstate_getKeys childstate_getKeysPaged childstate_getKeysPagedAt childstate_getStorage childstate_getStorageEntries childstate_getStorageHash childstate_getStorageSize", HANDED_ON, "child tries are not verified"),
  row("author_pendingExtrinsics system_chainType system_dryRun system_dryRunAt system_health system_localListenAddresses system_localPeerId system_name system_nodeRoles system_peers system_syncState system_version grandpa_roundState mmr_root mmr_verifyProof mmr_verifyProofStateless bitswap_v1_get duet_health duet_roundState duet_getSigningRecords", HANDED_ON, WORD),

  row("author_hasKey author_hasSessionKeys author_insertKey author_removeExtrinsic author_rotateKeys author_rotateKeysWithOwner duet_generateKeys duet_proveKeys", NEVER, "for a node's operator only"),
  row("offchain_localStorageClear offchain_localStorageGet offchain_localStorageSet system_addLogFilter system_resetLogFilter system_addReservedPeer system_removeReservedPeer system_reservedPeers system_unstable_networkState", NEVER, "for a node's operator only"),
  row("state_traceBlock state_callRecorded archive_v1_storageDiff", NEVER, "neither verified nor needed by wallets; use a node"),
];

/** The row for methods that are not in the table. */
export const UNKNOWN = row("", HANDED_ON, "an unknown method");

const ROWS = new Map();
const ENDS = new Map();
for (const found of TABLE) {
  for (const method of found.methods) ROWS.set(method, found);
  for (const method of found.ends?.split(" ") ?? []) ENDS.set(method, found);
}

/** The row of a method. */
export function rowOf(method) {
  return ROWS.get(method) ?? UNKNOWN;
}

/** Whether a method ends a subscription of this provider. */
export function isEnd(method) {
  return ENDS.has(method);
}

/** The methods that are served, strictly or not. */
export function served(isStrict) {
  const rows = TABLE.filter((one) => (isStrict ? one.strict : one.class) !== REFUSED);
  return rows.flatMap(({ methods, ends }) => [...methods, ...(ends?.split(" ") ?? [])]).sort();
}
