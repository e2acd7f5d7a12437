// One message of JSON-RPC from an untrusted node: bounded in length and depth before it is parsed.

import { otherAnswer } from "./error.js";
import { shown } from "./text.js";

/** The most characters of a short answer: the JSON envelope, and a hash or a number. */
export const SMALL = 1 << 12;

/** The most characters of an answer with this many bytes in hexadecimal digits. */
export function answerOf(bytes) {
  return SMALL + 2 * bytes;
}

/** The id in a message that is too long to be parsed: servers write it first or last. */
export function idOf(data) {
  const [, first, last] = /^\{"jsonrpc":"2\.0","id":(\d+)|"id":(\d+)\}$/.exec(data.slice(0, 40) + data.slice(-40)) ?? [];
  return Number(first ?? last);
}

/** Parses a message of at most `deepest` levels; adds the length of its text. (RPC-3) */
export function parse(data, deepest) {
  if (typeof data !== "string") throw otherAnswer("text", "a binary message");
  if (depth(data) > deepest) throw otherAnswer(`JSON of at most ${deepest} levels`, "more");
  let message;
  try {
    message = JSON.parse(data);
  } catch {
    throw otherAnswer("JSON", shown(data));
  }
  if (typeof message !== "object" || message === null || message.jsonrpc !== "2.0") {
    throw otherAnswer("a message of JSON-RPC 2.0", shown(data));
  }
  message.length = data.length;
  return message;
}

/** The nesting depth of arrays and objects, without parsing. */
function depth(text) {
  let now = 0;
  let most = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (quoted) {
      if (character === 0x5c) index += 1;
      else if (character === 0x22) quoted = false;
    } else if (character === 0x22) quoted = true;
    else if (character === 0x5b || character === 0x7b) most = Math.max(most, (now += 1));
    else if (character === 0x5d || character === 0x7d) now -= 1;
  }
  return most;
}
