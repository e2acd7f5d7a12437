// A local network for the tests: what `cargo xtask demo` runs.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Starts a network: `{ genesisHash, endpoints, nodes, page, stop }`. Each of `nodes` has a name, a process and an address; `page` is
 * the address of the page.
 */
export async function startDemo(validators) {
  const demo = spawn(process.env.DUET_DEMO, ["--validators", String(validators)], { stdio: ["ignore", "pipe", "inherit"] });
  // Also when a test gives up before the network is there.
  process.once("exit", () => demo.kill("SIGINT"));
  const ended = new Promise((resolve) => demo.once("exit", resolve));
  const stop = async () => {
    demo.kill("SIGINT");
    await ended;
  };
  const network = { nodes: [], stop };
  await new Promise((resolve, reject) => {
    createInterface({ input: demo.stdout }).on("line", (line) => {
      const node = /^\s+(\w+)\s+process (\d+)\s+(ws:\S+)$/.exec(line);
      if (node) network.nodes.push({ name: node[1], process: Number(node[2]), url: node[3] });
      const genesis = /--genesis (0x[0-9a-f]{64})/.exec(line);
      if (genesis) {
        network.genesisHash = genesis[1];
        network.endpoints = [...line.matchAll(/--url (ws:\S+)/g)].map(([, url]) => url);
      }
      const page = /in your browser: (http:\S+)/.exec(line);
      if (!page) return;
      network.page = page[1];
      resolve();
    });
    ended.then((code) => reject(new Error(`the demo ended with ${code} before it named its page`)));
  });
  return network;
}
