// Calls of the runtime: the light client executes them over proven entries. Metadata, version and fees are such calls.

import { toHex } from "duet-light-client/text";
import { concat, fromHex, Reader, u32 } from "../bytes.js";
import { badParams } from "../error.js";
import { specOf, versionJson } from "../version.js";
import { hashOf } from "./params.js";

// What a call cannot have, or only on a node: code that no executor here takes, child tries, more than the limits.
const ONLY_ON_NODES = ["STATE-5", "STATE-7", "STATE-8"];

/** The bytes of a call's result, under a block: `{ bytes, block, hash, endpoint }`. */
async function execute({ client, wait }, name, parameters, at) {
  const { result: bytes, block, hash, endpoint } = await client.call(name, parameters, { ...wait, at });
  return { bytes, class: "verified", block, hash, endpoint };
}

/** The result of a call, decoded; from a node if the call can be executed only there, and this mode allows it. */
async function called(context, row, [name, parameters, hash], handOn, decode = toHex) {
  const at = hashOf(hash);
  try {
    const { bytes, ...about } = await execute(context, name, parameters, at);
    return { result: decode(bytes), ...about };
  } catch (error) {
    if (context.isStrict || error.verdict !== "stopped" || !ONLY_ON_NODES.includes(error.rule)) throw error;
    return context.pass(row, ...handOn);
  }
}

/** The result of `state_call` and similar methods, as hex. */
export async function runtimeCall(context, row, [name, argument, hash], handOn) {
  const parameters = fromHex(argument);
  if (typeof name !== "string" || !parameters) throw badParams("a call has a name and its arguments in hex");
  const pinned = context.pins.call(name, argument);
  if (pinned !== undefined) return { result: pinned, class: "pinned" };
  return called(context, row, [name, parameters, hash], handOn);
}

function call(context, params, row) {
  return runtimeCall(context, row, params, ["state_call", params]);
}

function archiveCall(context, [hash, name, argument], row) {
  return runtimeCall(context, row, [name, argument, hash], ["archive_v1_call", [hash, name, argument]]).then((answer) =>
    answer.class === "passed" ? answer : { ...answer, result: { success: true, value: answer.result } },
  );
}

async function metadata(context, params, row) {
  const { pins } = context;
  if (pins.metadata !== undefined) return { result: pins.metadataHex, class: "pinned" };
  // A list of bytes, with its length in front.
  const decode = (bytes) => {
    const reader = new Reader(bytes);
    return toHex(reader.take(reader.compact()));
  };
  return called(context, row, ["Metadata_metadata", new Uint8Array(), params[0]], ["state_getMetadata", params], decode);
}

async function runtimeVersion(context, params, row, method) {
  const pinned = context.pins.runtimeVersion;
  if (pinned !== undefined) return { result: pinned, class: "pinned" };
  return called(context, row, ["Core_version", new Uint8Array(), params[0]], [method, params], versionJson);
}

/** The version at the newest block, and each one after an upgrade. */
async function runtimeVersions(context, _params, push, row) {
  const read = (hash) => runtimeVersion(context, [hash], row, "state_getRuntimeVersion");
  const { hash } = await context.chain.head();
  const { result: first, ...about } = await read(hash);
  if (about.class === "pinned") return { start: () => push(first, about), end: () => {} };
  let last = JSON.stringify(first);
  let before = Promise.resolve();
  let off;
  const look = async ({ hash: at }) => {
    const { result, ...where } = await read(at);
    if (JSON.stringify(result) === last) return;
    last = JSON.stringify(result);
    push(result, where);
  };
  return {
    start: () => {
      push(first, about);
      off = context.chain.listen(({ blocks, gap }) => {
        // Over a gap, an upgrade may be in a block that is not shown.
        const changed = gap ? blocks.at(-1) : blocks.findLast(({ changesRuntime }) => changesRuntime);
        if (changed) before = before.then(() => look(changed)).catch((error) => void context.failed(error));
      });
    },
    end: () => off?.(),
  };
}

/** The version of a block's runtime in the form of `chainHead_v1_follow`: `{ spec, ...about }`. */
export async function specAt(context, row, hash) {
  const { result, ...about } = await runtimeVersion(context, [hash], row, "state_getRuntimeVersion");
  return { spec: specOf(result), ...about };
}

/** A call of `TransactionPaymentApi` about an extrinsic: the parameters are the extrinsic and its length. */
function fee(name, decode) {
  return (context, params, row, method) => {
    const extrinsic = fromHex(params[0]);
    if (!extrinsic) throw badParams("an extrinsic is 0x and hexadecimal digits");
    const parameters = concat([extrinsic, u32(extrinsic.length)]);
    return called(context, row, [`TransactionPaymentApi_${name}`, parameters, params[1]], [method, params], decode);
  };
}

const CLASSES = ["normal", "operational", "mandatory"];

function infoJson(bytes) {
  const reader = new Reader(bytes);
  const weight = { ref_time: Number(reader.compactLong()), proof_size: Number(reader.compactLong()) };
  const [kind] = reader.take(1);
  return { weight, class: CLASSES[kind], partialFee: reader.rest().toString() };
}

function detailsJson(bytes) {
  const reader = new Reader(bytes);
  const [isSome] = reader.take(1);
  if (isSome === 0) return { inclusionFee: null };
  // Three amounts, and a tip that nodes leave out.
  const size = (bytes.length - 1) / 4;
  const [baseFee, lenFee, adjustedWeightFee] = [0, 1, 2].map(() => `0x${reader.number(size).toString(16)}`);
  return { inclusionFee: { baseFee, lenFee, adjustedWeightFee } };
}

export const callAnswers = {
  call, archiveCall, metadata, runtimeVersion, runtimeVersions, feeInfo: fee("query_info", infoJson), feeDetails: fee("query_fee_details", detailsJson),
};
