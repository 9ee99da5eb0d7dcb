// Drawings: the gauge of a budget, answers as intervals on an axis, and a histogram.

import { bits, bitsLeft, count, many, readable } from "./exact.js";
import { h, s } from "./dom.js";

/** The budget as a bar with words. With `asked`, what a batch would add is hatched. */
export function gauge(standing, { asked = 0, small = false, allowed = true } = {}) {
  const { budget, spent, remaining } = standing;
  if (budget === null || budget === undefined || remaining === null || remaining === undefined) {
    const why = budget === null || budget === undefined
      ? "There is no budget: nothing is refused." : "The budget is as large as all there is to know: nothing is refused.";
    return h("div", { class: "gauge" }, h("p", { class: "figure" }, `${bits(spent)} spent`), h("p", { class: "quiet" }, why));
  }
  const share = (number) => Math.max(0, Math.min(100, budget > 0 ? (100 * number) / budget : 100));
  const words = `${bits(spent).split(" ")[0]} of ${bits(budget, -1)} spent`;
  const paid = h("i");
  paid.style.width = `${spent > 0 ? Math.max(share(spent), 1) : 0}%`;
  const next = h("i", { class: "asked" });
  next.style.width = asked > 0 ? `${Math.max(Math.min(share(asked), 100 - share(spent)), 1)}%` : "0";
  const more = asked > 0 ? `; this batch would add ${bits(asked)}` : "";
  return h("div", { class: small ? "gauge small" : "gauge" },
    h("p", { class: "figure" }, `${bitsLeft(remaining)} left`),
    h("div", { class: allowed ? "bar" : "bar over", role: "img", "aria-label": `Budget: ${words}, ${bitsLeft(remaining)} left${more}` }, paid, next),
    h("p", { class: "quiet small", "aria-hidden": "true" }, words + more));
}

/** Round numbers that cover a range: about this many, and enough of them to read the range off. */
export function ticks(low, high, wanted = 5) {
  for (let tries = wanted; ; tries += 1) {
    const found = rounds(low, high, tries);
    if (found.length >= Math.min(3, wanted) || tries > wanted + 4) return found;
  }
}

function rounds(low, high, wanted) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place <= Math.floor(high / step + 1e-9); place += 1) {
    found.push(Number((place * step).toPrecision(12)));
  }
  return found;
}

const NARROW = 14;

const finite = (end) => typeof end === "number" && Number.isFinite(end);

/** The ends of an axis that shows all numbers. */
function extent(numbers) {
  const known = numbers.flatMap((number) => [number.lower, number.upper, number.value]).filter(finite);
  if (!known.length) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const margin = (high - low || Math.abs(high) || 1) * 0.08;
  return [low >= 0 && low - margin < 0 ? 0 : low - margin, high + margin];
}

/** A drawing that is drawn anew whenever there is more or less room for it. */
export function fitting(draw, kind = "chart") {
  const box = h("div", { class: kind });
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(Math.max(240, entry.contentRect.width));
    if (width === drawn) return;
    drawn = width;
    box.replaceChildren(draw(width));
  }).observe(box);
  return box;
}

function canvas(width, height, words) {
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
}

/** Intervals of one column, a row each, on one axis; null if no number is bounded. */
export function intervals(title, numbers, labels) {
  const ends = extent(numbers);
  return ends === null ? null : fitting((width) => drawIntervals(title, numbers, labels, ends, width));
}

