// Across a reset by a recovery proof: the statement, the wait, and how it ends. (RECOVER-7, RECOVER-8)

import { shown, toHex } from "./light-client/src/browser.js";
import { element, span } from "./show.js";

const at = (id) => document.getElementById(id);

/** When the wait ends, by this device's clock; `undefined` if there is none. */
let end;
/** Whether a recovery was begun, and nothing has stopped it. */
let isOpen;

/** Shows what a client tells of a recovery; `isGiven` says whether the user gave it a proof. */
export function follow(client, isGiven) {
  end = undefined;
  isOpen = isGiven;
  say(isGiven ? "Checking the recovery proof…" : "", "");
  at("recovery-statement").replaceChildren();
  client.on("announced", (announced) => {
    end = Date.now() + 1_000 * announced.seconds;
    isOpen = true;
    say("Announced: the recovery proof holds.", "good");
    showStatement(announced);
  });
  client.on("disputed", (disputed) => {
    end = undefined;
    isOpen = true;
    const who = disputed.disputes.map(({ endpoint, dispute }) => `${shown(endpoint)} ${dispute}`).join("; ");
    say(`Disputed: ${who}. This page crosses nothing while servers dispute the statement. Ask people you trust, and name only servers that say the truth.`, "bad");
    showStatement(disputed);
  });
  client.on("cancelled", ({ about, block }) => {
    stop(`Cancelled: the statement is about block ${about} as the newest one, and block ${block} is proven. The statement was false, or early.`);
  });
  client.on("outdated", ({ about, block }) => stop(`Not needed: the recovery proof is about block ${about}, and block ${block} is proven.`, ""));
  client.on("contradicted", (contradicted) => {
    stop(`Contradicted: the recovery set signed two statements about block ${contradicted.block}. This page crosses neither. Keep both proofs as evidence.`);
    showStatement(contradicted);
    for (const proof of [contradicted.first, contradicted.second]) at("recovery-statement").append(element("pre", toHex(proof)));
  });
  client.on("recovered", ({ from, block, set }) => stop(`Crossed from block ${from} to block ${block}: set ${set} signs.`, "good"));
  client.on("fault", ({ verdict, message }) => {
    if (isOpen && ["fatal", "refused"].includes(verdict)) stop(`Stopped: ${message}`);
  });
}

/** Shows how long the wait still is, and returns it in seconds; `undefined` without one. */
export function showLeft() {
  const left = end === undefined ? undefined : Math.ceil((end - Date.now()) / 1_000);
  if (left === undefined) at("recovery-left").textContent = "";
  else if (left > 0) at("recovery-left").textContent = `This page crosses the reset in ${span(left)}, unless a newer block is proven.`;
  else at("recovery-left").textContent = "The wait is over. Every endpoint is asked for a newer block.";
  return left;
}

function say(text, mark) {
  at("recovery-state").textContent = text;
  at("recovery-state").className = mark;
  showLeft();
}

function stop(text, mark = "bad") {
  end = undefined;
  isOpen = false;
  say(text, mark);
}

function showStatement({ block, hash, ended, resetBlock, resetHash, set, validators }) {
  const list = element("dl");
  const facts = [
    ["Newest block before the reset", `${block}, ${hash}`],
    ["Block of the reset", `${resetBlock}, ${resetHash}`],
    ["Ended set", ended],
    ["Set that signs after it", `${set}, ${validators} validators`],
  ];
  for (const [name, value] of facts) list.append(element("dt", name), element("dd", String(value), "mono"));
  at("recovery-statement").replaceChildren(list);
}
