// Small plots of the latest proofs, one bar each.

const SVG = "http://www.w3.org/2000/svg";
const BARS = 60;

/** A plot with a caption. The returned function adds a value. */
export function plot(parent, caption, unit) {
  const figure = document.createElement("figure");
  const text = document.createElement("figcaption");
  const [name, latest] = [document.createElement("span"), document.createElement("span")];
  name.textContent = caption;
  text.append(name, latest);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${BARS} 20`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${caption}: no proofs yet`);
  figure.append(text, svg);
  parent.append(figure);
  const values = [];
  return (value) => {
    values.push(value);
    if (values.length > BARS) values.shift();
    const most = Math.max(...values, 1e-9);
    svg.replaceChildren(...values.map((one, index) => bar(one / most, BARS - values.length + index)));
    latest.textContent = `${format(value)}${unit}, most ${format(most)}${unit}`;
    svg.setAttribute("aria-label", `${caption}: ${values.length} proofs, latest ${latest.textContent}`);
  };
}

function bar(share, index) {
  const rect = document.createElementNS(SVG, "rect");
  const height = Math.max(19 * share, 0.4);
  const place = { x: index + 0.1, y: 20 - height, width: 0.8, height };
  for (const [name, value] of Object.entries(place)) rect.setAttribute(name, String(value));
  return rect;
}

function format(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
