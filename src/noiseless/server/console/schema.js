// What a dataset's columns may hold, in words, and statements about them.

import { count, many, readable } from "./exact.js";

/** The domain of a column in words. */
export function domain(column) {
  const missing = column.missing === null || column.missing === undefined ? "" : `; missing counts as ${column.missing}`;
  if (column.kind === "boolean") return `true or false${missing}`;
  if (column.kind === "category") return `${many(column.categories.length, "category", "categories")}${missing}`;
  const [low, high] = column.bounds_exact || column.bounds;
  if (column.kind === "date") {
    return `${low} to ${high}${Number(column.step) > 1 ? `, every ${count(column.step)} days` : ""}${missing}`;
  }
  const step = column.step_exact ?? column.step;
  return `${readable(low)} to ${readable(high)}${step ? `, in steps of ${readable(step)}` : ""}${missing}`;
}

/** The values that may be clicked. */
export function clickable(column) {
  if (column.kind === "boolean") return [true, false];
  return column.kind === "category" ? column.categories : [];
}

/** A column's name in SQL. */
export function quoteName(name) {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

const RESERVED = new Set(("all and any as asc between by case cast cross current_date default desc distinct else end except exists"
  + " false fetch filter for from full group having in inner interval intersect into is join left like limit natural not null"
  + " offset on or order outer over partition qualify right row rows select set some table then to true union using values"
  + " when where window with").split(" "));

/** A value in SQL. */
export function quoteValue(value, kind) {
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "number") return String(value);
  const text = `'${String(value).replaceAll("'", "''")}'`;
  return kind === "date" ? `DATE ${text}` : text;
}

/** What can be asked, and of which columns. */
export const MEASURES = [
  { key: "count", name: "How many (COUNT)", of: null, sql: () => "COUNT(*)" },
  { key: "avg", name: "Mean (AVG)", of: "number", sql: (name) => `AVG(${name})` },
  { key: "sum", name: "Sum (SUM)", of: "number", sql: (name) => `SUM(${name})` },
  { key: "median", name: "Median", of: "number", sql: (name) => `MEDIAN(${name})` },
  { key: "min", name: "Smallest (MIN)", of: "number", sql: (name) => `MIN(${name})` },
  { key: "max", name: "Largest (MAX)", of: "number", sql: (name) => `MAX(${name})` },
  { key: "histogram", name: "Histogram", of: "any", sql: () => "COUNT(*)" },
];

/** The columns that a measure can be of. */
export function measurable(columns, measure) {
  if (measure.of === null) return [];
  const hidden = columns.filter((column) => column.role === "private");
  return measure.of === "number" ? hidden.filter((column) => ["number", "boolean"].includes(column.kind)) : hidden;
}

/** The columns whose values everybody may know: those that people can be grouped by. */
export function groupable(columns) {
  return columns.filter((column) => column.role === "public");
}

/** A statement: `{measure, column, groups, filter: {column, operator, value}, bits}`. */
export function statement(dataset, { measure, column, groups = [], filter = null, limit = null }) {
  const name = column ? quoteName(column.name) : null;
  const by = [...groups.map((group) => quoteName(group.name)), ...(measure.key === "histogram" ? [name] : [])];
  const hint = limit ? `/*+ bits(${limit}) */ ` : "";
  const parts = [`SELECT ${hint}${[...by, measure.sql(name)].join(", ")}`, `FROM ${quoteName(dataset)}`];
  if (filter) parts.push(`WHERE ${quoteName(filter.column.name)} ${filter.operator} ${filter.value}`);
  if (by.length) parts.push(`GROUP BY ${by.join(", ")}`);
  return parts.join("\n");
}

/** A first statement to begin with. */
export function example(dataset) {
  const measure = MEASURES.find((each) => each.key === "avg");
  const [column] = measurable(dataset.columns, measure);
  return column ? statement(dataset.name, { measure, column }) : `SELECT COUNT(*)\nFROM ${quoteName(dataset.name)}`;
}
