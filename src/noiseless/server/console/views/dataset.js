// One dataset: its budget, its columns, who counts as a person.

import { api } from "../api.js";
import { gauge } from "../charts.js";
import { h, table } from "../dom.js";
import { bits, bitsLeft, count, exactBits, formula, many } from "../exact.js";
import { notice, sentence } from "../notices.js";
import { domain, quoteName } from "../schema.js";
import { frame, standing } from "./frame.js";

/** The overview. */
export async function showDataset(page, name) {
  const dataset = await api.dataset(name);
  if (!page.isCurrent) return;
  const body = frame(page, dataset, "");
  body.append(
    ...(dataset.warnings || []).map((text) => notice("bad", "Take care", sentence(text))),
    h("section", { "aria-label": "Budget" }, gauge(standing(dataset)), facts(dataset)),
    h("p", { class: "row" }, h("a", { class: "button main", href: `#/d/${encodeURIComponent(name)}/ask` }, "Ask a question")),
    h("h2", {}, "Columns"),
    h("p", { class: "quiet" }, "Public columns are open to everyone: people can be grouped and chosen by them for free. Private columns are protected; answers about them cost bits."),
    columns(dataset),
    ...(dataset.queries.length ? [h("h2", {}, "Queries by name"), queries(dataset)] : []));
}

function facts(dataset) {
  const { budget } = dataset;
  const person = dataset.unit
    ? `named by ${dataset.unit}, with at most ${many(dataset.max_rows, "row")}` : "one row";
  const rows = [
    ["Exactly spent", dataset.spent_exact && `${formula(dataset.spent_exact)}, for the people most exposed`],
    ["A question may cost", budget.query_bits === null ? null : `${exactBits(budget.query_bits, budget.query_bits_exact)}, unless it says otherwise`],
    ["Your allowance", budget.analyst_bits === null ? null : `${exactBits(budget.analyst_bits, budget.analyst_bits_exact, -1)}; you spent ${bits(dataset.analyst_spent)}`],
    ["Largest next batch", dataset.remaining_outputs === null || dataset.remaining === null ? null
      : `${bitsLeft(dataset.remaining)}${dataset.remaining_outputs.length > 12 ? "" : `: ${count(dataset.remaining_outputs)} different outputs`}`],
    ["Smallest group for a filtered mean", budget.min_group && many(budget.min_group, "row")],
    ["Rows", count(dataset.rows)],
    ["A person is", person],
    ["Version", `${dataset.version}, digest ${dataset.digest.split(":").at(-1).slice(0, 12)}\u2026`],
  ];
  return h("dl", { class: "facts" }, rows.filter(([, text]) => text).map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}

function columns(dataset) {
  const rows = dataset.columns.map((column) => [
    h("code", {}, column.name),
    h("span", { class: column.role === "public" ? "badge" : "badge accent" }, column.role),
    column.kind,
    [domain(column), column.kind === "category" && values(column)],
  ]);
  return table("Columns and what they may hold", ["Column", "Role", "Kind", "Values"], rows, { kind: "stack" });
}

function queries(dataset) {
  const rows = dataset.queries.map(({ name, definition }) => [h("code", {}, `SELECT ${name}() FROM ${quoteName(dataset.name)}`), definition]);
  return table("Queries that the owner declares", ["Asked as", "What it is"], rows, { kind: "stack" });
}

function values(column) {
  const text = column.categories.map(String).join(", ");
  if (text.length <= 80) return `: ${text}`;
  return h("details", { class: "more" }, h("summary", {}, "Show all"), h("span", { class: "small" }, text));
}
