// Realised exposure, for owners: how many rows are exposed how much. Nobody is named.

import { api } from "../api.js";
import { histogram } from "../charts.js";
import { h, table } from "../dom.js";
import { bits, count, fixed, many, rational } from "../exact.js";
import { empty, load, notice } from "../notices.js";
import { frame } from "./frame.js";

const MOST_BINS = 16;

/** The page. */
export async function showExposure(page, name) {
  const dataset = await api.dataset(name);
  if (!page.isCurrent) return;
  const body = frame(page, dataset, "exposure");
  const found = h("div");
  body.append(
    h("p", { class: "quiet" }, "The budget bounds what answers can reveal about anyone, whatever the data. This is what they did reveal: how many bits about each row the answers so far can reveal to someone who knows all other rows."),
    notice("", null, "It depends on private data: it is for your eyes only, not for a report."), found);
  await load(found, (signal) => api.exposure(name, signal), show, "Computing exposure");
}

const short = (number) => fixed(rational(number), 2, 1).replace(/\.?0+$/, "");

/** At most this many columns: neighbours are put together when there are more. */
export function grouped(bins, most = MOST_BINS) {
  const sorted = [...bins].sort((one, other) => one.bits - other.bits);
  if (sorted.length <= most) return sorted.map((bin) => ({ label: short(bin.bits), rows: bin.rows }));
  const top = sorted.at(-1).bits || 1;
  const wide = top / most;
  const found = Array.from({ length: most }, (_, place) => ({ label: `\u2264\u2009${short((place + 1) * wide)}`, rows: 0 }));
  for (const bin of sorted) found[Math.min(most - 1, Math.max(0, Math.ceil(bin.bits / wide) - 1))].rows += bin.rows;
  return found;
}

function show(found) {
  if (!found.questions) return empty("Nothing revealed yet", "No question has been charged for, so nobody is exposed.");
  const bins = grouped(found.histogram);
  return [
    h("dl", { class: "facts" }, [
      ["Most exposed row", `${bits(found.most_bits)} of it can be inferred`],
      ["Fewest records possible", `${found.least_possible.length > 15 ? "very many" : count(found.least_possible)} for one who knows all other rows`],
      ["Questions", many(found.questions, "question")],
      ["Rows", `${many(found.rows, "row")} in ${many(found.classes, "class", "classes")} of equal rows`],
    ].map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)])),
    h("h2", {}, "Rows by bits"),
    histogram(bins, "Rows by exposure"),
    table("The same as a table", ["Bits", "Rows"], bins.map((bin) => [bin.label, count(bin.rows)]), { numbers: [0, 1] }),
    persons(found.persons),
    h("h2", {}, "Most exposed"),
    table("Classes of equal rows that are exposed most", ["Class", "Rows", "Bits", "Records still possible"],
      found.top.map((each) => [`${each.number}`, count(each.rows), short(each.bits), each.possible.length > 15 ? "very many" : count(each.possible)]), { numbers: [1, 2, 3] }),
  ];
}

function persons(bins) {
  if (!bins || !bins.length) return null;
  const rows = [...bins].sort((one, other) => one.bits - other.bits).map((bin) => [short(bin.bits), count(bin.persons)]);
  return [h("h2", {}, "Persons by bits"), table("With all rows of a person together, at most", ["Bits", "Persons"], rows, { numbers: [0, 1] })];
}
