// Pictures of the studio: small bars of a column, a histogram, and the frontier on which a point is picked.

import { h, s } from "./dom.js";
import { fitting, ticks } from "./charts.js";
import { count, readable } from "./exact.js";

/** Bars of a column, without its values. */
export function small(bars, name) {
  if (!bars.length) return "\u2013";
  const most = Math.max(...bars, 1);
  const step = 96 / bars.length;
  return s("svg", { class: "small-bars", width: 96, height: 24, viewBox: "0 0 96 24", role: "img", "aria-label": `How the values of ${name} are spread` },
    bars.map((rows, place) => s("rect", { x: place * step, y: 24 - Math.max(1, (rows / most) * 24), width: Math.max(1, step - 1), height: Math.max(1, (rows / most) * 24) })));
}

/** One column for each label. */
export const histogram = (bins, axis, what) => fitting((width) => drawHistogram(bins, axis, what, width), "chart wide");

function drawHistogram(bins, axis, what, width) {
  const [height, left] = [170, 60];
  const most = Math.max(...bins.map((bin) => bin.rows), 1);
  const step = (width - left) / Math.max(bins.length, 1);
  const words = bins.map((bin) => `${bin.label} ${axis}: ${count(bin.rows)} ${what}`).join("; ");
  const drawing = s("svg", { width, height: height + 42, viewBox: `0 0 ${width} ${height + 42}`, role: "img", "aria-label": words });
  for (const tick of ticks(0, most, 3)) {
    const y = height - (tick / most) * (height - 14);
    drawing.append(s("line", { class: "grid", x1: left, x2: width, y1: y, y2: y }), s("text", { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" }, readable(tick)));
  }
  bins.forEach((bin, place) => {
    const [middle, wide, tall] = [left + step * (place + 0.5), Math.min(step * 0.7, 60), (bin.rows / most) * (height - 14)];
    drawing.append(
      s("rect", { class: bin.label === "1" ? "column bad" : "column", x: middle - wide / 2, y: height - tall, width: wide, height: tall, rx: 2 }, s("title", {}, `${bin.label} ${axis}: ${count(bin.rows)} ${what}`)),
      s("text", { class: "tick", x: middle, y: height + 17, "text-anchor": "middle" }, bin.label));
  });
  drawing.append(s("text", { class: "tick", x: left + (width - left) / 2, y: height + 36, "text-anchor": "middle" }, axis));
  return drawing;
}

/** The best trade-offs: values left against what is lost. A point is picked by a click or by the keyboard. */
export const frontierChart = (points, chosen, pick) => fitting((width) => drawFrontier(points, chosen, pick, width), "chart wide");

function drawFrontier(points, chosen, pick, width) {
  const [height, left] = [250, 60];
  const mean = typeof points[0].mean_loss === "number";
  const loss = (point) => (mean ? 100 * point.mean_loss : point.distortion ?? 0);
  const what = mean ? "mean loss, %" : "largest change";
  const most = Math.max(...points.map(loss), 1e-9);
  const far = Math.max(...points.map((point) => point.min_posterior), 2);
  const x = (value) => left + 14 + ((value - 1) / (far - 1)) * (width - left - 30);
  const y = (value) => height - (value / most) * (height - 34);
  const drawing = s("svg", { width, height: height + 42, viewBox: `0 0 ${width} ${height + 42}`, role: "group", "aria-label": "What each number of values left costs" });
  for (const tick of ticks(0, most, 4)) {
    drawing.append(s("line", { class: "grid", x1: left, x2: width, y1: y(tick), y2: y(tick) }), s("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, readable(Number(tick.toPrecision(3)))));
  }
  for (const tick of ticks(1, far, 6).filter((value) => Number.isInteger(value) && value >= 1)) {
    drawing.append(s("text", { class: "tick", x: x(tick), y: height + 21, "text-anchor": "middle" }, String(tick)));
  }
  drawing.append(
    s("polyline", { class: "line", points: points.map((point) => `${x(point.min_posterior)},${y(loss(point))}`).join(" ") }),
    s("text", { class: "tick", x: left + (width - left) / 2, y: height + 39, "text-anchor": "middle" }, "values left for everybody, at least"),
    s("text", { class: "tick", x: 4, y: 10 }, what));
  for (const point of points) {
    const words = `${point.min_posterior} values left: ${what} ${readable(Number(loss(point).toPrecision(4)))}`;
    drawing.append(s("circle", { class: point.min_posterior === chosen ? "pick chosen" : "pick", cx: x(point.min_posterior), cy: y(loss(point)), r: 6, tabindex: 0, role: "button", "aria-label": words,
      onclick: () => pick(point), onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(point); } } }, s("title", {}, words)));
  }
  return drawing;
}

/** Bars with words, the longest first. */
export function bars(values, title) {
  const most = Math.max(...values.map((one) => one.rows), 1);
  return h("ul", { class: "bars", "aria-label": title }, values.map((one) => {
    const bar = h("i");
    bar.style.width = `${Math.max(1, (100 * one.rows) / most)}%`;
    return h("li", {}, h("span", { class: "label" }, one.value ?? "missing"), h("span", { class: "bar" }, bar), h("span", { class: "n" }, count(one.rows)));
  }));
}

/** A column in the table above, in the release below: on one line, or by frequency. */
export function beforeAndAfter(column) {
  const values = [h("p", { class: "quiet small" }, `as released: ${count(column.distinct)} different ${column.distinct === 1 ? "value" : "values"}`), bars(column.values, `${column.name} as released`)];
  if (!column.line) return [strip(column.before, `${column.name} before`, "before, most frequent first", true), values];
  const { before, after, low, high, elsewhere } = column.line;
  const most = Math.max(...before, ...after);
  return [
    strip(before, `${column.name} before`, "before", false, most), strip(after, `${column.name} after`, "after, intervals spread evenly", false, most),
    h("p", { class: "ends quiet small" }, h("span", {}, low), h("span", {}, high)),
    elsewhere > 0 && h("p", { class: "quiet small" }, `${count(elsewhere)} rows read * or no number.`),
    h("details", { class: "more" }, h("summary", {}, "What it reads"), values),
  ];
}

function strip(rows, name, words, parted, most = Math.max(...rows, 1)) {
  const [width, height, step] = [400, 56, 400 / Math.max(rows.length, 1)];
  return h("figure", { class: "strip" }, h("figcaption", { class: "quiet small" }, words),
    s("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `How the values of ${name} are spread` },
      rows.map((many, place) => s("rect", { x: place * step, y: height - (many / most) * height, width: Math.max(0.5, step - (parted ? 2 : 0.5)), height: (many / most) * height }))));
}
