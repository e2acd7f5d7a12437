// The page: follows the local validators, and shows verified data.

import { isForeign, mistake } from "./address.js";
import { create, indexedDb, shown } from "./light-client/src/browser.js";
import { chain } from "./light-client/src/chains.js";
import { plot } from "./plots.js";
import { follow as followRecovery, showLeft } from "./recovery.js";
import { accountAnswer, add, blockAnswer, changesIn, element, errorAnswer, old, proofLine, seam } from "./show.js";

const began = performance.now();
const at = (id) => document.getElementById(id);
const network = await readNetwork();
const storage = network && indexedDb(network.genesisHash);
const plots = {
  signers: plot(at("plots"), "Signers of a block", ""),
  bytes: plot(at("plots"), "Bytes of its proof", ""),
  ms: plot(at("plots"), "Time to verify it here", " ms"),
};

/** The first block of the current handoff whose proof was seen. */
let named;
/** Faults by their text, the latest last, each with its line on the page and its count. */
const FAULTS = 100;
const faults = new Map();

/** The endpoints whose last sign was a fault. */
const down = new Set();
let timer;

let client;
if (network) follow({});
if (client) {
  answers();
  for (const name of ["online", "offline"]) addEventListener(name, showDown);
  document.addEventListener("visibilitychange", tick);
}

/** The chain and its endpoints: from the address of the page, or from the server of the page. */
async function readNetwork() {
  const own = await readOwn();
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("genesis")) {
    const named = { genesisHash: given.get("genesis"), startHash: given.get("start") ?? undefined, endpoints: given.getAll("endpoint") };
    showNetwork(named, own);
    return named;
  }
  if (own) showNetwork(own, own);
  else if (at("state").textContent === "Connecting…") say("No network.json here: name a chain in the address, for example #genesis=0x…&endpoint=ws://127.0.0.1:9944");
  return own;
}

/** The chain for which the page was published, or that of the list which the address names; the first one by default. */
async function readOwn() {
  const answer = await fetch("network.json", { cache: "no-store" }).catch(() => undefined);
  if (!answer?.ok) return undefined;
  try {
    const chains = [await answer.json()].flat();
    const name = new URLSearchParams(location.hash.slice(1)).get("chain") ?? chains[0]?.name;
    const options = chain(chains, name);
    offer(chains, name);
    return { ...options, name, ss58Prefix: chains.find((one) => one.name === name).ss58Prefix };
  } catch (error) {
    say(`network.json: ${error.message}`);
    return undefined;
  }
}

/** Lets the user choose, where there is a choice. */
function offer(chains, name) {
  at("choice").hidden = chains.length < 2;
  at("chain").replaceChildren(...chains.map((one) => new Option(one.name, one.name, false, one.name === name)));
  at("chain").addEventListener("change", ({ target }) => {
    location.hash = new URLSearchParams({ chain: target.value });
    location.reload();
  });
}

/** Which chain is verified. A link may name any chain, and its author may have made that chain up. */
function showNetwork({ genesisHash, startHash }, own) {
  const same = (one, other) => (one ?? "").toLowerCase() === (other ?? "").toLowerCase();
  at("genesis").textContent = shown(genesisHash);
  at("begins").textContent = startHash === undefined ? "the genesis" : shown(startHash);
  const isOwn = own !== undefined && same(genesisHash, own.genesisHash);
  const name = own?.name ?? "This page's network";
  const [text, mark] = isOwn
    ? same(startHash, own.startHash)
      ? [name, "good"]
      : [`${name}, but the link names another block to begin at than this page`, "bad"]
    : own
      ? [`Not this page's network (${name}): the link names another chain. Trust it only as far as you trust the link.`, "bad"]
      : ["Named by the link. Trust it only as far as you trust the link.", "bad"];
  at("network").textContent = text;
  at("network").className = mark;
}

function say(text) {
  at("state").textContent = text;
}

function follow({ trustOldStart, recoveryProof }) {
  const { genesisHash, startHash, endpoints, trustingPeriod } = network;
  try {
    client = create({ genesisHash, startHash, endpoints, trustingPeriod, storage, trustOldStart, recoveryProof });
  } catch (error) {
    say(error.message);
    return;
  }
  at("endpoints").replaceChildren(...endpoints.map((url) => element("li", shown(url))));
  client.on("start", showStart);
  client.on("head", showHead);
  client.on("time", tick);
  client.on("recovered", showTrusted);
  followRecovery(client, recoveryProof !== undefined);
  client.on("fault", showFault);
  client.ready.then(showReady, (error) => error.rule === "LIGHT-9" || say(error.message));
}

