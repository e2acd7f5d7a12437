// The version of a runtime.

import { toHex } from "duet-light-client/text";
import { Reader } from "./bytes.js";

/** The result of `Core_version` in the JSON of `state_getRuntimeVersion`. */
export function versionJson(bytes) {
  const reader = new Reader(bytes);
  const number = () => Number(reader.number(4));
  const version = {
    specName: reader.text(),
    implName: reader.text(),
    authoringVersion: number(),
    specVersion: number(),
    implVersion: number(),
    apis: Array.from({ length: reader.compact() }, () => [toHex(reader.take(8)), number()]),
    // Runtimes of before these fields do not have them.
    transactionVersion: reader.left > 0 ? number() : 1,
  };
  const [systemVersion] = reader.left > 0 ? reader.take(1) : [0];
  return { ...version, systemVersion, stateVersion: systemVersion };
}

/** Converts the JSON of `state_getRuntimeVersion` to the form of `chainHead_v1_follow`; `undefined` if invalid. */
export function specOf({ specName, implName, specVersion, implVersion, transactionVersion, apis }) {
  if (typeof specName !== "string" || !Number.isInteger(specVersion) || !Array.isArray(apis)) return undefined;
  return { specName, implName, specVersion, implVersion, transactionVersion, apis: Object.fromEntries(apis) };
}
