// One message of JSON-RPC from an untrusted node: bounded in length and depth before it is parsed.

import { otherAnswer } from "./error.js";
import { shown } from "./text.js";

/** What an answer may have besides its value: JSON around it, and a value that is a hash or a number. */
export const SMALL = 1 << 12;

/** The most characters of an answer with so many bytes in hexadecimal digits. */
export function answerOf(bytes) {
  return SMALL + 2 * bytes;
}

/** The message of a text of at most `most` characters and `deepest` levels; its `length` is that of the text. (RPC-3) */
export function parse(data, most, deepest) {
  if (typeof data !== "string") throw otherAnswer("text", "a binary message");
  if (data.length > most) throw otherAnswer(`at most ${most} characters`, `${data.length}`);
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

/** How deep arrays and objects are in each other, without parsing. */
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
