// A table of counts or totals instead of rows: what it would give away, and what to publish instead.

import { field, h, put, table } from "../dom.js";
import { count, readable } from "../exact.js";
import { meaning } from "../explain.js";
import { notice } from "../notices.js";
import { state, work } from "../session.js";
import { code } from "./audit.js";

const MOST_LABELS = 200;
const MOST_SHOWN = 50;

export function showTables(body) {
  const { roles } = state.project;
  const used = state.table.columns.filter((column) => ["public", "sensitive"].includes(roles[column.name]));
  const labels = used.filter((column) => column.distinct <= MOST_LABELS);
  const amounts = used.filter((column) => roles[column.name] === "sensitive" && ["integer", "decimal"].includes(column.kind) && Number(column.low) >= 0);
  put(body, h("h1", { tabindex: -1 }, "Publish a table instead of rows"),
    h("p", {}, "Choose what stands on the left and above. The audit says which withheld figures still follow from the totals, and what the people counted learn about each other."));
  if (labels.length < 2) {
    body.append(notice("", null, `A table needs two columns of at most ${MOST_LABELS} different values that are public or sensitive.`));
    return;
  }
  const few = (role) => labels.filter((column) => roles[column.name] === role && column.distinct > 1).sort((one, other) => one.distinct - other.distinct)[0]?.name;
  const [rows, cols] = [few("public") ?? labels[0].name, few("sensitive") ?? labels.at(-1).name];
  const across = pick(labels.map((column) => [column.name, column.name]), cols === rows ? labels.find((column) => column.name !== rows).name : cols);
  const down = pick(labels.map((column) => [column.name, column.name]), rows);
  const what = pick([["", "counts of rows"], ...amounts.map((column) => [column.name, `totals of ${column.name}`])], "");
  const [below, share] = [number(1, 1000, 5), number(1, 100, 10)];
  const [threshold, percent] = [field("Withhold below", below), field("p % rule", share)];
  const box = h("div");
  const totals = () => what.value !== "";
  const fit = () => {
    threshold.hidden = totals();
    percent.hidden = !totals();
    put(box);
  };
  const asked = () => ({ rows: [down.value], cols: [across.value], ...(totals() ? { value: what.value, p_percent: Number(share.value) } : { below: Number(below.value) }) });
  const clash = () => new Set([down.value, across.value, what.value]).size < 3;
  for (const control of [what, down, across, below, share]) control.addEventListener("change", fit);
  fit();
  body.append(
    h("form", { class: "row low", onsubmit: async (event) => {
      event.preventDefault();
      if (clash()) {
        put(box, notice("bad", null, "Choose different columns."));
        return;
      }
      const found = await work(box, "Auditing the table", "tables", asked());
      if (found) put(box, audited(found, down.value, totals()), protection(asked, totals()));
    } }, field("What is published", what), field("Rows", down), field("Columns", across), threshold, percent, h("button", { type: "submit", class: "main" }, "Audit")), box);
}

function pick(options, value) {
  const select = h("select", {}, options.map(([key, words]) => h("option", { value: key }, words)));
  select.value = value;
  return select;
}

const number = (min, max, value) => h("input", { type: "number", min, max, value, required: true });

function audited({ tables: found, verdict, mark, files }, corner, totals) {
  const known = found.cells.filter((cell) => cell.disclosed && !cell.published);
  const broken = new Set(found.requirements.filter((one) => one.holds === false).map((one) => String(one.of.labels)));
  return [
    h("p", { class: `words ${mark}` }, verdict), meaning(totals ? "amounts" : "tables"),
    grid("What readers know of each figure", found.cells, corner, broken),
    known.length > 0 && table("Withheld, yet known", ["cell", "value", "follows from"], known.slice(0, MOST_SHOWN).map((cell) => [
      cell.of.labels.join(", "), figure(cell.lower), cell.because.map((one) => one.labels.join(", ")).join("; ")]), { kind: "stack", numbers: [1] }),
    h("div", { class: "row" }, save(files, "tables.html", "The whole audit")),
  ];
}

const figure = (value) => (Number.isInteger(value) ? count(value) : readable(value));
const reach = ({ lower, upper }) => (upper === null || upper === "inf" ? `${figure(lower)} or more` : `${figure(lower)} to ${figure(upper)}`);

/** The table as its readers see it: what is withheld, with what stays possible; labels that are not crossed by others are left to the report. */
function grid(caption, cells, corner, broken = new Set()) {
  const [down, across] = [0, 1].map((place) => [...new Set(cells.map((cell) => cell.of.labels[place]))].sort((one, other) => (one === "Total") - (other === "Total")));
  const known = new Map(cells.map((cell) => [String(cell.of.labels), cell]));
  const shown = (cell) => {
    if (!cell) return h("span", { class: "quiet" }, "\u2013");
    const words = cell.lower === cell.upper ? figure(cell.lower) : reach(cell);
    if (broken.has(String(cell.of.labels))) return h("strong", { class: "told" }, `${words}, too exact`);
    if (cell.published) return words;
    return h("span", { class: cell.disclosed ? "told" : "hidden" }, cell.disclosed ? `${words}, though withheld` : words);
  };
  return table(caption, [corner, ...across], down.map((label) => [label, ...across.map((other) => shown(known.get(String([label, other]))))]), { kind: "tight figures", numbers: across.map((_, place) => place + 1) });
}

const METHODS = { suppress: "withhold more figures", intervals: "publish intervals", round: "round so that totals add up", merge: "merge categories" };

/** What to publish instead, and its files. */
function protection(asked, totals) {
  const method = pick(Object.entries(METHODS), "suppress");
  const [box, how] = [h("div"), field("How", method)];
  how.classList.add("wide");
  return [h("h2", {}, "Protect the table"),
    h("p", {}, totals ? "Nobody who contributes may learn another's amount to within the chosen percentage. The result is audited before it is shown, and proved." : "Counts below the threshold stay unknown, whatever follows from the others. The result is audited before it is shown, and proved."),
    h("form", { class: "row low", onsubmit: async (event) => {
      event.preventDefault();
      const now = asked();
      const found = await work(box, "Looking for the least loss", "protect_tables", { ...now, method: method.value });
      if (found) put(box, safe(found, now));
    } }, how, h("button", { type: "submit", class: "main" }, "Protect")), box];
}

function safe({ protection: found, text, command, python, files }, { rows: [corner], p_percent: share }) {
  const good = share ? `From this table, no contributor learns another's amount to within ${share} %.` : "No count below the threshold follows from this table.";
  return [
    h("p", { class: `words ${found.holds ? "good" : "bad"}` }, found.holds ? good : "No such table was found this way. Try another, or fewer categories."),
    found.holds && grid("What readers know of the protected table", found.cells, corner), meaning("protection"),
    h("div", { class: "row" }, found.holds && [save(files, "counts.csv", "The table to publish"), save(files, "counts-certificate.json", "Its certificate")], save(files, "counts.html", "The report")),
    h("details", { class: "more" }, h("summary", {}, "The report in words"), h("pre", { class: "secret" }, text)),
    h("details", { class: "more" }, h("summary", {}, "The same without the browser"), command && code("Command", command), code("Python", python)),
  ];
}

const save = (files, name, words) => h("a", { class: "button", href: `/api/files/${files}/${name}`, download: name }, `${words} (${name})`);