/** Why the client takes no proof, and the user's way on. (LIGHT-9) */
function showAge({ verdict, expected, got }) {
  if (verdict === "fatal") say("Stopped.");
  const age = got === undefined ? "of unknown age" : `${got} s old, and the trusting period is ${expected} s`;
  at("age").textContent = `The newest block that this browser trusts is ${age}. (LIGHT-9)`;
  at("too-old").hidden = false;
}

/**
 * Shows how old the newest block is, by this device's clock, and what is left of a wait. Proofs show no such thing: a
 * halted chain looks like a healthy one. Wakes the device only when the text changes, and never in the background.
 */
function tick() {
  clearTimeout(timer);
  if (document.hidden) return;
  const age = client.age;
  const [text, mark] = old(age);
  at("ago").textContent = text;
  at("ago").className = mark;
  const next = [showLeft() === undefined ? undefined : 1, age === undefined ? undefined : changesIn(age)].filter(Boolean);
  if (next.length > 0) timer = setTimeout(tick, 1_000 * Math.min(...next));
}

/** What the page waits for, where nothing comes. */
function showDown() {
  const isDown = down.size === network.endpoints.length;
  at("down").textContent = !navigator.onLine
    ? "This device is offline. What stands below was verified before; the page goes on when the network is back."
    : isDown
      ? "No endpoint answers as it should. The page tries them again by itself; the reasons stand below, at the endpoints."
      : "";
  // What it says no longer holds, or not yet.
  at("state").hidden = at("down").textContent !== "" || at("silent").textContent !== "";
}

function showStart(status) {
  showTrusted(status);
  at("kept").textContent = `Continued from the stored state of this browser: block ${status.block}, set ${status.set}.`;
}

function showTrusted({ block, hash, set }) {
  at("block").textContent = String(block);
  at("hash").textContent = hash;
  at("set").textContent = String(set);
  tick();
}

function showReady(status) {
  down.clear();
  showDown();
  // Also where no proof of a newer block came.
  if (at("hash").textContent === "–") showTrusted(status);
  say("Verified up to the head of every endpoint that answers; each new proof is verified as it arrives.");
}

function showHead(head) {
  at("too-old").hidden = true;
  at("silent").textContent = "";
  at("course").hidden = false;
  if (head.endpoint) down.clear();
  showDown();
  if (at("first").textContent === "–") at("first").textContent = `${(performance.now() - began).toFixed(0)} ms`;
  at("block").textContent = String(head.block);
  at("hash").textContent = head.hash;
  at("set").textContent = `${head.set}, ${head.of} validators`;
  at("signers").textContent = `${head.signers} of ${head.of}`;
  at("bytes").textContent = `${head.bytes} bytes`;
  at("time").textContent = `${head.ms.toFixed(1)} ms`;
  plots.signers(head.signers);
  plots.bytes(head.bytes);
  plots.ms(head.ms);
  if (named !== undefined && head.set === named.nextSet) {
    add(at("proofs"), seam(named));
    named = undefined;
  }
  // From the handoff on, every block names the next set. The first such proof is shown.
  if (head.nextSet !== undefined) named ??= head;
  add(at("proofs"), proofLine(head));
  if (at("tamper").checked && head.proof) tamper(head);
  tick();
}

/** Flips a byte of a verified proof, and shows why the result is refused. */
async function tamper({ block, proof }) {
  const bytes = proof.slice();
  const offset = Math.floor(Math.random() * bytes.length);
  bytes[offset] ^= 0xff;
  const where = `Block ${block}, byte ${offset} of ${bytes.length} flipped: `;
  try {
    await client.verify(bytes);
    at("tampered").replaceChildren(element("span", `${where}ACCEPTED, which must not happen`, "bad"));
  } catch (error) {
    // Most messages begin with their rule.
    const why = error.message.replace(`${error.rule}: `, "");
    at("tampered").replaceChildren(element("span", `${where}refused by ${error.rule}: ${why}`, "bad"));
    at("tampered").dataset.rule = error.rule;
  }
}

