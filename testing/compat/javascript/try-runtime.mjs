// try-runtime: the runtime's own checks on the state of a chain of ours, by the command that chopsticks has for them.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WsProvider } from "@polkadot/api";
import { check, expect, seen, step, until } from "./support/check.mjs";

const COMMAND = new URL("node_modules/@acala-network/chopsticks/chopsticks.cjs", import.meta.url).pathname;
const LIMIT = 120_000;
/** What the node runs is what is checked, so the version of the new runtime is not higher. Of the runtime's log, errors. */
const FLAGS = ["--disable-spec-check", "--runtime-log-level", "1"];
/** An invariant of `pallet/src/invariants.rs`, broken by one value, and what `try_state` says of it. */
const BROKEN = { Duet: { OldestSet: 7 } };
const RULE = "the oldest remembered set is in the future";

/** The runtime to check, as `cargo xtask compat` names it. */
function runtime() {
  const path = process.env.DUET_TRY_RUNTIME;
  if (!path) throw new Error("DUET_TRY_RUNTIME is not set; `cargo xtask compat try-runtime` builds the WASM and sets it");
  return path;
}

/** Puts the runtime in the place of the chain's own, as an upgrade does, and runs the checks of that. */
function upgrade(url, block, checks, ...more) {
  const flags = ["try-runtime", "--endpoint", url, "--block", block, "--runtime", runtime(), "--checks", checks];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...flags, ...FLAGS, ...more], { timeout: LIMIT }, (error, stdout, stderr) => {
      process.removeListener("exit", kill);
      resolve({ status: error ? (error.code ?? error.signal) : 0, output: `${stdout}\n${stderr}` });
    });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
  });
}

await check("try-runtime", async ({ url }) => {
  step("see a proof");
  const node = new WsProvider(url);
  await node.isReady;
  const block = await until(() => node.send("duet_getFinalizedHead", []).catch(() => undefined));
  const { number } = await node.send("chain_getHeader", [block]);
  await node.disconnect();
  seen(`block ${Number(number)}`);

  step("upgrade there, with all checks");
  const { status, output } = await upgrade(url, block, "All");
  expect(status === 0, `the command ended with ${status}:\n${output}`);
  const weight = /Consumed weight: .*/.exec(output);
  expect(weight, `the command printed no weight:\n${output}`);
  seen(weight[0]);

  const folder = await mkdtemp(join(tmpdir(), "duet-compat-"));
  try {
    const file = join(folder, "broken.json");
    await writeFile(file, JSON.stringify(BROKEN));

    step("upgrade where an invariant of the pallet is broken");
    const broken = await upgrade(url, block, "All", "--import-storage", file);
    expect(broken.status !== 0, `the command succeeded:\n${broken.output}`);
    expect(broken.output.includes(RULE), `the output does not contain "${RULE}":\n${broken.output}`);
    seen(`refused: ${RULE}`);

    step("the same without checks");
    const unchecked = await upgrade(url, block, "None", "--import-storage", file);
    expect(unchecked.status === 0, `the command ended with ${unchecked.status}:\n${unchecked.output}`);
    seen("passed, so it was try_state that refused");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
