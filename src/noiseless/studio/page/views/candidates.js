// Releases that were made: what each gives away, what it changes, and two of them side by side.

import { beforeAndAfter } from "../pictures.js";
import { h, table } from "../dom.js";
import { bits, count } from "../exact.js";
import { meaning } from "../explain.js";
import { state } from "../session.js";
import { again } from "./audit.js";

const MOST_NAMED = 4;

export const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** The release that follows the limits, and the one that is kept beside it; `take` hears which is taken away, `changed` that another is kept. */
export function releases({ take, changed }) {
  const [now, kept] = state.releases;
  const keep = (releases) => {
    state.releases = releases;
    changed();
  };
  return [
    h("h2", { tabindex: -1 }, kept ? "Two releases side by side" : "The release"),
    h("p", { class: "hint" }, `${state.isQuick ? "Move a limit, and it follows. " : ""}Files and certificate are made when you take it away.`),
    h("div", { class: "sides" },
      candidate(now, kept && "With the limits above", [h("button", { type: "button", class: "main", onclick: () => take(now) }, "Take it away"), h("button", { type: "button", onclick: () => keep([now, now]) }, kept ? "Keep this one instead" : "Keep it to compare")]),
      kept && candidate(kept, "Kept to compare", [h("button", { type: "button", onclick: () => take(kept) }, "Take this one away"), h("button", { type: "button", onclick: () => keep([now]) }, "Let go")])),
  ];
}

function candidate(found, title, buttons) {
  const { release } = found;
  const facts = [
    ["asked for", found.limits.join("; ") || "nothing"],
    ["fewest values left", `${count(release.before.min_posterior)} \u2192 ${count(release.min_posterior)}`],
    ["fewest rows alike", `${count(release.before.min_rows)} \u2192 ${count(release.min_rows)}`],
    ["bits leaked, L0", `${bits(release.before.leakage)} \u2192 ${bits(release.leakage)}`],
    ["best guess right", `${percent(release.before.best_guess)} \u2192 ${percent(release.best_guess)} (blind ${percent(release.blind_guess)})`],
    ["mean loss", release.mean_loss === null || release.mean_loss === undefined ? "\u2013" : percent(release.mean_loss)],
    ["rows left out", count(release.suppressed_rows || 0)],
    ["proved best", release.optimal ? "yes" : "no"],
  ];
  return h("article", { class: "candidate" },
    title && h("h3", {}, title), h("div", { class: "row" }, buttons),
    h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])), meaning("min_posterior", "k_anonymity", "leakage", "best_guess", "mean_loss", "suppressed", "optimal"),
    table("What changed in each column", ["column", "values", "rows changed", "worst change", "for example"], release.changes.map((one) => [
      one.name, `${count(one.before)} \u2192 ${count(one.after)}`, count(one.changed_rows), found.columns.find((column) => column.name === one.name).worst, one.changed_rows > 0 ? example(one.examples) : ""]), { kind: "stack", numbers: [2, 3], silent: true }),
    meaning("largest"),
    h("h3", { class: "below" }, "Before and after, column by column"),
    found.columns.map((column) => h("details", { class: "more", open: true }, h("summary", {}, column.name), beforeAndAfter(column))),
    again(found));
}

/** What became of a few values that are merged; the first that were not left as they are. */
function example(examples) {
  const one = examples.find(({ values, released }) => values.length > 1 || values[0] !== released);
  if (!one) return "";
  const shown = one.values.slice(0, MOST_NAMED).map((value) => value ?? "missing");
  return `${shown.join(", ")}${one.more || one.values.length > MOST_NAMED ? ", \u2026" : ""} \u2192 ${one.released ?? "missing"}`;
}
