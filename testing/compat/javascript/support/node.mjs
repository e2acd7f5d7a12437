// A node of a development chain, started for one script and ended with it.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const START_LIMIT = 120_000;
const STOP_LIMIT = 10_000;

/** The executable, as `cargo xtask compat` names it. */
export function executable() {
  const path = process.env.DUET_NODE;
  if (!path) throw new Error("DUET_NODE is not set; `cargo xtask compat` builds a node and sets it");
  return path;
}

/**
 * Starts a chain with one validator, which makes a block every two seconds, finalizes it and proves it. All ports are
 * chosen by the system. `url` is where its RPC is, `stop` ends it and removes its files.
 */
export async function startNode() {
  const program = executable();
  const folder = await mkdtemp(join(tmpdir(), "duet-compat-"));
  const flags = [
    ...["--dev", "--base-path", folder, "--rpc-port", "0", "--listen-addr", "/ip4/127.0.0.1/tcp/0/ws"],
    ...["--no-prometheus", "--no-telemetry", "--no-mdns"],
  ];
  const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(`ended with ${signal ?? code}`));
    child.once("error", (error) => resolve(error.message));
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(kill, STOP_LIMIT);
    await ended;
    clearTimeout(timer);
    process.removeListener("exit", kill);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: await address(child.stderr, ended), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for the line with which the node tells where its RPC is. What it prints later is read and dropped. */
function address(output, ended) {
  const tail = [];
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`the node ${why}:\n${tail.join("\n")}`));
    const timer = setTimeout(() => fail(`did not start within ${START_LIMIT / 1000} s`), START_LIMIT);
    createInterface({ input: output }).on("line", (line) => {
      tail.push(line);
      if (tail.length > 20) tail.shift();
      const found = /JSON-RPC server: addr=127\.0\.0\.1:(\d+)/.exec(line);
      if (found) resolve(`ws://127.0.0.1:${found[1]}`);
      if (found) clearTimeout(timer);
    });
    ended.then((how) => {
      clearTimeout(timer);
      fail(how);
    });
  });
}
