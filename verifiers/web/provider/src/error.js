// JSON-RPC errors, with the details from the light client in `data`.

/** The method is not served, or not in strict mode. */
export const REFUSED = -32090;
/** No endpoint could prove an answer. */
export const NOT_PROVEN = -32091;
/** Too many requests or subscriptions at once. */
export const TOO_MANY = -32092;
/** The newest proven block is older than the `maxAge` of the light client. */
export const STALE = -32093;
/** A call of the runtime has no result: it trapped, or takes more than a call may have. */
export const STOPPED = -32094;
export const BAD_PARAMS = -32602;
export const NO_METHOD = -32601;

const SHOWN = ["verdict", "rule", "culprit", "nextStep", "endpoint", "expected", "got"];

/** An error with a JSON-RPC code. */
export class ProviderError extends Error {
  constructor(code, message, data) {
    super(message);
    this.name = "ProviderError";
    this.code = code;
    if (data !== undefined) this.data = data;
  }

  /** The JSON-RPC error object. */
  toJson() {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** The caller's parameters are invalid. */
export function badParams(message) {
  return new ProviderError(BAD_PARAMS, message);
}

/** The method is not served; `why` is the reason. */
export function refused(method, why) {
  return new ProviderError(REFUSED, `${method} is refused: ${why}`, { verdict: "refused", method });
}

export function tooMany(what) {
  return new ProviderError(TOO_MANY, `there are already ${what}`);
}

/** An error of the light client, with the broken rule, the culprit and the next step in `data`. */
export function ofClient(thrown) {
  if (thrown instanceof ProviderError) return thrown;
  if (thrown?.verdict === undefined) return new ProviderError(-32603, `the provider failed: ${thrown?.message ?? thrown}`);
  const data = {};
  for (const field of SHOWN) if (thrown[field] !== undefined) data[field] = thrown[field];
  const isMisuse = thrown.verdict === "refused" && thrown.rule === undefined;
  const code = { stale: STALE, stopped: STOPPED }[thrown.verdict] ?? (isMisuse ? BAD_PARAMS : NOT_PROVEN);
  return new ProviderError(code, thrown.message, data);
}

/** The error from a node, escaped and shortened for display. */
export function ofNode({ code, message, data }, shown) {
  return new ProviderError(code, shown(message), typeof data === "string" ? shown(data) : undefined);
}
