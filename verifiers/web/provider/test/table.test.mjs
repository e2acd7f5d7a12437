// The table has every method of Duet.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TABLE } from "../src/index.js";

test("every method of the specification's page on RPC is in the table", () => {
  const rpc = readFileSync(new URL("../../../../docs/spec/rpc.md", import.meta.url), "utf8");
  const known = new Set(TABLE.flatMap(({ methods, ends }) => [...methods, ...ends]));
  const missing = [...rpc.matchAll(/^\| `(\w+_\w+)[`(]/gm)].map(([, method]) => method).filter((method) => !known.has(method));
  assert.deepEqual(missing, []);
});
