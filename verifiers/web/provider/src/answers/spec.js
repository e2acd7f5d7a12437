// Answers without proofs: runtime calls, metadata and version, the chain's name. Also the list of served methods.

import { badParams } from "../error.js";
import { served } from "../methods.js";
import { hashOf } from "./params.js";
import { nonceCall } from "./state.js";

const MAX_METHODS = 1_024;

/** A runtime call at a block: verified, pinned or passed on, depending on the function. */
export async function runtimeCall(context, row, [name, argument, hash], handOn) {
  if (typeof name !== "string" || typeof argument !== "string") throw badParams("a call has a name and its arguments in hex");
  if (name === "AccountNonceApi_account_nonce") return nonceCall(context, argument, hashOf(hash));
  const pinned = context.pins.call(name, argument);
  if (pinned !== undefined) return { result: pinned, class: "pinned" };
  if (context.isStrict && name === "TaggedTransactionQueue_validate_transaction") return context.handOn(...handOn);
  const why = name.startsWith("Metadata_") ? `${name}: ${row.note.split(".")[0]}; pin \`metadata\`` : `${name}: ${row.note.split(".")[0]}`;
  return context.pass(row, ...handOn, why);
}

function call(context, params, row) {
  return runtimeCall(context, row, params, ["state_call", params]);
}

function archiveCall(context, [hash, name, argument], row) {
  return runtimeCall(context, row, [name, argument, hash], ["archive_v1_call", [hash, name, argument]]).then((answer) =>
    answer.class === "passed" ? answer : { ...answer, result: { success: true, value: answer.result } },
  );
}

/** The pinned answer, or else the answer of a node. */
function pinnedOr(name) {
  return (context, params, row, method) => {
    const pinned = context.pins[name];
    if (pinned !== undefined) return { result: pinned, class: "pinned" };
    return context.pass(row, method, params, `pin \`${name}\``);
  };
}

function metadata(context, params, row) {
  const { pins } = context;
  if (pins.metadata !== undefined) return { result: pins.metadataHex, class: "pinned" };
  return context.pass(row, "state_getMetadata", params, "pin `metadata`");
}

async function runtimeVersions(context, _params, push, row) {
  const { runtimeVersion } = context.pins;
  if (runtimeVersion !== undefined) return { start: () => push(runtimeVersion, { class: "pinned" }), end: () => {} };
  return context.passOn(row, "state_subscribeRuntimeVersion", [], push, "state_unsubscribeRuntimeVersion", "pin `runtimeVersion`");
}

async function methods(context, params, row) {
  const own = served(context.isStrict);
  if (context.isStrict) return { result: { methods: own }, class: "verified" };
  const { result, endpoint } = await context.pass(row, "rpc_methods", params);
  const others = Array.isArray(result?.methods) ? result.methods.slice(0, MAX_METHODS).filter((name) => typeof name === "string" && context.serves(name)) : [];
  return { result: { methods: [...new Set([...own, ...others])].sort() }, class: "passed", endpoint };
}

export const specAnswers = {
  call, archiveCall, metadata, runtimeVersions, methods,
  runtimeVersion: pinnedOr("runtimeVersion"), chainName: pinnedOr("chain"), properties: pinnedOr("properties"),
};
