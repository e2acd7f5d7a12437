// The age of the newest trusted block. (LIGHT-9)

import { littleEndian, unhex } from './bytes.js';
import { require } from './broken.js';
import { checkHeader, readState } from './state.js';

const KEYS = [
  /** `twox_128("Timestamp") ‖ twox_128("Now")` */
  unhex('0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb'),
  /** `twox_128("Duet") ‖ twox_128("TrustingPeriod")` */
  unhex('0xae5a543b37564ca242e71af4200f32a14adf4fdc3989e54fece7695f453e9454'),
];

/** A `u64` in the state; nothing when there is none. */
const number = (value) => (value?.length === 8 ? littleEndian(value) : undefined);

/** LIGHT-9: the milliseconds since a time, which are within all periods, in seconds. */
export function checkPassed(time, now, periods) {
  const passed = now > time ? now - time : 0n;
  require(periods.every((period) => passed <= period * 1000n), 'LIGHT-9');
  return passed;
}

/** LIGHT-9: what the state of a block says of its age at `now`, in ms. `given` is the user's own period, in seconds. */
export function checkAge(block, { header, nodes, now, given }) {
  const { stateRoot } = checkHeader(block, header);
  const values = readState(nodes, stateRoot, KEYS, 'STATE-2');
  const [time, stated] = values.map(number);
  require(time !== undefined && (values[1] === undefined || stated !== undefined), 'LIGHT-9');
  // 0 in the state is no period.
  const periods = [stated || undefined, given].filter((period) => period !== undefined);
  const passed = checkPassed(time, now, periods);
  return { time, trusting_period: stated || null, age: passed / 1000n };
}
