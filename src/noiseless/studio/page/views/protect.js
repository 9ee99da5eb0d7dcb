// Step 3: limits, what they cost, and the releases that were made.

import { beforeAndAfter, frontierChart } from "../pictures.js";
import { field, h, put, table } from "../dom.js";
import { bits, count } from "../exact.js";
import { meaning } from "../explain.js";
import { state, work } from "../session.js";
import { again } from "./audit.js";
import { editGroups } from "./hierarchy.js";

const MOST_KEPT = 2;
const percent = (share) => `${(100 * share).toFixed(1)} %`;

export function showProtect(body, { refresh, go }) {
  const { limits } = state.project;
  const secret = Object.entries(state.project.roles).filter(([, role]) => role === "sensitive").map(([name]) => name).join(" and ");
  const most = state.audit ? state.audit.audit.sensitive_values : 50;
  const box = h("div");
  const chart = h("div");
  const made = h("div");
  const draw = () => state.frontier && put(chart, frontierChart(state.frontier.points, limits.min_posterior, (point) => {
    slider.set(point.min_posterior);
    make();
  }), meaning("frontier"));
  const slider = range("Values left", 1, Math.max(2, Math.min(most, 200)), 1, limits.min_posterior ?? Math.min(5, most), (value) => {
    limits.min_posterior = value;
    draw();
    return value === 1 ? "Anything may be given away." : `At least ${value} values of ${secret || "the secret"} stay possible for everybody.`;
  });
  const alike = range("Rows alike", 1, 50, 1, limits.min_rows ?? 1, (value) => {
    limits.min_rows = value > 1 ? value : null;
    return value === 1 ? "A row may stand alone." : `At least ${value} rows look alike (k-anonymity).`;
  });
  const belief = range("Best guess about anybody", 1, 20, 1, limits.largest_belief ? Number(limits.largest_belief.split("/")[1]) : 1, (value) => {
    limits.largest_belief = value > 1 ? `1/${value}` : null;
    return value === 1 ? "A guess may be as good as certain." : `Nobody is guessed right more often than 1 time in ${value}.`;
  });
  const hidden = range("Rows that may be left out, %", 0, 20, 0.5, 100 * (limits.suppress ?? 0), (value) => {
    limits.suppress = value > 0 ? value / 100 : null;
    return value === 0 ? "Every row is published." : `Up to ${value} % of the rows may read *, where that spares the others.`;
  });
  const prefer = choice("What counts most", limits.prefer, { "": "the largest change", mean: "the mean loss over all rows" }, (value) => { limits.prefer = value || null; });
  const recoding = choice("How values are merged", limits.recoding, { "": "group by group", "full-domain": "each column to one level everywhere", suppression: "single values become *" }, (value) => { limits.recoding = value || null; });
  const make = async () => {
    const found = await work(box, "Looking for the best release", "release");
    if (!found) return;
    state.releases = [found, ...state.releases].slice(0, MOST_KEPT);
    refresh();
    put(made, releases(go));
  };
  put(body, h("h1", { tabindex: -1 }, "Make a release that tells less"),
    h("div", { class: "limits" }, slider.shown, belief.shown, alike.shown, hidden.shown, h("div", { class: "row low" }, prefer, recoding), hierarchies(limits)),
    h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: make }, "Make the release"),
      h("button", { type: "button", onclick: async () => {
        const found = await work(box, "Surveying what can be had", "frontier");
        if (!found) return;
        state.frontier = found.frontier;
        draw();
      } }, "Show what each limit costs")),
    box, chart, made);
  draw();
  if (state.releases.length) put(made, releases(go));
}

function range(label, min, max, step, begin, say) {
  const said = h("p", { class: "said" });
  const input = h("input", { type: "range", min, max, step, value: begin, oninput: () => put(said, say(Number(input.value))) });
  const set = (value) => {
    input.value = value;
    put(said, say(Number(input.value)));
  };
  set(begin);
  return { shown: h("div", {}, field(label, input), said), set };
}

const RULES = { integer: "intervals:5,10,20", decimal: "intervals:1,10", date: "dates", text: "prefixes" };

