// Hashes in what the client gives to its caller.

import { toHex } from "./text.js";

const HASHES = ["hash", "parentHash", "stateRoot", "extrinsicsRoot", "mmrRoot", "genesisHash", "resetHash"];

/** Gives each hash of an object as `0x` and hexadecimal digits, and its bytes under the same name with `Bytes`. */
export function withText(given) {
  const shown = { ...given };
  for (const name of HASHES) {
    const bytes = given[name];
    if (bytes instanceof Uint8Array) Object.assign(shown, { [name]: toHex(bytes), [`${name}Bytes`]: bytes });
  }
  if (given.headers) shown.headers = given.headers.map(withText);
  return shown;
}
