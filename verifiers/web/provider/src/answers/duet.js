// Finality proofs that the light client has verified.

import { toHex } from "duet-light-client/text";

// A justification: the commitment, a bitfield with its length, a signature in G1 and a key in G2 (docs/spec/formats.md).
const [COMMITMENT, SIGNATURE, KEY] = [168, 48, 96];

/** The justification at the start of every form of proof; `undefined` if the bytes end too early. */
export function justificationOf(proof) {
  const mode = proof[COMMITMENT] & 3;
  const bytes = [1, 2, 4][mode];
  if (bytes === undefined) return undefined;
  const length = proof.subarray(COMMITMENT, COMMITMENT + bytes).reduceRight((sum, byte) => sum * 256 + byte, 0) >>> 2;
  const whole = COMMITMENT + bytes + length + SIGNATURE + KEY;
  return proof.length < whole ? undefined : proof.subarray(0, whole);
}

async function justifications({ client }, _params, push) {
  let off;
  return {
    start: () => {
      off = client.on("head", ({ proof, block, hash, endpoint }) => {
        // Handoffs from a list have no separate proof: the gap shows in the set ids.
        const justification = proof && justificationOf(proof);
        if (justification) push(toHex(justification), { block, hash, endpoint });
      });
    },
    end: () => off?.(),
  };
}

export const duetAnswers = { justifications };
