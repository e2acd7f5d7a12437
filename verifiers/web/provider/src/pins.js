// What the application itself vouches for, because no proof of it exists: metadata, runtime version, the chain's name.

import { toHex } from "duet-light-client/text";
import { compact, fromHex, u32 } from "./bytes.js";
import { badParams } from "./error.js";

const MAGIC = toHex(new TextEncoder().encode("meta"));

/** What is pinned. Each is `undefined` when the application did not pin it. */
export class Pins {
  constructor({ metadata, runtimeVersion, chain, properties } = {}) {
    this.metadata = metadata === undefined ? undefined : bytesOf(metadata);
    this.runtimeVersion = runtimeVersion === undefined ? undefined : versionOf(runtimeVersion);
    this.chain = chain;
    this.properties = properties;
  }

  /** What a call into the runtime would answer about its metadata; `undefined` for other calls, or when none is pinned. */
  call(name, argument) {
    if (this.metadata === undefined) return undefined;
    const opaque = () => [...compact(this.metadata.length), ...this.metadata];
    const version = this.metadata[4];
    switch (name) {
      case "Metadata_metadata":
        return toHex(opaque());
      case "Metadata_metadata_versions":
        return toHex([...compact(1), ...u32(version)]);
      case "Metadata_metadata_at_version":
        return argument === toHex(u32(version)) ? toHex([1, ...opaque()]) : "0x00";
      default:
        return undefined;
    }
  }

  /** The pinned metadata as `state_getMetadata` answers it. */
  get metadataHex() {
    return toHex(this.metadata);
  }

  /** The pinned version in the form of `chainHead_v1_follow`. */
  get spec() {
    return this.runtimeVersion && specOf(this.runtimeVersion);
  }
}

/** The JSON of `state_getRuntimeVersion` in the form of `chainHead_v1_follow`; `undefined` when it is something else. */
export function specOf({ specName, implName, specVersion, implVersion, transactionVersion, apis }) {
  if (typeof specName !== "string" || !Number.isInteger(specVersion) || !Array.isArray(apis)) return undefined;
  return { specName, implName, specVersion, implVersion, transactionVersion, apis: Object.fromEntries(apis) };
}

function bytesOf(metadata) {
  const bytes = metadata instanceof Uint8Array ? metadata : fromHex(metadata);
  if (!bytes || toHex(bytes.subarray(0, 4)) !== MAGIC) throw badParams("pinned.metadata has to be the bytes that begin with `meta`, or their hex");
  return bytes;
}

function versionOf(version) {
  if (!specOf(version ?? {})) throw badParams("pinned.runtimeVersion has to be what state_getRuntimeVersion answers");
  return version;
}
