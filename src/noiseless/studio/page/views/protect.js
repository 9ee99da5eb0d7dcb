// Step 3: limits, what they cost, and the releases that were made.

import { frontierChart } from "../pictures.js";
import { announce, field, h, put } from "../dom.js";
import { bits, count, readable } from "../exact.js";
import { meaning } from "../explain.js";
import { notice } from "../notices.js";
import { limitsText, state, work } from "../session.js";
import { percent, releases } from "./candidates.js";
import { editGroups } from "./hierarchy.js";

const MOST_LEFT = 200;

/** What a chart was made for: limits that it does not vary, and roles. */
function asked() {
  const { min_posterior: _, suppress: __, ...others } = state.project.limits;
  return JSON.stringify([others, state.project.roles]);
}

export function showProtect(body, { refresh, go }) {
  const { limits } = state.project;
  const secrets = state.table.columns.filter((column) => state.project.roles[column.name] === "sensitive");
  const secret = secrets.map((column) => column.name).join(" and ");
  const most = Math.min(state.audit ? state.audit.audit.sensitive_values : Math.max(...secrets.map((column) => column.distinct + (column.missing ? 1 : 0))), MOST_LEFT);
  const [box, chart, older, made] = [h("div"), h("div"), h("div"), h("div")];
  let turn = 0;
  const draw = () => {
    put(older, state.releases.length > 0 && state.releases[0].about !== limitsText() && notice("", null, "The limits changed since this release was made.", h("button", { type: "button", onclick: () => make() }, "Make it again")));
    if (!state.frontier) return;
    const { points, about } = state.frontier;
    put(chart, about === asked()
      ? [frontierChart(points, limits.min_posterior, (point) => {
        slider.set(point.min_posterior);
        make();
      }), limits.suppress && h("p", { class: "hint" }, "Without rows left out: with them a release may change less."), meaning("frontier")]
      : notice("", null, "The limits changed since this was computed.", h("button", { type: "button", onclick: survey }, "Show what each limit costs now")));
  };
  const changed = (name, value) => {
    limits[name] = value;
    draw();
    slider?.say();
  };
  const slider = range("Values left", { max: Math.max(2, most), begin: limits.min_posterior ?? Math.min(5, most), number: (value) => `${value} of ${most}` }, (value) => {
    limits.min_posterior = value;
    draw();
    return `${value === 1 ? "Anything may be given away." : `At least ${value} values of ${secret} stay possible for everybody.`}${cost(value)}`;
  });
  const belief = range("Best guess about anyone", { max: 20, begin: limits.largest_belief ? Number(limits.largest_belief.split("/")[1]) : 1, number: (value) => (value === 1 ? "no limit" : `1 in ${value}`) }, (value) => {
    changed("largest_belief", value > 1 ? `1/${value}` : null);
    return value === 1 ? "A guess may be as good as certain." : `Nobody is guessed right more often than 1 time in ${value}.`;
  });
  const alike = range("Rows alike", { max: 50, begin: limits.min_rows ?? 1 }, (value) => {
    changed("min_rows", value > 1 ? value : null);
    return value === 1 ? "A row may stand alone." : `At least ${value} rows look alike (k-anonymity).`;
  });
  const hidden = range("Rows that may be left out", { min: 0, max: 20, step: 0.5, begin: 100 * (limits.suppress ?? 0), number: (value) => `${value} %` }, (value) => {
    changed("suppress", value > 0 ? value / 100 : null);
    return value === 0 ? "Every row is published." : `Up to ${value} % of the rows may read *, where that spares the others.`;
  });
  const prefer = choice("What counts most", limits.prefer, { "": "the largest change", mean: "the mean loss over all rows" }, (value) => changed("prefer", value || null));
  const recoding = choice("How values are merged", limits.recoding, { "": "group by group", "full-domain": "each column to one level everywhere", suppression: "single values become *" }, (value) => changed("recoding", value || null));
  const show = () => {
    draw();
    put(made, releases({ take: (found) => {
      state.taken = found;
      go("take");
    }, changed: show }));
  };
  const make = async ({ focus = true } = {}) => {
    turn += 1;
    const [mine, about] = [turn, limitsText()];
    const found = await work(box, "Looking for the best release", "release", {}, { stale: () => mine !== turn, again: () => make() });
    if (!found || mine !== turn) return;
    const kept = state.releases[1];
    state.releases = [{ ...found, about }, ...(kept ? [kept] : [])];
    refresh();
    include(found.release);
    slider.say();
    show();
    if (focus) made.querySelector("h2").focus();
    else announce(`The release follows: ${count(found.release.min_posterior)} values left, ${bits(found.release.leakage)} leaked.`);
  };
  const isLive = () => (state.releases.length ? state.releases[0].quick : state.frontier?.about === asked());
  const step = () => isLive() && state.releases[0]?.about !== limitsText() && make({ focus: false });
  const survey = async () => {
    const about = asked();
    const found = await work(box, "Looking for what each limit costs", "frontier");
    if (!found) return;
    state.frontier = { ...found.frontier, about };
    draw();
    slider.say();
  };
  put(body, h("h1", { tabindex: -1 }, "Make a release that gives away less"),
    h("div", { onchange: step }, h("div", { class: "limits" }, [slider, belief, alike, hidden].map((each) => each.shown)),
      h("div", { class: "row low" }, prefer, recoding)),
    hierarchies(limits, () => { changed("hierarchy", limits.hierarchy); step(); }),
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => make() }, "Make the release"), h("button", { type: "button", onclick: survey }, "Show what each limit costs")),
    box, chart, older, made);
  draw();
  if (state.releases.length) show();
}

