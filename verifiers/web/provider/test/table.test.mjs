// The page shows the table that the code has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TABLE } from "../src/index.js";

const page = readFileSync(new URL("../../../../docs/light-clients/provider.md", import.meta.url), "utf8");

/** A row of the table, as the page has it. */
function line({ methods, class: worth, strict, note }) {
  return `| ${methods.map((method) => `\`${method}\``).join(", ")} | ${worth} | ${strict} | ${note} |`;
}

test("docs/light-clients/provider.md shows the table of methods, row by row", () => {
  const shown = page.split("\n").filter((text) => /^\| `\w+_\w+`/.test(text));
  assert.deepEqual(shown, TABLE.map(line));
});

test("every method of the specification's page on RPC is in the table", () => {
  const rpc = readFileSync(new URL("../../../../docs/spec/rpc.md", import.meta.url), "utf8");
  const known = new Set(TABLE.flatMap(({ methods, ends }) => [...methods, ...(ends?.split(" ") ?? [])]));
  const missing = [...rpc.matchAll(/^\| `(\w+_\w+)[`(]/gm)].map(([, method]) => method).filter((method) => !known.has(method));
  assert.deepEqual(missing, []);
});
