// Writes the metadata of our runtime to where the code for PAPI and subxt is generated from.

import { writeFile } from "node:fs/promises";
import { WsProvider } from "@polkadot/api";
import { check, expect, seen, step } from "./support/check.mjs";

const FILE = new URL("../metadata/duet.scale", import.meta.url);
/** The newest version of metadata that the runtime and both tools know. */
const VERSION = 16;

await check("metadata", async ({ url }) => {
  step("ask the runtime");
  const node = new WsProvider(url);
  await node.isReady;
  const version = Buffer.alloc(4);
  version.writeUInt32LE(VERSION);
  const answer = await node.send("state_call", ["Metadata_metadata_at_version", `0x${version.toString("hex")}`]);
  await node.disconnect();
  const bytes = Buffer.from(answer.slice(2), "hex");
  // `Option<Vec<u8>>`: one byte, then a length in four bytes.
  expect(bytes[0] === 1 && (bytes[1] & 3) === 2, `the runtime has no metadata of version ${VERSION}`);
  const metadata = bytes.subarray(5);
  expect(metadata.length === bytes.readUInt32LE(1) >>> 2, "the length prefix does not match the metadata");
  await writeFile(FILE, metadata);
  seen(`${metadata.length} bytes of version ${metadata[4]}`);
});
