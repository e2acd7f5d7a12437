// Errors in the form of JSON-RPC, with what the light client says in `data`.

/** The method cannot be verified, and only verified answers are wanted. */
export const REFUSED = -32090;
/** No endpoint could prove an answer. */
export const NOT_PROVEN = -32091;
/** More than this provider keeps at once. */
export const TOO_MANY = -32092;
export const BAD_PARAMS = -32602;
export const NO_METHOD = -32601;

const SHOWN = ["verdict", "rule", "culprit", "nextStep", "endpoint", "expected", "got"];

/** An error with the code of JSON-RPC. */
export class ProviderError extends Error {
  constructor(code, message, data) {
    super(message);
    this.name = "ProviderError";
    this.code = code;
    if (data !== undefined) this.data = data;
  }

  /** The error object of JSON-RPC. */
  toJson() {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** The caller's parameters are not what the method takes. */
export function badParams(message) {
  return new ProviderError(BAD_PARAMS, message);
}

/** The method is not served, and why. */
export function refused(method, why) {
  return new ProviderError(REFUSED, `${method} is refused: ${why}`, { verdict: "refused", method });
}

export function tooMany(what) {
  return new ProviderError(TOO_MANY, `there are ${what} already`);
}

/** An error of the light client: the rule that broke, who broke it, and what to do next are in `data`. */
export function ofClient(thrown) {
  if (thrown instanceof ProviderError) return thrown;
  if (thrown?.verdict === undefined) return new ProviderError(-32603, `the provider failed: ${thrown?.message ?? thrown}`);
  const data = {};
  for (const field of SHOWN) if (thrown[field] !== undefined) data[field] = thrown[field];
  return new ProviderError(thrown.verdict === "refused" && thrown.rule === undefined ? BAD_PARAMS : NOT_PROVEN, thrown.message, data);
}

/** The error that a node answered, cut so that it can be shown. */
export function ofNode({ code, message, data }, shown) {
  return new ProviderError(code, shown(message), typeof data === "string" ? shown(data) : undefined);
}
