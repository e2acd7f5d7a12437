// A local network for the tests: what `cargo xtask demo` runs.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts a network of two validators: `{ genesisHash, endpoints, stop }`. */
export async function startDemo() {
  const demo = spawn(process.env.DUET_DEMO, ["--validators", "2"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => demo.once("exit", resolve));
  const stop = async () => {
    demo.kill("SIGINT");
    await ended;
  };
  const network = await new Promise((resolve, reject) => {
    createInterface({ input: demo.stdout }).on("line", (line) => {
      const genesis = /--genesis (0x[0-9a-f]{64})/.exec(line);
      const endpoints = [...line.matchAll(/--url (ws:\S+)/g)].map(([, url]) => url);
      if (genesis) resolve({ genesisHash: genesis[1], endpoints });
    });
    ended.then((code) => reject(new Error(`the demo ended with ${code} before it named its nodes`)));
  });
  return { ...network, stop };
}
