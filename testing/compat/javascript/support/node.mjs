// A node of a development chain, started for one script and ended with it.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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
 *
 * With `DUET_LIGHT`, the executable of the light client, `url` is that of `duet-light serve`, which answers for the node.
 */
export async function startNode() {
  const folder = await mkdtemp(join(tmpdir(), "duet-compat-"));
  const running = [];
  const stop = async () => {
    for (const one of running.reverse()) await one.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const start = async (...program) => {
    running.push(run(...program));
    return running.at(-1).address;
  };
  try {
    const flags = [
      ...["--dev", "--base-path", folder, "--rpc-port", "0", "--listen-addr", "/ip4/127.0.0.1/tcp/0/ws"],
      ...["--no-prometheus", "--no-telemetry", "--no-mdns"],
    ];
    const node = await start(executable(), flags, /JSON-RPC server: addr=(127\.0\.0\.1:\d+)/);
    if (!process.env.DUET_LIGHT) return { url: node, stop };
    const serve = ["serve", "--json", "--listen", "127.0.0.1:0", "--url", node, "--genesis", await genesis(node)];
    return { url: await start(process.env.DUET_LIGHT, serve, /"address":"(127\.0\.0\.1:\d+)"/), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a program whose RPC has the address that one of its lines names. */
function run(program, flags, line) {
  const child = spawn(program, flags, { stdio: ["ignore", "pipe", "pipe"] });
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
  };
  return { address: address(child, ended, line, basename(program)), stop };
}

/** The hash of the genesis, as the node names it. Only a script trusts a node in this. */
async function genesis(url) {
  const call = { id: 1, jsonrpc: "2.0", method: "chain_getBlockHash", params: [0] };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url.replace("ws:", "http:"), { method: "POST", headers, body: JSON.stringify(call) });
  return (await answer.json()).result;
}

/** Waits for the line with the address. What is printed later is read and dropped. */
function address(child, ended, line, name) {
  const tail = [];
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${name} ${why}:\n${tail.join("\n")}`));
    const timer = setTimeout(() => fail(`did not start within ${START_LIMIT / 1000} s`), START_LIMIT);
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on("line", (text) => {
        tail.push(text);
        if (tail.length > 20) tail.shift();
        const found = line.exec(text);
        if (found) resolve(`ws://${found[1]}`);
        if (found) clearTimeout(timer);
      });
    }
    ended.then((how) => {
      clearTimeout(timer);
      fail(how);
    });
  });
}
