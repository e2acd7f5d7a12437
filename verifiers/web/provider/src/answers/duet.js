// Proofs of finality as the light client took them.

import { toHex } from "duet-light-client/text";

// A justification: the commitment, a bitfield with its length, a signature in G1 and a key in G2 (docs/spec/formats.md).
const [COMMITMENT, SIGNATURE, KEY] = [168, 48, 96];

/** The justification with which every form of proof begins; `undefined` when the bytes end too early. */
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
        // Handoffs that came in a list have no proof of their own to show: the numbers of the sets show the gap.
        const justification = proof && justificationOf(proof);
        if (justification) push(toHex(justification), { block, hash: toHex(hash), endpoint });
      });
    },
    end: () => off?.(),
  };
}

export const duetAnswers = { justifications };
