// Releases that were made: what each gives away, what it changes, and two of them side by side.

import { beforeAndAfter } from "../pictures.js";
import { h, put, table } from "../dom.js";
import { bits, count } from "../exact.js";
import { meaning } from "../explain.js";
import { state, work } from "../session.js";
import { again } from "./audit.js";

const MOST_NAMED = 4;

export const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;

/** The release that follows the limits, and the one that is kept beside it; `take` hears which is taken away, `changed` that another is kept. */
export function releases({ take, changed }) {
  const [now, kept] = state.releases;
  const keep = (releases) => {
    state.releases = releases;
    changed();
  };
  return [
    h("h2", { tabindex: -1 }, kept ? "Two releases side by side" : "The release"),
    h("p", { class: "hint" }, `${now.quick ? "Move a limit, and it follows. " : ""}Files and certificate are made when you take it away.`),
    h("div", { class: "sides" },
      candidate(now, kept && "With the limits above", [h("button", { type: "button", class: "main", onclick: () => take(now) }, "Take it away"), h("button", { type: "button", onclick: () => keep([now, now]) }, kept ? "Keep this one instead" : "Keep it to compare")]),
      kept && candidate(kept, "Kept to compare", [h("button", { type: "button", onclick: () => take(kept) }, "Take this one away"), h("button", { type: "button", onclick: () => keep([now]) }, "Let go")])),
  ];
}

function candidate(found, title, buttons) {
  const { release } = found;
  const { before } = release;
  const figures = [
    ["fewest values left", count(before.min_posterior), count(release.min_posterior)],
    ["fewest rows alike", count(before.min_rows), count(release.min_rows)],
    ["bits leaked, L0", bits(before.leakage), bits(release.leakage)],
    ["best guess right", percent(before.best_guess), percent(release.best_guess)],
    ["mean loss", percent(0), release.mean_loss === null || release.mean_loss === undefined ? "\u2013" : percent(release.mean_loss)],
    ["rows left out", "0", count(release.suppressed_rows || 0)],
  ];
  return h("article", { class: "candidate" },
    title && h("h3", {}, title), h("p", { class: "asked" }, found.limits.join("; ") || "no limits"), h("div", { class: "row" }, buttons),
    table("What it gives away and loses", ["", "original", "released"], figures, { kind: "two", numbers: [1, 2], silent: true }),
    h("p", { class: "hint" }, `Who guesses blindly is right ${percent(release.blind_guess)} of the time. ${release.optimal ? "It is proved that no release within the limits changes less." : "It is not proved that no release within the limits changes less."}`),
    meaning("min_posterior", "k_anonymity", "leakage", "best_guess", "mean_loss", "suppressed", "optimal"),
    h("h3", { class: "below" }, "What changed in each column"),
    table("What changed in each column", ["column", "values", "rows changed", "worst change"], release.changes.map((one) => [
      one.name, `${count(one.before)} \u2192 ${count(one.after)}`, count(one.changed_rows), found.columns.find((column) => column.name === one.name).worst]), { kind: "stack", numbers: [2, 3], silent: true }),
    meaning("largest"),
    release.changes.map((one) => pictured(one, found.columns.find((column) => column.name === one.name))),
    shownRows(found), again(found));
}

/** A column before and after: open where it changed. */
const pictured = (change, column) => h("details", { class: "more", open: change.changed_rows > 0 },
  h("summary", {}, `${change.name}${change.changed_rows > 0 ? ", before and after" : ", unchanged"}`),
  beforeAndAfter(column), change.changed_rows > 0 && h("details", { class: "what" }, h("summary", {}, "For example"), h("p", {}, example(change.examples))));

/** The first rows as they were and as they are released, for somebody who asks. */
function shownRows(found) {
  const box = h("div");
  const button = h("button", { type: "button", onclick: async () => {
    if (box.firstChild) {
      put(box);
      put(button, "Show some rows");
      return;
    }
    const some = await work(box, "Looking the rows up", "rows", { asked: found.asked });
    if (!some) return;
    put(button, "Hide the rows");
    put(box, table("The first rows, before and after", some.columns, some.rows.map(({ before, after }) => before.map((value, place) => (value === after[place]
      ? value ?? "missing" : [h("span", { class: "quiet" }, value ?? "missing"), " \u2192 ", after[place] ?? "missing"]))), { kind: "stack rows" }));
  } }, "Show some rows");
  return [h("div", { class: "row below" }, button), box];
}

/** What became of a few values that are merged; the first that were not left as they are. */
function example(examples) {
  const one = examples.find(({ values, released }) => values.length > 1 || values[0] !== released);
  if (!one) return "";
  const shown = one.values.slice(0, MOST_NAMED).map((value) => value ?? "missing");
  return `${shown.join(", ")}${one.more || one.values.length > MOST_NAMED ? ", \u2026" : ""} \u2192 ${one.released ?? "missing"}`;
}
