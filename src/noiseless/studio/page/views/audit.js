// Step 2: what each column is for, and what the public ones give away.

import { bars, histogram, small } from "../pictures.js";
import { meaning } from "../explain.js";
import { freshId, h, put, table } from "../dom.js";
import { bits, count, many } from "../exact.js";
import { done, notice } from "../notices.js";
import { forms, reading } from "./open.js";
import { rolesMissing, state, work } from "../session.js";

const ROLES = [
  ["public", "public", "others may know it of a person"],
  ["sensitive", "sensitive", "to be kept secret"],
  ["person", "tells people apart", "rows with the same value are one person"],
  ["identifier", "identifier", "never published"],
  ["ignored", "left out", "neither published nor secret"],
];

const percent = (share) => `${(100 * share).toFixed((share > 0.995 && share < 1) || (share > 0 && share < 0.01) ? 2 : 0)}\u00a0%`;

const MOST_SHOWN = 20;

export function showAudit(body, { refresh, go }) {
  const verdict = h("section", { class: "verdict", "aria-live": "polite" });
  const rest = h("div");
  let turn = 0;
  const auditNow = async () => {
    turn += 1;
    const mine = turn;
    const stale = () => mine !== turn;
    refresh();
    if (rolesMissing()) {
      state.audit = null;
      put(rest);
      put(verdict, notice("", null, `${rolesMissing()} Choose below.`));
      return;
    }
    const found = await work(verdict, "Auditing", "audit", {}, { stale, again: auditNow, part: (early) => {
      put(verdict, headline(early, go));
      put(rest, h("p", { class: "working" }, "Finding who is at risk, and which column is to blame\u2026"));
    } });
    if (stale()) return;
    if (!found) {
      state.audit = null;
      put(rest);
      return;
    }
    state.audit = found;
    put(verdict, headline(found, go));
    put(rest, details(found));
  };
  const reopened = { go: () => showAudit(body, { refresh, go }) };
  put(body, h("h1", { tabindex: -1 }, name(state.table.source)), reading(body, reopened), forms(body, reopened),
    verdict, h("h2", {}, "What each column is for"), columns(() => {
      Object.assign(state, { releases: [], frontier: null });
      auditNow();
    }), rest);
  if (state.audit) {
    put(verdict, headline(state.audit, go));
    put(rest, details(state.audit));
  } else auditNow();
}

/** What a table is called; of several files, the folder too. */
const name = (source) => source.split(/[\\/]/).slice(source.includes("*") ? -2 : -1).join("/");

function columns(changed) {
  const shown = h("div");
  const rows = state.table.columns.map((column) => {
    const why = h("span", { class: "quiet small" });
    const explain = () => put(why, choice.value === column.role ? `proposed: ${column.reason}` : "");
    const choice = h("select", { "aria-label": `What ${column.name} is for`, onchange: () => {
      state.project.roles[column.name] = choice.value;
      explain();
      changed();
    } }, ROLES.map(([value, words]) => h("option", { value }, words)));
    choice.value = state.project.roles[column.name];
    explain();
    const look = h("button", { type: "button", class: "link small", "aria-label": `values of ${column.name}`, onclick: () => values(shown, column) }, "values");
    return [column.name, kind(column), count(column.distinct), column.missing ? count(column.missing) : "\u2013", h("span", { class: "spread" }, small(column.bars, column.name), look), choice, why];
  });
  return [table("Columns", ["column", "type", "different values", "missing", "spread", "role", "why"], rows, { kind: "stack columns", numbers: [2, 3], silent: true }), shown];
}

/** The most frequent values of a column, for somebody who asks. */
async function values(box, column) {
  const found = await work(box, "Counting the values", "values", { column: column.name, most: MOST_SHOWN });
  if (!found) return;
  const heading = h("h3", { tabindex: -1 }, found.values.length < column.distinct ? `The ${MOST_SHOWN} most frequent values of ${column.name}` : `Values of ${column.name}`);
  put(box, h("section", { class: "shown" }, heading, bars(found.values, heading.textContent), h("button", { type: "button", onclick: () => put(box) }, "Hide them")));
  heading.focus();
}

function kind(column) {
  const words = { integer: "whole numbers", decimal: "numbers", date: "dates", boolean: "yes or no", text: "text" }[column.kind];
  return column.low === null ? words : `${words}, ${column.low} to ${column.high}`;
}

function headline({ audit }, go) {
  const bad = audit.min_posterior === 1;
  const mark = bad ? "bad" : audit.leakage > 0 ? "partly" : "good";
  const tile = (label, figure, words, key) => h("div", { class: "tile" }, h("p", { class: "label" }, label), h("p", { class: "figure" }, figure), h("p", { class: "quiet small" }, words), meaning(key));
  return [
    h("p", { class: `words ${mark}` }, audit.verdict),
    h("div", { class: "tiles" },
      tile("Fewest values left", `${count(audit.min_posterior)} of ${count(audit.sensitive_values)}`, "for the person whose row tells most", "min_posterior"),
      tile("Bits leaked, L0", bits(audit.leakage), `of ${bits(audit.entropy)} in all`, "leakage"),
      tile("Best guess right", percent(audit.best_guess), `blind: ${percent(audit.blind_guess)}`, "best_guess"),
      tile(`Fewest ${audit.unit ? "people" : "rows"} alike, k`, count(audit.k_anonymity), audit.k_anonymity === 1 ? "somebody stands alone" : "with the same public values", "k_anonymity")),
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => go("protect") }, "Protect it")),
  ];
}

