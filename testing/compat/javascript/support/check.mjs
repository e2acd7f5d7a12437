// The frame of every script: steps that are named, a limit of time, and an end with a status.

import { startNode } from "./node.mjs";

const LIMIT = 300_000;

let current = "start a node";

/** Names what is done next; an error or a timeout says it. */
export function step(what) {
  current = what;
}

/** Prints something that was seen. */
export function seen(text) {
  console.log(`  ${current}: ${text}`);
}

/** Throws when something does not hold. */
export function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

/** Looks again until there is an answer. The limit of the script bounds this. */
export async function until(look) {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Starts a node, runs the script on it and ends the process: with status 0, or with a message. */
export async function check(tool, run) {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
  console.log(`${tool}`);
  let node;
  let status = 0;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${LIMIT / 1000} s`)), LIMIT);
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  try {
    node = await startNode();
    await Promise.race([run(node), late]);
    console.log(`${tool}: passed in ${seconds()}`);
  } catch (error) {
    console.error(`${tool}: failed after ${seconds()}, at "${current}": ${error?.message ?? error}`);
    status = 1;
  }
  clearTimeout(timer);
  await node?.stop();
  // Some libraries keep the process alive by timers of their own.
  process.exit(status);
}
