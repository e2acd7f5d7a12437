// What can be wrong, in one shape for every cause.

import { shown, toHex } from "./text.js";

const FIELDS = ["verdict", "rule", "culprit", "nextStep", "endpoint", "expected", "got", "set", "first", "second", "checkpoint", "start"];

/**
 * An error of the light client: which rule broke, who is to blame, and what to do next.
 *
 * `verdict` is one word: `lied`, `other_chain`, `incompatible`, `unreachable`, `incomplete`, `reset`, `later_start` or `stalled` for
 * an endpoint,
 * `refused` for bytes that the caller gave, `fatal` where the client stops.
 */
export class DuetError extends Error {
  constructor(fields) {
    super(fields.message);
    this.name = "DuetError";
    for (const field of FIELDS) if (fields[field] !== undefined) this[field] = fields[field];
  }

  /** What crosses the border of a worker, where errors lose their fields. */
  toPlain() {
    const plain = { message: this.message };
    for (const field of FIELDS) if (this[field] !== undefined) plain[field] = this[field];
    return plain;
  }
}

/** RPC-1: the answer is not what was asked for. */
export function otherAnswer(asked, got) {
  return new DuetError({
    verdict: "lied",
    rule: "RPC-1",
    culprit: "sender",
    nextStep: "leave-sender",
    message: `RPC-1: asked for ${asked}, it sent ${got}`,
    expected: asked,
    got,
  });
}

/** RPC-2: two answers that cannot both be honest. */
export function contradiction(what) {
  return new DuetError({
    verdict: "lied",
    rule: "RPC-2",
    culprit: "sender",
    nextStep: "leave-sender",
    message: `RPC-2: its answers contradict each other: ${what}`,
  });
}

/** Bytes that are not hexadecimal digits. (ENC-6) */
export function notHex(object) {
  return new DuetError({
    verdict: "lied",
    rule: "ENC-6",
    culprit: "sender",
    nextStep: "leave-sender",
    message: `ENC-6: the bytes are not a canonical ${object}: not 0x and hexadecimal digits`,
  });
}

/** The endpoint cannot be reached, or the connection broke. */
export function unreachable(message) {
  return new DuetError({ verdict: "unreachable", culprit: "nobody", nextStep: "leave-sender", message });
}

/** The endpoint does not have the methods. */
export function incompatible(message) {
  return new DuetError({
    verdict: "incompatible",
    culprit: "nobody",
    nextStep: "leave-sender",
    message: `it does not serve Duet: ${message}`,
  });
}

/** The endpoint is honest as far as we know, and lacks what we need. */
export function incomplete(what, rule) {
  return new DuetError({
    verdict: "incomplete",
    rule,
    culprit: "nobody",
    nextStep: "leave-sender",
    message: `it has no ${what}`,
  });
}

/** The endpoint says that its chain was reset: no proof leads on, and the user has to ask others. (LIGHT-8) */
export function reset(checkpoint) {
  const { block_number, block_hash, current } = checkpoint;
  return new DuetError({
    verdict: "reset",
    rule: "LIGHT-8",
    culprit: "nobody",
    nextStep: "new-checkpoint",
    checkpoint,
    message: `LIGHT-8: it says that block ${block_number} (${block_hash}) began set ${current.id} without a handoff. No proof can show that: go on from it with startHash or the checkpoint when people whom you trust confirm that block`,
  });
}

/** The endpoint says that the chain took Duet up later: nothing proves at which block, and the user has to ask others. (LIGHT-1) */
export function laterStart({ block, hash }) {
  const named = toHex(hash);
  return new DuetError({
    verdict: "later_start",
    rule: "LIGHT-1",
    culprit: "nobody",
    nextStep: "new-checkpoint",
    start: { block, hash: named },
    message: `LIGHT-1: it has no proof of genesis, and says that the chain took Duet up at block ${block} (${named}). Nobody proved that: begin there with startHash when people whom you trust confirm that block`,
  });
}

/** Misuse: what the caller gave is not what the method takes. */
export function misuse(message) {
  return new DuetError({ verdict: "refused", culprit: "caller", nextStep: "stop", message });
}

/** What the verifier threw, as the fault of the one who sent the bytes. */
export function ofVerifier(thrown) {
  if (thrown instanceof DuetError) return thrown;
  if (thrown instanceof WebAssembly.RuntimeError) {
    // Its memory may be anything now.
    return new DuetError({ verdict: "fatal", culprit: "caller", nextStep: "stop", message: `the verifier stopped: ${thrown.message}` });
  }
  if (thrown instanceof Error || typeof thrown !== "object" || thrown === null) {
    return otherAnswer("what was asked", `what this client does not understand (${shown(thrown?.message ?? thrown)})`);
  }
  return new DuetError({ ...thrown, verdict: verdictOf(thrown) });
}

function verdictOf({ culprit, nextStep }) {
  if (culprit === "sender") return "lied";
  if (nextStep === "fetch-handoff-proofs" || nextStep === "fetch-keys") return "incomplete";
  return "fatal";
}
