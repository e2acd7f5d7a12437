// Text that a server chose, made fit to be shown: on one line, nothing hidden, and cut.

const MOST = 400;
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u205f-\u206f\ufeff\ufff0-\uffff]/g;

export function shown(text) {
  const whole = String(text);
  const escaped = whole.slice(0, MOST).replace(HIDDEN, (hidden) => `\\u{${hidden.charCodeAt(0).toString(16)}}`);
  return whole.length > MOST ? `${escaped}… (${whole.length} characters)` : escaped;
}
