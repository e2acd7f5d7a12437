// Data that the application vouches for: the chain's name and properties, which cannot be proven, and metadata and
// runtime version, which then need not be.

import { toHex } from "duet-light-client/text";
import { compact, fromHex, u32 } from "./bytes.js";
import { badParams } from "./error.js";
import { specOf } from "./version.js";

const MAGIC = toHex(new TextEncoder().encode("meta"));

/** The pinned data. Each field is `undefined` if the application did not pin it. */
export class Pins {
  constructor({ metadata, runtimeVersion, chain, properties } = {}) {
    this.metadata = metadata === undefined ? undefined : bytesOf(metadata);
    this.runtimeVersion = runtimeVersion === undefined ? undefined : versionOf(runtimeVersion);
    this.chain = chain;
    this.properties = properties;
  }

  /** The result of a runtime call for metadata; `undefined` for other calls, or without pinned metadata. */
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

  /** The pinned metadata as the result of `state_getMetadata`. */
  get metadataHex() {
    return toHex(this.metadata);
  }
}

function bytesOf(metadata) {
  const bytes = metadata instanceof Uint8Array ? metadata : fromHex(metadata);
  if (!bytes || toHex(bytes.subarray(0, 4)) !== MAGIC) throw badParams("pinned.metadata has to be bytes that begin with `meta`, or their hex");
  return bytes;
}

function versionOf(version) {
  if (!specOf(version ?? {})) throw badParams("pinned.runtimeVersion has to be a result of state_getRuntimeVersion");
  return version;
}
