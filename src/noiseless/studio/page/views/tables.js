// A table of counts instead of rows: what it would give away.

import { field, h, put, table } from "../dom.js";
import { meaning } from "../explain.js";
import { notice } from "../notices.js";
import { state, work } from "../session.js";

export function showTables(body) {
  const names = state.table.columns.filter((column) => ["public", "sensitive"].includes(state.project.roles[column.name]) && column.distinct <= 200).map((column) => column.name);
  const pick = (at) => {
    const select = h("select", {}, names.map((name) => h("option", { value: name }, name)));
    select.selectedIndex = Math.min(at, names.length - 1);
    return select;
  };
  const few = (role) => state.table.columns.filter((column) => names.includes(column.name) && state.project.roles[column.name] === role && column.distinct > 1).sort((one, other) => one.distinct - other.distinct).map((column) => names.indexOf(column.name));
  const [rows, cols] = [pick(few("public")[0] ?? 0), pick(few("sensitive")[0] ?? names.length - 1)];
  const below = h("input", { type: "number", min: 0, max: 1000, value: 5 });
  const box = h("div");
  put(body, h("h1", { tabindex: -1 }, "Publish counts instead of rows"),
    h("p", {}, "Choose what stands at the left and above. Counts below the threshold are withheld; the audit says which of them follow from the totals all the same."));
  if (names.length < 2) {
    body.append(notice("", null, "A table of counts needs two columns of at most 200 different values that are public or sensitive."));
    return;
  }
  body.append(
    h("form", { class: "row low", onsubmit: async (event) => {
      event.preventDefault();
      if (rows.value === cols.value) {
        put(box, notice("bad", null, "Choose two different columns."));
        return;
      }
      const found = await work(box, "Auditing the table", "tables", { rows: [rows.value], cols: [cols.value], below: Number(below.value) || 0 });
      if (found) put(box, outcome(found.tables), protection(() => ({ rows: [rows.value], cols: [cols.value], below: Number(below.value) || 0 })));
    } }, field("Rows", rows), field("Columns", cols), field("Withhold below", below), h("button", { type: "submit", class: "main" }, "Audit")), box);
}

function outcome(found) {
  const told = found.cells.filter((cell) => cell.disclosed && !cell.published);
  const words = !found.holds && !told.length ? "No withheld count follows from the others, but the secret of a whole group does." : found.holds
    ? "No count that is withheld follows from the others, and nobody's secret is told."
    : `${told.length} withheld ${told.length === 1 ? "count follows" : "counts follow"} from the others, or somebody's secret does.`;
  return [
    h("p", { class: `words ${found.holds ? "good" : "bad"}` }, words), meaning("tables"),
    told.length > 0 && table("Withheld, and known all the same", ["cell", "value", "follows from"], told.slice(0, 50).map((cell) => [
      cell.of.labels.join(", "), String(cell.lower), cell.because.map((one) => one.labels.join(", ")).join("; ")]), { kind: "stack", numbers: [1] }),
    found.persons.filter((one) => one.disclosed).length > 0 && h("p", {}, "Groups whose secret is known are named on the page of the audit."),
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/files/tables.html", download: "tables.html" }, "Save the whole audit (tables.html)")),
  ];
}

const METHODS = { suppress: "withhold more counts", intervals: "publish intervals", round: "round so that totals add up", merge: "merge categories" };

/** What to publish instead, and its files. */
function protection(asked) {
  const method = h("select", {}, Object.entries(METHODS).map(([value, words]) => h("option", { value }, words)));
  const [box, how] = [h("div"), field("How", method)];
  how.style.width = "18rem";
  return [h("h2", {}, "Protect the table"),
    h("p", {}, "Counts below the threshold are to stay unknown, whatever follows from the others. The result is audited before it is shown, and proved."),
    h("form", { class: "row low", onsubmit: async (event) => {
      event.preventDefault();
      if (asked().below < 1) {
        put(box, notice("bad", null, "Say below which count a figure is to be withheld."));
        return;
      }
      const found = await work(box, "Looking for the least loss", "protect_tables", { ...asked(), method: method.value });
      if (found) put(box, safe(found));
    } }, how, h("button", { type: "submit", class: "main" }, "Protect")), box];
}

function safe({ protection: found, text, command }) {
  const save = (file, words) => h("a", { class: "button", href: `/api/files/${file}`, download: file }, `${words} (${file})`);
  return [
    h("p", { class: `words ${found.holds ? "good" : "bad"}` }, found.holds ? "No count below the threshold follows from this table." : "No such table was found this way. Try another, or fewer categories."),
    h("pre", { class: "secret" }, text), meaning("protection"),
    h("div", { class: "row" }, found.holds && [save("counts.csv", "The table to publish"), save("counts-certificate.json", "Its certificate")], save("counts.html", "The report")),
    command && [h("h3", {}, "The same without the browser"), h("pre", { class: "secret" }, command)],
  ];
}
