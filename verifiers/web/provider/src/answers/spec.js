// Answers without proofs: the chain's name and properties. Also the list of served methods.

import { served } from "../methods.js";

const MAX_METHODS = 1_024;

/** The pinned answer, or else the answer of a node. */
function pinnedOr(name) {
  return (context, params, row, method) => {
    const pinned = context.pins[name];
    if (pinned !== undefined) return { result: pinned, class: "pinned" };
    return context.pass(row, method, params, `pin \`${name}\``);
  };
}

async function methods(context, params, row) {
  const own = served(context.isStrict);
  if (context.isStrict) return { result: { methods: own }, class: "verified" };
  const { result, endpoint } = await context.pass(row, "rpc_methods", params);
  const others = Array.isArray(result?.methods) ? result.methods.slice(0, MAX_METHODS).filter((name) => typeof name === "string" && context.serves(name)) : [];
  return { result: { methods: [...new Set([...own, ...others])].sort() }, class: "passed", endpoint };
}

export const specAnswers = { methods, chainName: pinnedOr("chain"), properties: pinnedOr("properties") };
