// Runs every vector, and compares verdict, rule and outputs. Ends with an error when one differs.

import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { unhex } from './src/bytes.js';
import { OPERATIONS, run } from './src/operations.js';

const FOLDER = new URL('../vectors/', import.meta.url);
/** What says more about a refusal than its rule; a verifier need not say it. (verifiers/conformance/README.md) */
const REMARKS = ['cause', 'blame', 'next_step'];

/** An input with its bytes as such, and with the data of the file in the place of names. */
function resolve(value, data) {
  if (typeof value === 'string' && value.startsWith('$')) return unhex(data[value.slice(1)]);
  if (typeof value === 'string' && value.startsWith('0x')) return unhex(value);
  if (Array.isArray(value)) return value.map((item) => resolve(item, data));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolve(field, data)]));
  }
  return value;
}

function differs({ operation, input, expected }, data) {
  const wanted = Object.fromEntries(Object.entries(expected).filter(([name]) => !REMARKS.includes(name)));
  const got = run(operation, resolve(input, data));
  return isDeepStrictEqual(got, wanted) ? undefined : { wanted, got };
}

const counts = { equal: 0, different: 0, skipped: 0 };
for (const name of readdirSync(FOLDER).sort()) {
  const { format, data, cases } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
  if (format !== 1) throw new Error(`${name} has format ${format}`);
  const before = { ...counts };
  const began = performance.now();
  for (const one of cases) {
    if (!OPERATIONS.has(one.operation)) {
      console.log(`skipped: ${one.id}: no operation ${one.operation}`);
      counts.skipped += 1;
      continue;
    }
    const difference = differs(one, data);
    counts[difference ? 'different' : 'equal'] += 1;
    if (difference) console.log(`different: ${one.id}:`, JSON.stringify(difference));
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${name}: ${counts.equal - before.equal} of ${cases.length} equal, ${seconds} s`);
}
console.log(`${counts.equal} equal, ${counts.different} different, ${counts.skipped} skipped`);
if (counts.different + counts.skipped > 0 || counts.equal === 0) process.exitCode = 1;