function drawIntervals(title, numbers, labels, [low, high], width) {
  const room = Math.min(22, Math.floor(width / 20));
  const shown = labels.map((label) => shorten(label, room));
  const longest = Math.max(0, ...shown.map((label) => label.length));
  const [left, line] = [longest ? longest * 7.2 + 18 : 14, 30];
  const right = width - 18;
  const bottom = numbers.length * line + 6;
  const at = (value) => left + ((value - low) / (high - low)) * (right - left);
  const drawing = canvas(width, bottom + 24, `${title}: ${describe(numbers, labels)}`);
  for (const tick of ticks(low, high, Math.max(3, Math.floor((right - left) / 100)))) {
    drawing.append(
      s("line", { class: "grid", x1: at(tick), x2: at(tick), y1: 2, y2: bottom }),
      s("text", { class: "tick", x: at(tick), y: bottom + 17, "text-anchor": "middle" }, readable(tick)));
  }
  numbers.forEach((number, place) => {
    const y = place * line + line / 2 + 3;
    if (longest) drawing.append(s("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, shown[place]));
    drawing.append(...mark(number, y, at, left - 6, right + 6));
  });
  return drawing;
}

function mark(number, y, at, left, right) {
  if (number.lower === null || number.lower === undefined) return [];
  const from = finite(number.lower) ? at(number.lower) : left;
  const to = finite(number.upper) ? at(number.upper) : right;
  const parts = [];
  const isExact = number.lower === number.upper;
  if (to - from >= NARROW) parts.push(s("rect", { class: "span", x: from, y: y - 7, width: to - from, height: 14, rx: 3 }));
  else if (!isExact) return [s("rect", { class: "narrow", x: (from + to) / 2 - Math.max(to - from, 3) / 2, y: y - 8, width: Math.max(to - from, 3), height: 16, rx: 1 })];
  if (!finite(number.upper)) parts.push(s("path", { class: "arrow", d: `M${to - 7} ${y - 6}l7 6l-7 6` }));
  if (!finite(number.lower)) parts.push(s("path", { class: "arrow", d: `M${from + 7} ${y - 6}l-7 6l7 6` }));
  if (finite(number.value)) parts.push(s("circle", { class: "dot", cx: at(number.value), cy: y, r: isExact ? 5 : 3.5 }));
  return parts;
}

function shorten(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
}

function describe(numbers, labels) {
  const said = numbers.slice(0, 8).map((number, place) => `${labels[place] ? `${labels[place]} ` : ""}${inWords(number)}`);
  const rest = numbers.length > 8 ? `; and ${count(numbers.length - 8)} more, in the table` : "";
  return said.join("; ") + rest;
}

/** An interval in words: its ends are rounded outwards. */
export function inWords(number) {
  if (number.lower === null || number.lower === undefined) return "no value";
  const [low, high] = ends(number);
  return (low === high ? low : `${low} to ${high}`) + (number.may_be_missing ? ", or no value" : "");
}

const ends = (number) => [readable(number.lower_exact ?? number.lower, -1), readable(number.upper_exact ?? number.upper, 1)];

/** Whether an answer reads as one number. */
export function isExact(number) {
  const [low, high] = ends(number);
  return low === high;
}

/** How sharp the answers of a column would be at least, as a quote says it; errors are rounded up. */
export function sharpness({ worst_error, worst_error_exact, may_be_missing: perhaps, tells_nothing: nothing, derived_error, derived_error_exact }) {
  if (worst_error === null || worst_error === undefined) return "";
  if (nothing) return "tells nothing";
  const width = offBy(worst_error, worst_error_exact) + (perhaps ? ", or no value" : "");
  if (derived_error === null || derived_error === undefined) return width;
  return `${width}; free with bits(0): ${offBy(derived_error, derived_error_exact)} from earlier answers`;
}

function offBy(error, exact) {
  return error === "inf" ? "of any width" : error === 0 ? "exact" : `plus or minus ${readable(exact ?? error, 1)}`;
}

/** How many rows have how many bits: one column for each number of bits, or for a span of them. */
export function histogram(bins, title) {
  return fitting((width) => drawHistogram(bins, title, width));
}

function drawHistogram(bins, title, width) {
  const most = Math.max(...bins.map((bin) => bin.rows), 1);
  const [height, left] = [200, 24 + 7 * count(most).length];
  const step = (width - left) / bins.length;
  const words = bins.map((bin) => `${bin.label} bits ${many(bin.rows, "row")}`).join("; ");
  const drawing = canvas(width, height + 44, `${title}: ${words}`);
  for (const tick of ticks(0, most, 4)) {
    const y = height - (tick / most) * (height - 14);
    drawing.append(s("line", { class: "grid", x1: left, x2: width, y1: y, y2: y }),
      s("text", { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" }, readable(tick)));
  }
  const every = Math.ceil((bins.length * 44) / (width - left));
  bins.forEach((bin, place) => {
    const tall = (bin.rows / most) * (height - 14);
    const wide = Math.min(step * 0.7, 64);
    const middle = left + step * (place + 0.5);
    drawing.append(s("rect", { class: "column", x: middle - wide / 2, y: height - tall, width: wide, height: tall, rx: 2 }));
    if (place % every === 0) drawing.append(s("text", { class: "tick", x: middle, y: height + 17, "text-anchor": "middle" }, bin.label));
  });
  drawing.append(s("text", { class: "tick", x: left + (width - left) / 2, y: height + 36, "text-anchor": "middle" }, "bits"));
  return drawing;
}
