// Display of verified data. Everything goes into the page as text.

const SHOWN = 200;
const MANY = 100;
// From this age on a block is stale, in seconds.
const STALE = 60;
// Below that it is shown in steps of so many seconds, so that a page wakes its device rarely.
const STEP = 10;

export function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** An age in seconds, and its class. The clock of a device may be wrong. */
export function old(age) {
  if (age === undefined) return ["", ""];
  if (age < 0) return [`From the future: ${span(-age)} ahead of this device's clock. One of the clocks is wrong.`, "bad"];
  if (age < STALE) return [`Less than ${STEP * (Math.floor(age / STEP) + 1)} s ago`, "good"];
  return [`Stale: ${span(age)} ago. The chain has halted, the endpoints hide newer blocks, or this device's clock is fast.`, "bad"];
}

/** In how many seconds `old` says something else of a newest block that has this age now. */
export function changesIn(age) {
  const step = age < 0 ? 1 : age < STALE ? STEP : unitOf(age)[0];
  return step - (((age % step) + step) % step);
}

/** A time in seconds, in its largest unit of which there are two. */
export function span(seconds) {
  const [unit, name] = unitOf(seconds);
  return `${Math.floor(seconds / unit)} ${name}`;
}

function unitOf(seconds) {
  return [[86_400, "days"], [3_600, "h"], [60, "min"]].find(([length]) => seconds >= 2 * length) ?? [1, "s"];
}

/** One line of the list of proofs. */
export function proofLine(head) {
  const line = element("li");
  const figures = `${head.signers} of ${head.of} · ${head.bytes} bytes · ${head.ms.toFixed(1)} ms`;
  line.append(element("span", `block ${head.block}`), strip(head), element("span", figures, "figures"));
  return line;
}

/** The seam between two sets. Its argument is the block of the first set that names the second one. */
export function seam({ block, set, nextSet }) {
  return element("li", `Handoff: set ${set} named set ${nextSet} in block ${block}; set ${nextSet} signs from here on`, "seam");
}

/** Adds a line at the top of the list, and removes lines beyond its limit. */
export function add(list, line) {
  list.prepend(line);
  while (list.children.length > SHOWN) list.lastElementChild.remove();
}

function strip({ bitfield, of, signers }) {
  const cells = element("span", undefined, of > MANY ? "strip many" : "strip");
  cells.setAttribute("role", "img");
  cells.setAttribute("aria-label", `${signers} of ${of} signed`);
  for (let index = 0; index < Math.min(of, 1_000); index += 1) {
    const signed = ((bitfield[index >> 3] >> (index & 7)) & 1) === 1;
    cells.append(element("i", undefined, signed ? "signed" : ""));
  }
  return cells;
}

/** An account, and the path from the signatures to it. */
export function accountAnswer(answer) {
  const amount = answer.exists ? `${tokens(answer.free)} tokens free` : "This account provably does not exist";
  const parts = [element("p", amount, "amount good")];
  if (answer.exists) {
    parts.push(element("p", `${tokens(answer.reserved)} reserved · ${tokens(answer.frozen)} frozen · nonce ${answer.nonce}`));
  }
  parts.push(path(answer, [`${answer.nodes.length} trie nodes, ${size(answer.nodes)} bytes, from the state root to the account`]));
  return parts;
}

/** A block's header, and the path from the signatures to it. */
export function blockAnswer(answer) {
  const facts = [["Hash", answer.hash], ["Parent", answer.parentHash], ["State root", answer.stateRoot], ["Extrinsics root", answer.extrinsicsRoot]];
  const list = element("dl");
  for (const [name, hash] of facts) {
    if (hash) list.append(element("dt", name), element("dd", hash, "mono"));
  }
  return [element("p", `Block ${answer.block} is final`, "amount good"), list, path(answer, [])];
}

function path({ block, history, header, proofBytes, endpoint }, rest) {
  const list = element("ol", undefined, "path");
  const steps = ["The validators' signatures cover the newest block"];
  if (history > 0) steps.push(`A path of ${history} bytes in the Merkle mountain range leads from it to block ${block}`);
  steps.push(`A header of ${header.length} bytes hashes to block ${block}`, ...rest);
  for (const step of steps) list.append(element("li", step));
  const all = element("li", `${proofBytes} bytes in all, from ${endpoint}`);
  list.append(all);
  return list;
}

/** An error, with its rule first. */
export function errorAnswer(error) {
  return [element("p", error.message, "bad")];
}

function size(nodes) {
  return nodes.reduce((sum, node) => sum + node.length, 0);
}

// The local chain's token has twelve decimals.
function tokens(amount) {
  const unit = 10n ** 12n;
  const rest = (amount % unit).toString().padStart(12, "0").replace(/0+$/, "");
  const whole = (amount / unit).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  return rest ? `${whole}.${rest}` : whole;
}
