// Which endpoint may be asked when. A liar is never asked again; one that cannot be reached, after longer and longer waits.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 30_000;
// An endpoint that lacks something, or stalls, may have it later.
const LONG_WAIT = 30_000;

/** One endpoint, and what is known of it. */
export class Endpoint {
  constructor(url) {
    this.url = url;
    /** Whether it is never asked again. */
    this.dropped = false;
    /** Its connection, while it is followed. */
    this.server = undefined;
    /** Whether it has shown its head, or failed to. */
    this.tried = false;
    /** The newest block that it has proven to us. */
    this.block = -1;
    this.failures = 0;
    this.fault = undefined;
  }

  succeeded() {
    this.tried = true;
    this.failures = 0;
    this.fault = undefined;
  }

  /** Notes a fault; how long not to ask it, in milliseconds. */
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

const ORDER = [["lied", "other_chain"], ["reset", "later_start", "incomplete"], ["stalled", "incompatible", "unreachable"]];
const WORDS = [
  "no honest endpoint is left",
  "no endpoint can prove the way from here; nothing was proven against this state: ask more nodes (LIGHT-7)",
  "no endpoint is of use",
];

/** Why no endpoint is of use: a lie before something missing, and that before silence; each endpoint is named. */
export function verdict(endpoints) {
  const order = ORDER.map((verdicts) => endpoints.filter(({ fault }) => verdicts.includes(fault?.verdict)));
  const first = order.findIndex((found) => found.length > 0);
  const reasons = endpoints.map(({ url, fault }) => `${url}: ${fault?.message ?? "it has not shown a head yet"}`);
  return { fault: order[first]?.[0].fault, message: `${WORDS[first] ?? WORDS[2]}: ${reasons.join("; ")}` };
}
