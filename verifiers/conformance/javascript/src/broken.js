/** What was checked breaks a rule of docs/spec. */
export class Broken extends Error {
  constructor(rule) {
    super(rule);
    this.rule = rule;
  }
}

export function require(holds, rule) {
  if (!holds) throw new Broken(rule);
}

/** Runs `work`; whatever rule it breaks, `rule` is the one that is reported. */
export function under(rule, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Broken) throw new Broken(rule);
    throw error;
  }
}
