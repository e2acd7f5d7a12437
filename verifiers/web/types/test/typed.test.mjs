// The hand-written types are those that the libraries take, and mistakes are found by them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

test("a program that uses the three packages with both libraries compiles, and its three mistakes are found", () => {
  const compiler = path("../../node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "--project", path("typed")], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
