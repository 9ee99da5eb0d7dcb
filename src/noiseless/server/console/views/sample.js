// Synthetic rows to try things on.

import { api } from "../api.js";
import { field, h, table } from "../dom.js";
import { many } from "../exact.js";
import { load, passOn } from "../notices.js";
import { frame } from "./frame.js";

/** The page. */
export async function showSample(page, name) {
  const dataset = await api.dataset(name);
  if (!page.isCurrent) return;
  const body = frame(page, dataset, "sample");
  const rows = h("input", { type: "number", min: 1, max: 1000, step: 1, value: "20", required: true });
  const seed = h("input", { type: "number", min: 0, step: 1, value: "1", required: true });
  const list = h("div");
  const draw = () => load(list, () => api.sample(name, rows.value, seed.value), (found) => show(dataset, found), "Drawing rows");
  body.append(
    h("p", { class: "quiet" }, "Made-up rows, drawn from what the columns may hold. They say nothing about the data: every value is as likely as any other."),
    h("form", { class: "row low", onsubmit: (event) => { event.preventDefault(); draw().catch(passOn); } },
      field("Rows", rows), field("Seed", seed), h("button", { type: "submit" }, "Draw")), list);
  await draw();
}

function show(dataset, { rows }) {
  const names = dataset.columns.map((column) => column.name);
  const numbers = dataset.columns.map((column, place) => (column.kind === "number" ? place : -1)).filter((place) => place >= 0);
  return table(`${many(rows.length, "synthetic row")} of ${dataset.name}`, names, rows.map((row) => names.map((name) => String(row[name] ?? ""))), { numbers, kind: "tight" });
}
