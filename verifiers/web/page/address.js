// What is wrong with an address that was typed. The client checks it too, and its checksum; here the mistake is named.

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** The first mistake that can be named; `undefined` if there is none. */
export function mistake(text) {
  if (text === "") return "No address was typed.";
  if (text.startsWith("0x")) {
    const wrong = /[^0-9a-f]/i.exec(text.slice(2));
    if (wrong) return `Character ${wrong.index + 3}, “${wrong[0]}”, is no hexadecimal digit.`;
    if (text.length !== 66) return `There are ${text.length - 2} hexadecimal digits after 0x instead of 64.`;
    return undefined;
  }
  const wrong = [...text].findIndex((character) => !DIGITS.includes(character));
  if (wrong >= 0) return `Character ${wrong + 1}, “${[...text][wrong]}”, stands in no address.`;
  // 35 or 36 bytes in base 58.
  if (text.length < 46 || text.length > 50) return `An address has 46 to 50 characters, and this one ${text.length}.`;
  return undefined;
}

/** Whether an address is written for another network than that with this prefix. It names the same account. */
export function isForeign(text, ss58Prefix) {
  return ss58Prefix !== undefined && !text.startsWith("0x") && prefixOf(text) !== ss58Prefix;
}

/** The prefix of an address. Those above 63 have their 14 bits in two bytes. */
function prefixOf(text) {
  let number = 0n;
  for (const character of text) number = number * 58n + BigInt(DIGITS.indexOf(character));
  const hex = number.toString(16);
  // A prefix of 0 is a leading zero byte, which the number lacks: then it has 34 bytes, else 35 or 36.
  const bytes = hex.padStart(hex.length <= 70 ? 70 : 72, "0").match(/../g).map((pair) => Number.parseInt(pair, 16));
  const [first, second] = bytes;
  return bytes.length === 35 ? first : ((first & 0x3f) << 2) | (second >> 6) | ((second & 0x3f) << 8);
}