function showFault(fault) {
  const who = fault.endpoint ? shown(fault.endpoint) : "This client";
  const hint = fault.verdict === "unreachable" ? ` ${reason(fault.endpoint)}` : "";
  const what = `${who}: ${fault.verdict.replace("_", " ")}: ${fault.message}.${hint}`;
  // An endpoint that stays unreachable fails repeatedly.
  const before = faults.get(what) ?? { line: element("li", "", "bad"), times: 0 };
  before.times += 1;
  before.line.textContent = before.times === 1 ? what : `${what} (${before.times} times)`;
  faults.delete(what);
  faults.set(what, before);
  if (faults.size > FAULTS) faults.delete(faults.keys().next().value);
  add(at("faults"), before.line);
  if (fault.rule === "LIGHT-9") showAge(fault);
  if (fault.verdict === "silent") at("silent").textContent = `${who}: ${fault.message}. Nothing proves it.`;
  if (fault.verdict === "reset") {
    const { block_number: block, block_hash: hash } = fault.checkpoint;
    at("silent").textContent = `${who} says that the chain was reset at block ${block} (${shown(hash)}). No proof leads across, and none shows it. Ask people you trust; below, at Recovery, a recovery proof leads on.`;
  }
  if (fault.endpoint && !["silent", "reset", "later_start"].includes(fault.verdict)) down.add(fault.endpoint);
  showDown();
}

/** The more likely one of the two usual causes. */
function reason(url) {
  const local = /^wss?:\/\/(localhost|127\.|\[::1\])/.test(url);
  if (location.protocol === "https:" && url.startsWith("ws:") && !local) {
    return "A page loaded over https cannot open ws: connections to another host: use wss:.";
  }
  return "If the node is running, start it with --rpc-cors and this page's origin.";
}

function answers() {
  const answer = (name, check, ask, show) => {
    const [input, wrong, output] = [at(name), at(`${name}-mistake`), at(`${name}-answer`)];
    const refuse = (text) => {
      wrong.textContent = text;
      if (text === "") input.removeAttribute("aria-invalid");
      else input.setAttribute("aria-invalid", "true");
    };
    at(`${name}-form`).addEventListener("submit", async (event) => {
      event.preventDefault();
      const typed = input.value.trim();
      const found = check(typed);
      refuse(found ?? "");
      output.replaceChildren();
      if (found) {
        input.focus();
        return;
      }
      output.replaceChildren(element("p", "Asking…", "hint"));
      try {
        output.replaceChildren(...show(await ask(typed), typed));
      } catch (error) {
        output.replaceChildren(...(error.verdict === "refused" ? [] : errorAnswer(error)));
        if (error.verdict === "refused") refuse(error.message);
      }
    });
    input.addEventListener("input", () => refuse(""));
    // The field for addresses has lines, but no address has any.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      input.form.requestSubmit();
    });
  };
  const ask = (account) =>
    client.account(account).catch((error) => {
      const isTyped = error.verdict === "refused" && error.message.startsWith("an account is");
      throw isTyped ? Object.assign(error, { message: "The checksum of this address is wrong: a character was mistyped, or two were swapped." }) : error;
    });
  const showAccount = (found, typed) => {
    const foreign = isForeign(typed, network.ss58Prefix) ? [element("p", "This address is written as on another network. It is the same account.", "hint")] : [];
    return [...foreign, ...accountAnswer(found)];
  };
  answer("account", mistake, ask, showAccount);
  const isBlock = (typed) => (/^\d{1,10}$/.test(typed) ? undefined : "A block has a number: digits, and nothing else.");
  answer("old", isBlock, (typed) => client.block(Number(typed)), blockAnswer);
  at("export").addEventListener("click", async () => {
    const text = await client.checkpoint().then((checkpoint) => JSON.stringify(checkpoint, undefined, 2), (error) => error.message);
    at("checkpoint").textContent = text;
    at("checkpoint").hidden = false;
  });
  const restart = async (options) => {
    await client.destroy();
    at("too-old").hidden = true;
    down.clear();
    say("Connecting…");
    follow(options);
  };
  at("continue").addEventListener("click", () => restart({ trustOldStart: true }));
  at("recovery").addEventListener("change", async ({ target }) => {
    const recoveryProof = await target.files[0]?.text();
    // The same file may be chosen again.
    target.value = "";
    if (recoveryProof !== undefined) await restart({ recoveryProof });
  });
  at("forget").addEventListener("click", async () => {
    await client.destroy();
    await storage.save(undefined);
    location.reload();
  });
}
