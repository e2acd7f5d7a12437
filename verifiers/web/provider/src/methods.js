// Every method, and how far its answers are verified. docs/light-clients/methods.md shows this table.

import { ROWS } from "./table.js";

const REFUSED = "refused";

/** The functions that answer methods, by the first name of each. A node answers the others. */
const ANSWERS = {
  chain_getFinalizedHead: "finalizedHead",
  chain_getBlockHash: "blockHash",
  chain_getHeader: "header",
  chain_getBlock: "block",
  chain_subscribeFinalizedHeads: "finalizedHeads",
  chain_subscribeNewHeads: "finalizedHeads",
  chain_subscribeAllHeads: "finalizedHeads",
  state_getStorage: "storage",
  state_getStorageSize: "storageSize",
  state_getStorageHash: "storageHash",
  state_queryStorageAt: "queryStorageAt",
  state_subscribeStorage: "subscribeStorage",
  state_getReadProof: "readProof",
  system_accountNextIndex: "nextIndex",
  chainHead_v1_follow: "follow",
  chainHead_v1_header: "followHeader",
  chainHead_v1_body: "followBody",
  chainHead_v1_storage: "followStorage",
  chainHead_v1_unpin: "followUnpin",
  chainHead_v1_continue: "followContinue",
  chainHead_v1_stopOperation: "followStop",
  chainHead_v1_call: "followCall",
  chainSpec_v1_genesisHash: "genesisHash",
  archive_v1_finalizedHeight: "finalizedHeight",
  archive_v1_hashByHeight: "hashByHeight",
  archive_v1_header: "archiveHeader",
  archive_v1_body: "archiveBody",
  archive_v1_storage: "archiveStorage",
  archive_v1_call: "archiveCall",
  duet_subscribeJustifications: "justifications",
  author_submitExtrinsic: "submit",
  author_submitAndWatchExtrinsic: "submitAndWatch",
  transactionWatch_v1_submitAndWatch: "submitAndWatch",
  transaction_v1_broadcast: "broadcast",
  state_call: "call",
  state_getMetadata: "metadata",
  state_getRuntimeVersion: "runtimeVersion",
  state_subscribeRuntimeVersion: "runtimeVersions",
  payment_queryInfo: "feeInfo",
  payment_queryFeeDetails: "feeDetails",
  system_chain: "chainName",
  system_properties: "properties",
  rpc_methods: "methods",
  state_getKeys: "keys",
  state_getKeysPaged: "keysPaged",
  state_getPairs: "pairs",
};

/**
 * The table: `methods`, names of one method, or several methods that a node answers, or nobody; `class`, the class of
 * answers; `strict`, the class in strict mode; `note`, what is checked, or why nothing is; `answer`, the function that
 * answers; `pushes`, the name of a subscription's notifications; `ends`, the methods that end it, one for each name.
 */
export const TABLE = ROWS.map(({ methods, pushes, ends = [], provider, ...shared }) => {
  const { class: answerClass = "verified", strict = answerClass === "passed" ? REFUSED : answerClass, check: note } = { ...shared, ...provider };
  return { methods, class: answerClass, strict, note, answer: ANSWERS[methods[0]], pushes, ends };
});

/** The row for methods that are not in the table. */
export const UNKNOWN = { methods: [], class: "passed", strict: REFUSED, note: "an unknown method", ends: [] };

const BY_NAME = new Map(TABLE.flatMap((row) => row.methods.map((method) => [method, row])));
const ENDS = new Set(TABLE.flatMap(({ ends }) => ends));

/** The row of a method. */
export function rowOf(method) {
  return BY_NAME.get(method) ?? UNKNOWN;
}

/** Whether a method ends a subscription of this provider. */
export function isEnd(method) {
  return ENDS.has(method);
}

/** The methods that are served, strictly or not. */
export function served(isStrict) {
  const rows = TABLE.filter((one) => (isStrict ? one.strict : one.class) !== REFUSED);
  return rows.flatMap(({ methods, ends }) => [...methods, ...ends]).sort();
}