const MOST_GROUPED = 300;

/** A tree of names above the values of a column: made here, by a rule, or from a file as ARX writes it. */
function hierarchies(limits) {
  limits.hierarchy ||= {};
  const box = h("div");
  const said = h("p", { class: "hint", role: "status" });
  const grid = h("div", { class: "grid" });
  const draw = () => put(grid, state.table.columns.filter((column) => state.project.roles[column.name] === "public").map((column) => {
    const given = limits.hierarchy[column.name] || "";
    const here = /[\\/]noiseless-studio-[^\\/]*[\\/]/.test(given);
    const words = here ? "Change the groups" : "Group its values";
    const input = h("input", { type: "text", spellcheck: "false", placeholder: RULES[column.kind] || "", readonly: here, value: here ? "groups made here" : given, onchange: () => {
      if (input.value.trim()) limits.hierarchy[column.name] = input.value.trim();
      else delete limits.hierarchy[column.name];
    } });
    const grouped = ["text", "integer", "boolean"].includes(column.kind) && column.distinct <= MOST_GROUPED;
    return h("div", {}, field(column.name, input), grouped && h("button", { type: "button", class: "link", "aria-label": `${words}: ${column.name}`, onclick: () => editGroups(box, column.name, (words) => {
      put(said, words);
      draw();
    }) }, words));
  }));
  draw();
  return h("details", { class: "more", open: Object.keys(limits.hierarchy).length > 0 }, h("summary", {}, "Hierarchies"),
    h("p", { class: "hint" }, "Groups made here, a rule (intervals:5,10,20, prefixes, dates, frequencies:10,100), or a file with a value and the names above it in each line, as ARX writes it. Without one, numbers become intervals and categories become sets."),
    grid, said, box);
}

function choice(label, begin, words, changed) {
  const select = h("select", { onchange: () => changed(select.value) }, Object.entries(words).map(([value, text]) => h("option", { value }, text)));
  select.value = begin ?? "";
  const shown = field(label, select);
  shown.style.width = "18rem";
  return shown;
}

function releases(go) {
  return [
    h("h2", {}, state.releases.length > 1 ? "Two releases side by side, the newest first" : "The release"),
    h("div", { class: "sides" }, state.releases.map((found, place) => candidate(found, place === 0))),
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => go("take") }, "Take the newest away")),
  ];
}

function candidate(found, newest) {
  const { release } = found;
  const facts = [
    ["fewest values left", `${count(release.before.min_posterior)} \u2192 ${count(release.min_posterior)}`],
    ["fewest rows alike", `${count(release.before.min_rows)} \u2192 ${count(release.min_rows)}`],
    ["bits leaked, L0", `${bits(release.before.leakage)} \u2192 ${bits(release.leakage)}`],
    ["best guess right", `${percent(release.before.best_guess)} \u2192 ${percent(release.best_guess)} (blind ${percent(release.blind_guess)})`],
    ["mean loss", release.mean_loss === null || release.mean_loss === undefined ? "\u2013" : percent(release.mean_loss)],
    ["rows left out", count(release.suppressed_rows || 0)],
    ["proved best", release.optimal ? "yes" : "no"],
  ];
  return h("article", { class: "candidate" },
    h("h3", {}, newest ? "Newest" : "Before it"),
    h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])), meaning("min_posterior", "k_anonymity", "leakage", "best_guess", "mean_loss", "suppressed", "optimal"),
    table("What changed in each column", ["column", "values", "rows changed", "worst change", "for example"], release.changes.map((one) => [
      one.name, `${count(one.before)} \u2192 ${count(one.after)}`, count(one.changed_rows), found.columns.find((column) => column.name === one.name).worst,
      one.examples.length ? `${one.examples[0].values.map((value) => value ?? "missing").join(", ")} \u2192 ${one.examples[0].released ?? "missing"}` : ""]), { kind: "stack", numbers: [2, 3] }),
    meaning("largest"),
    h("h4", {}, "Before and after, column by column"),
    found.columns.map((column) => h("details", { class: "more", open: newest }, h("summary", {}, column.name), beforeAndAfter(column))),
    again(found));
}
