// Errors, in one format for all causes.

import { shown, toHex } from "./text.js";

const FIELDS = ["verdict", "rule", "culprit", "nextStep", "endpoint", "expected", "got", "set", "first", "second", "checkpoint", "start"];

/**
 * An error of the light client: the broken rule, the culprit, and the next step.
 *
 * `verdict` is one word: `lied`, `other_chain`, `incompatible`, `unreachable`, `incomplete`, `too_large`, `reset`,
 * `later_start` or `stalled` for an endpoint, `refused` for input of the caller, `stale` if the newest block is older
 * than the caller's `maxAge`, `no_period` if nobody names a trusting period, `silent` if no set signs, so an endpoint
 * says, `stopped` if a call of the runtime has no result, `restarted` if the worker stopped and the client goes on,
 * `fatal` if the client stops.
 */
export class DuetError extends Error {
  constructor(fields) {
    super(fields.message);
    this.name = "DuetError";
    for (const field of FIELDS) if (fields[field] !== undefined) this[field] = fields[field];
  }

  /** A plain object for messages between threads, which drop the fields of errors. */
  toPlain() {
    const plain = { message: this.message };
    for (const field of FIELDS) if (this[field] !== undefined) plain[field] = this[field];
    return plain;
  }
}

const lie = (rule, what, values) =>
  new DuetError({ verdict: "lied", rule, culprit: "sender", nextStep: "leave-sender", message: `${rule}: ${what}`, ...values });

/** A fault of which nobody is guilty. */
const faultless = (verdict, message, fields) => new DuetError({ verdict, culprit: "nobody", nextStep: "leave-sender", message, ...fields });

/** RPC-1: the answer does not match the request. */
export function otherAnswer(asked, got) {
  return lie("RPC-1", `asked for ${asked}, got ${got}`, { expected: asked, got });
}

/** RPC-2: two answers that contradict each other. */
export function contradiction(what) {
  return lie("RPC-2", `contradictory answers: ${what}`);
}

/** Bytes that are not hexadecimal digits. (ENC-6) */
export function notHex(object) {
  return lie("ENC-6", `the bytes are not a canonical ${object}: not 0x and hexadecimal digits`);
}

/** The endpoint cannot be reached, or the connection broke. */
export function unreachable(message) {
  return faultless("unreachable", message);
}

/** The endpoint does not have the methods. */
export function incompatible(message) {
  return faultless("incompatible", `the endpoint does not serve Duet: ${message}`);
}

/** The endpoint lacks the needed data. Nothing shows that it lies. */
export function incomplete(what, rule) {
  return faultless("incomplete", `no ${what}`, { rule });
}

/** The answer is longer than permitted. The caller or the chain decides how long it is, so nothing shows a lie. */
export function tooLarge(what, limit) {
  return faultless("too_large", `${what}: the answer is longer than ${limit}: ask for less`, { nextStep: "go-on" });
}

/** The endpoint lags behind the others, or has no new proofs. */
export function stalled(message) {
  return faultless("stalled", message);
}

/** The endpoint claims that its chain was reset. No proof leads across it; the user has to confirm it. (LIGHT-8) */
export function reset(checkpoint) {
  const { block_number, block_hash, current } = checkpoint;
  const message = `LIGHT-8: the endpoint says that block ${block_number} (${block_hash}) began set ${current.id} without a handoff. No proof can show this: if people whom you trust confirm that block, continue from it with startHash or the checkpoint`;
  return faultless("reset", message, { rule: "LIGHT-8", nextStep: "new-checkpoint", checkpoint });
}

/** The endpoint claims that the chain adopted Duet at a later block. The user has to confirm the block. (LIGHT-1) */
export function laterStart({ block, hash }) {
  const named = toHex(hash);
  const message = `LIGHT-1: the endpoint has no proof of genesis, and says that the chain adopted Duet at block ${block} (${named}). This is not proven: if people whom you trust confirm that block, start at it with startHash`;
  return faultless("later_start", message, { rule: "LIGHT-1", nextStep: "new-checkpoint", start: { block, hash: named } });
}

/** The endpoint says why no proof comes. Nothing proves it. (HANDOFF-5, ACTIVE-3) */
export function silent(endpoint, { block, latestSet: set }) {
  const message = `the endpoint says that no set signs its newest block: set ${set}, trusted at block ${block}, has expired (HANDOFF-5) or was ended (ACTIVE-3), and no proof comes before a reset or a new activation`;
  return faultless("silent", message, { nextStep: "go-on", endpoint, set });
}

/** A call of the runtime without a result. Its code and entries are proven, so nobody who was asked is to blame. */
export function stopped(method, why, values) {
  return faultless("stopped", `${shown(method)}: ${why}`, { nextStep: "go-on", ...values });
}

/** Misuse: an invalid argument of the caller. */
export function misuse(message) {
  return new DuetError({ verdict: "refused", culprit: "caller", nextStep: "stop", message });
}

/** `tell(fault)` is called when the module trapped, which all clients of this thread share. */
export const onTrap = {};

/** An error of the verifier, as a fault of the sender of the bytes. */
export function ofVerifier(thrown) {
  if (thrown instanceof DuetError) return thrown;
  if (thrown instanceof WebAssembly.RuntimeError) {
    // The memory of the module may be corrupt now.
    const fault = new DuetError({ verdict: "fatal", culprit: "caller", nextStep: "stop", message: `the verifier stopped: ${thrown.message}` });
    onTrap.tell(fault);
    return fault;
  }
  if (thrown instanceof Error || typeof thrown !== "object" || thrown === null) {
    return otherAnswer("a valid answer", `an unreadable one (${shown(thrown?.message ?? thrown)})`);
  }
  return new DuetError({ ...thrown, verdict: verdictOf(thrown) });
}

function verdictOf({ culprit, nextStep }) {
  if (culprit === "sender") return "lied";
  if (nextStep === "fetch-handoff-proofs" || nextStep === "fetch-keys") return "incomplete";
  return "fatal";
}
