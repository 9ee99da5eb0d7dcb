// Answers: the interval in words and on an axis, and a table of all numbers.

import { inWords, intervals, isExact } from "../charts.js";
import { download, h, table } from "../dom.js";
import { bits, count, readable } from "../exact.js";

const MOST_DRAWN = 60;
const MOST_LISTED = 500;

/** What a statement costs, as a badge. */
export function costBadge({ free, bits: cost }) {
  return free ? h("span", { class: "badge free" }, "free") : h("span", { class: "badge accent" }, bits(cost));
}

/** All answers of a reply. */
export function answerList(answers, level = "h3") {
  return answers.map((answer, place) => h("article", { class: "answer", "aria-label": `Answer ${place + 1}` },
    answers.length > 1 ? h(level, {}, `Answer ${place + 1} `, costBadge(answer)) : h("p", {}, costBadge(answer)),
    h("p", { class: "sql" }, answer.sql),
    isSingle(answer) ? single(answer.rows[0]) : grouped(answer)));
}

const isSingle = (answer) => answer.rows.length === 1 && !Object.keys(answer.rows[0].group || {}).length;

function single(number) {
  return [
    h("p", { class: "figure" }, inWords(number), h("small", {}, certainty(number))),
    intervals(number.column, [number], [""]), legend([number]),
  ];
}

function certainty(number) {
  if (number.lower === null || number.lower === undefined) return "nobody takes part, or too few";
  return isExact(number) ? "exactly" : "for certain";
}

function grouped(answer) {
  if (!answer.rows.length) return h("p", { class: "quiet" }, "No rows.");
  const groups = Object.keys(answer.rows[0].group || {});
  const columns = [...new Set(answer.rows.map((number) => number.column))];
  const drawings = columns.map((column) => drawing(column, answer.rows.filter((number) => number.column === column), groups, columns.length > 1));
  return [drawings, legend(answer.rows), numbers(answer, groups, columns)];
}

function legend(rows) {
  const isWide = rows.some((number) => number.lower !== number.upper);
  return isWide && h("p", { class: "hint" }, "Bars: intervals certain to contain the truth. Dots: midpoints, or exact numbers without a bar.");
}

const label = (number, groups) => groups.map((name) => String(number.group[name])).join(", ");

function drawing(column, rows, groups, isTitled) {
  const some = rows.slice(0, MOST_DRAWN);
  return h("div", {},
    isTitled && h("p", { class: "small" }, h("strong", {}, column)),
    intervals(column, some, some.map((number) => label(number, groups))),
    rows.length > MOST_DRAWN && h("p", { class: "hint" }, `The first ${MOST_DRAWN} of ${count(rows.length)} are drawn; all are in the table.`));
}

function numbers(answer, groups, columns) {
  const heads = [...groups, ...(groups.length ? [] : ["column"]), ...columns.flatMap((column) => {
    const prefix = columns.length > 1 && groups.length ? `${column}, ` : "";
    return [`${prefix}at least`, `${prefix}at most`];
  })];
  const lines = groups.length ? byGroup(answer.rows, groups, columns)
    : answer.rows.map((number) => [number.column, ...ends(number)]);
  if (!groups.length) heads.splice(3);
  const first = groups.length || 1;
  const right = heads.map((_, place) => place).filter((place) => place >= first);
  return [
    table("The ends of every answer, rounded outwards", heads, lines.slice(0, MOST_LISTED), { numbers: right, kind: "stack" }),
    lines.length > MOST_LISTED && h("p", { class: "hint" }, `The first ${MOST_LISTED} of ${count(lines.length)} rows; the file has all.`),
  ];
}

function byGroup(rows, groups, columns) {
  const found = new Map();
  for (const number of rows) {
    const key = JSON.stringify(groups.map((name) => number.group[name]));
    if (!found.has(key)) found.set(key, { group: number.group, numbers: new Map() });
    found.get(key).numbers.set(number.column, number);
  }
  return [...found.values()].map(({ group, numbers: told }) => [
    ...groups.map((name) => String(group[name])), ...columns.flatMap((column) => ends(told.get(column) || {})),
  ]);
}

function ends(number) {
  if (number.lower === null || number.lower === undefined) return ["no value", ""];
  return [readable(number.lower_exact ?? number.lower, -1), readable(number.upper_exact ?? number.upper, 1) + (number.may_be_missing ? ", or no value" : "")];
}

/** All numbers as a file for a spreadsheet. */
export function saveAnswers(answers, name) {
  const groups = [...new Set(answers.flatMap((answer) => answer.rows.flatMap((number) => Object.keys(number.group || {}))))];
  const heads = ["sql", ...groups, "column", "value", "lower", "upper", "lower_exact", "upper_exact"];
  const harmless = (cell) => (typeof cell === "string" && /^([=+@\t\r]|-(?!(\d+(\/\d+)?|inf)$))/.test(cell) ? `'${cell}` : String(cell ?? ""));  // no formula for a spreadsheet
  const quote = (cell) => (/[",\n\r]/.test(harmless(cell)) ? `"${harmless(cell).replaceAll('"', '""')}"` : harmless(cell));
  const lines = answers.flatMap((answer) => answer.rows.map((number) => [
    answer.sql, ...groups.map((group) => (number.group || {})[group]), number.column,
    number.value, number.lower, number.upper, number.lower_exact, number.upper_exact,
  ]));
  download(`${name}-answers.csv`, "text/csv", [heads, ...lines].map((line) => line.map(quote).join(",")).join("\r\n"));
}
