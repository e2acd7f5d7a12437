// When an endpoint may be used. A lying endpoint is dropped. An unreachable one is retried after growing waits.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 30_000;
// An endpoint that lacks something, or stalls, may have it later.
const LONG_WAIT = 30_000;

/** An endpoint and its status. */
export class Endpoint {
  constructor(url) {
    this.url = url;
    /** Whether it is no longer used. */
    this.dropped = false;
    /** Its connection, while it is followed. */
    this.server = undefined;
    /** Whether it has shown its head, or failed to. */
    this.tried = false;
    /** The newest block that it has proven. */
    this.block = -1;
    /** The newest block when it said last that no set signs. */
    this.silent = undefined;
    /** Ends the wait before the next try. */
    this.retry = undefined;
    this.failures = 0;
    this.fault = undefined;
  }

  succeeded() {
    this.tried = true;
    this.failures = 0;
    this.fault = undefined;
  }

  /** Records a fault; returns the wait before the next try, in milliseconds. */
  failed(fault) {
    this.tried = true;
    this.fault = fault;
    this.server = undefined;
    const failures = this.failures++;
    switch (fault.verdict) {
      case "lied":
      case "other_chain":
      case "incompatible":
        this.dropped = true;
        return Number.POSITIVE_INFINITY;
      case "unreachable":
        return Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
      default:
        return LONG_WAIT;
    }
  }
}

const NO_WAY = "no endpoint can prove the way from the trusted state; no proof contradicts that state: ask other nodes (LIGHT-7)";
const ORDER = [["reset", "later_start"], ["lied", "other_chain"], ["incomplete", "too_large"], ["stalled", "incompatible", "unreachable"]];
const WORDS = [NO_WAY, "no honest endpoint is left", NO_WAY, "no usable endpoint"];

/**
 * Why no endpoint is usable. What the user can do comes before lies, so that no liar hides it; lies come before missing
 * data, and missing data before silence. Lists each endpoint.
 */
export function verdict(endpoints) {
  const order = ORDER.map((verdicts) => endpoints.filter(({ fault }) => verdicts.includes(fault?.verdict)));
  const first = order.findIndex((found) => found.length > 0);
  const reasons = endpoints.map(({ url, fault }) => `${url}: ${fault?.message ?? "no head yet"}`);
  return { fault: order[first]?.[0].fault, message: `${WORDS[first] ?? WORDS.at(-1)}: ${reasons.join("; ")}` };
}