/** A release that loses less than the point that keeps as many values is the better point. */
function include(release) {
  if (state.frontier?.about !== asked() || release.suppressed_rows) return;
  state.frontier.points = state.frontier.points.map((one) => (one.min_posterior === release.min_posterior && release.mean_loss < one.mean_loss ? { ...one, ...release } : one));
}

/** What a number of values left costs, where the frontier is known: the release that was made, or the point that keeps at least this many. */
function cost(value) {
  if (state.frontier?.about !== asked()) return "";
  const [made] = state.releases;
  const point = made?.about === limitsText() ? made.release : state.frontier.points.find((one) => one.min_posterior >= value);
  if (!point) return " No release found keeps this many.";
  const lost = typeof point.mean_loss === "number" ? `a mean loss of ${percent(point.mean_loss)}` : `a largest change of ${readable(point.distortion)}`;
  return ` That costs ${lost}, and leaks ${bits(point.leakage)}.`;
}

/** A slider with its number beside its name and, below, what it means. */
function range(label, { min = 1, max, step = 1, begin, number = String }, words) {
  const said = h("p", { class: "said" });
  const shown = h("output", { "aria-hidden": "true" });
  const say = () => {
    const value = Number(input.value);
    put(shown, number(value));
    put(said, words(value));
  };
  const input = h("input", { type: "range", min, max, step, oninput: say });
  const set = (value) => {
    input.value = value;
    say();
  };
  set(begin);
  const named = field(label, input);
  named.classList.add("ranged");
  named.firstChild.after(shown);
  return { shown: h("div", {}, named, said), set, say };
}

const RULES = { integer: "intervals:5,10,20", decimal: "intervals:1,10", date: "dates", text: "prefixes" };

const MOST_GROUPED = 300;

/** A tree of names above the values of a column: made here, by a rule, or from a file as ARX writes it. */
function hierarchies(limits, changed) {
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
      changed();
    } });
    const grouped = ["text", "integer", "boolean"].includes(column.kind) && column.distinct <= MOST_GROUPED;
    return h("div", {}, field(column.name, input), grouped && h("button", { type: "button", class: "link", "aria-label": `${words}: ${column.name}`, onclick: () => editGroups(box, column.name, (words) => {
      put(said, words);
      draw();
      changed();
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
