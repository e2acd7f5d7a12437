// The worker's side of `Calls`: executes calls, and reads metadata.

/**
 * Serves `Calls` in a worker. `loadCalls()` and `loadOutcomes()` give the modules, `receive` takes a callback for
 * messages, `post` sends one.
 */
export function serveCalls(loadCalls, loadOutcomes, receive, post) {
  let calls;
  let outcomes;
  const answer = async ({ method, parameters, root, nodes, metadata, events, index, extrinsic }) => {
    if (root) {
      calls ??= new (await loadCalls()).Calls();
      return calls.call(method, parameters, root, nodes);
    }
    outcomes ??= new (await loadOutcomes()).Outcomes();
    return events ? outcomeOf(outcomes.outcome(metadata, events, index)) : [...outcomes.mortality(metadata, extrinsic)];
  };
  receive(async (question) => {
    try {
      post({ value: await answer(question) });
    } catch (error) {
      // The modules throw texts. After anything else, their memory may be corrupt.
      post({ error: { message: String(error?.message ?? error), isFatal: typeof error !== "string" } });
    }
  });
}

/** An outcome as the client gives it. */
function outcomeOf(text) {
  const { success, error, fee, events } = JSON.parse(text);
  const outcome = { success, events };
  if (error) outcome.error = error;
  if (fee) outcome.fee = { paid: BigInt(fee.paid), tip: BigInt(fee.tip) };
  return outcome;
}