function details(found) {
  const { audit } = found;
  const bins = audit.posterior_histogram.slice(0, 12).map((bin) => ({ label: String(bin.values), rows: bin.persons }));
  const groups = h("div");
  const keys = h("div");
  return [
    h("h2", {}, "Who is at risk"),
    h("p", {}, `How many values stay possible for each ${audit.unit ? "person" : "row"}. With one value left, the secret is known.`),
    histogram(bins, "values left", audit.unit ? "people" : "rows"), meaning("histogram"),
    h("h2", {}, "Which column is to blame"),
    table("Worst first", ["column", "leaks alone", "leak without it", "values left without it", `${audit.unit ? "people" : "rows"} it pins down`],
      audit.contributions.map((one) => [one.column, bits(one.leakage_alone), bits(one.leakage_without), count(one.min_posterior_without), count(one.spared)]), { kind: "stack", numbers: [1, 2, 3, 4] }), meaning("contributions"),
    h("h2", {}, "What a disclosure rule would give away"),
    h("p", {}, "Choose a rule for a column, or write one, and read what is given away under it."), ruled(), meaning("rules"),
    h("h2", {}, "The groups that give most away"), groups, witnesses(audit, groups), meaning("witnesses"),
    h("h2", {}, "Which combinations single people out"), keys,
    h("div", { class: "row" }, h("button", { type: "button", onclick: async (event) => {
      const more = await work(keys, "Looking for unique combinations", "audit", { uniques: 3 });
      if (!more) return;
      put(keys, uniques(more.audit.uniques));
      event.target.remove();
    } }, "Look for them")), meaning("uniques"),
    again(found),
  ];
}

function witnesses(audit, box) {
  const show = (found, revealed) => put(box, table(
    revealed ? "With their values: keep this page private" : "Values are hidden",
    ["first row", audit.unit ? "people" : "rows", "values left", "leaked", ...(revealed ? ["public values", "what stays possible"] : [])],
    found.witnesses.map((one) => [one.first_row ? count(one.first_row) : "\u2013", count(one.size), count(one.posterior), bits(one.leaked),
      ...(revealed ? [Object.entries(one.values).map(([key, value]) => `${key} ${value ?? "missing"}`).join(", "), one.possible.map((value) => value ?? "missing").join(", ")] : [])]),
    { kind: "stack", numbers: [1, 2, 3] }));
  let hidden = true;
  const button = h("button", { type: "button", onclick: async () => {
    const found = hidden ? await work(box, "Looking", "audit", { reveal: true }) : { audit };
    hidden = found ? !hidden : true;
    show(found ? found.audit : audit, !hidden);
    put(button, hidden ? "Show their values" : "Hide their values");
  } }, "Show their values");
  show(audit, false);
  return h("div", { class: "row" }, button);
}

/** A rule for each column, with its verdict; and all of them together. */
function ruled() {
  const chosen = new Map();
  const whole = h("div");
  const row = (label, rules, written) => {
    const said = h("span", { class: "small", role: "status" });
    const id = freshId("rules");
    const input = h("input", { type: "text", list: id, placeholder: "none", "aria-label": `Rule for ${label}`, spellcheck: "false", autocomplete: "off", onchange: async () => {
      const text = input.value.trim();
      chosen.delete(label);
      put(said);
      put(whole);
      if (!text) return;
      const found = await work(said, "Auditing", "rules", { rule: [written(text)] });
      if (!found) return;
      chosen.set(label, written(text));
      put(said, found.rules.verdict);
    } });
    return [label, h("span", {}, input, h("datalist", { id }, rules.map((rule) => h("option", { value: rule })))), said];
  };
  const columns = state.table.columns.map((column) => [column, column.rules[state.project.roles[column.name]] || []]).filter(([, rules]) => rules.length);
  const rows = columns.map(([column, rules]) => row(column.name, rules, (text) => `${column.name}=${text}`));
  rows.push(row("small groups", ["min-cell:3", "min-cell:5", "min-cell:11"], (text) => text));
  return [
    table("Rules, one at a time", ["column", "rule", "under it"], rows, { kind: "stack rules", silent: true }), whole,
    h("div", { class: "row" }, h("button", { type: "button", onclick: async () => {
      if (!chosen.size) {
        put(whole, notice("", null, "Choose a rule first."));
        return;
      }
      const found = await work(whole, "Auditing", "rules", { rule: [...chosen.values()] });
      if (found) put(whole, h("p", { class: `words ${found.rules.after.min_posterior === 1 ? "bad" : "partly"}` }, found.rules.verdict), again(found));
    } }, "All of them together")),
  ];
}

function uniques(found) {
  if (!found.keys.length) return h("p", {}, `No combination of up to ${found.size} columns singles anyone out.`);
  return table("Columns that single rows out, and no part of them does", ["columns", "rows"], found.keys.slice(0, 20).map((one) => [one.columns.join(", "), count(one.rows)]), { kind: "stack", numbers: [1] });
}

/** The same without the browser. */
export function again(found) {
  return h("details", { class: "more" }, h("summary", {}, "The same without the browser"), code("Command", found.command), code("Python", found.python));
}

/** Lines to be used elsewhere, with a button that copies them. */
export function code(title, text) {
  return [
    h("div", { class: "row apart code" }, h("h3", {}, title), h("button", { type: "button", class: "link", "aria-label": `Copy: ${title}`, onclick: async () => {
      await navigator.clipboard.writeText(text);
      done("Copied.");
    } }, "Copy")),
    h("pre", { class: "secret" }, text),
  ];
}
