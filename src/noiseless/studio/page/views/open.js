// Step 1: which table.

import { field, h, put } from "../dom.js";
import { many } from "../exact.js";
import { notice } from "../notices.js";
import { JobError, attend, folder, sentence, state, upload, work } from "../session.js";

const WRITTEN = {
  encoding: ["Encoding", ["", "latin-1", "cp1252", "cp1250", "utf-16"], "as it is recognised"],
  separator: ["Separator", ["", ",", ";", "tab", "|"], "as it is recognised"],
  decimal: ["Decimal mark", ["", ".", ","], "as it is recognised"],
  date_format: ["Dates", ["", "DD.MM.YYYY", "MM/DD/YYYY", "DD/MM/YYYY", "DD-MM-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD"], "1971-08-17"],
};
const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

/** Read the table that the project names, and go on to its columns. */
export async function openTable(body, { keepRoles = false, go }) {
  const box = body.querySelector(".state") || body.appendChild(h("div", { class: "state" }));
  const again = () => openTable(body, { keepRoles, go });
  const found = await work(box, "Reading the table", "open", {}, { again, help: (error) => doubt(error, again) });
  if (!found) return;
  Object.assign(state, { table: found, audit: null, frontier: null, releases: [] });
  const old = keepRoles ? state.project.roles : {};
  state.project.roles = Object.fromEntries(found.columns.map((column) => [column.name, old[column.name] || column.role]));
  if (!keepRoles) state.project.limits = {};
  go("audit");
}

const DOUBTS = [
  ["encoding", "How is it encoded?", { cp1252: "Read it as Western European (cp1252)", cp1250: "Read it as Central European (cp1250)", "utf-16": "Read it as UTF-16" }],
  ["separator", "Which separates its columns?", { ",": "Commas", ";": "Semicolons", tab: "Tabs", "|": "Bars" }],
];

/** A file that is not in UTF-8, or whose separator is not certain, is read as somebody says who knows. */
function doubt(error, again) {
  const [key, question, choices] = DOUBTS.find(([name]) => error.includes(`--${name}`)) || [];
  return key && [`${sentence(error.split(";")[0])} ${question}`, h("div", { class: "row" }, Object.entries(choices).map(([value, words]) => h("button", { type: "button", onclick: () => {
    state.project.written[key] = value;
    again();
  } }, words)))];
}

/** What columns look like that were read as texts; a click reads them so. */
export function forms(body, options) {
  const offer = (key, [form, columns]) => h("button", { type: "button", onclick: () => {
    state.project.written[key] = form;
    openTable(body, options);
  } }, key === "decimal" ? "Read them with a decimal comma" : `Read ${columns.join(", ")} as ${form}`);
  const { decimal = {}, date_format: dates = {} } = state.table.forms;
  return [
    decimal[","] && notice("", null, `${decimal[","].join(", ")}: read as text, but probably numbers with a decimal comma.`, offer("decimal", [",", decimal[","]])),
    Object.keys(dates).length > 0 && notice("", null, Object.keys(dates).length > 1 ? "Some columns were read as text and look like dates, in more than one way. You know which." : "Some columns were read as text and look like dates.",
      h("div", { class: "row" }, Object.entries(dates).map((one) => offer("date_format", one)))),
  ];
}

/** How the table was read, as it was recognised or said; where it is a file, a choice to read it in another way. */
export function reading(body, options) {
  const { form, rows, columns } = state.table;
  const { decimal, date_format: dates } = state.project.written;
  const separator = form.separator && (SEPARATORS[form.separator.trim()] || `${SEPARATORS[form.separator[0]]} and spaces`);
  const parts = [
    many(rows, "row"), many(columns.length, "column"), form.kind,
    form.encoding, separator && `separated by ${separator}`,
    form.kind === "CSV" && `decimal ${decimal === "," ? "comma" : "point"}`, form.kind === "CSV" && `dates as ${dates || "1971-08-17"}`,
    form.sheet && `sheet ${form.sheet}${form.others ? `, the first of ${Number(form.others) + 1}; the others are not read` : ""}`,
  ];
  const said = h("p", { class: "quiet reading" }, parts.filter(Boolean).join(", "));
  if (!["CSV", "JSON"].includes(form.kind)) return said;
  const { controls, chosen } = writtenChoices();
  return [said, h("details", { class: "more" }, h("summary", {}, "Read it in another way"), h("form", { class: "row low", onsubmit: (event) => {
    event.preventDefault();
    state.project.written = chosen();
    openTable(body, options);
  } }, controls, h("button", { type: "submit" }, "Read it again")))];
}

/** Lists to choose from how a file is written, and what is chosen. */
function writtenChoices() {
  const choices = Object.entries(WRITTEN).map(([name, [label, values, first]]) => {
    const choice = h("select", {}, values.map((value) => h("option", { value }, value || first)));
    choice.value = state.project.written[name] || "";
    return [name, choice, field(label, choice)];
  });
  return { controls: choices.map(([, , shown]) => shown), chosen: () => Object.fromEntries(choices.map(([name, choice]) => [name, choice.value]).filter(([, value]) => value)) };
}

export function showOpen(body, { go }) {
  const box = h("div", { class: "state" });
  const path = h("input", { type: "text", id: "path", spellcheck: "false", autocomplete: "off", value: state.project.source });
  const { controls, chosen } = writtenChoices();
  const open = (source) => {
    Object.assign(state.project, { source, written: chosen() });
    path.value = source;
    return openTable(body, { go });
  };
  const take = async (files) => {
    if (!files.length) {
      put(box, notice("bad", null, "There is no file in that folder."));
      return;
    }
    const words = files.length === 1 ? `Taking ${files[0].file.name}` : `Taking ${many(files.length, "file")}`;
    const last = await attend(box, words, (hooks) => upload(files, hooks), { again: () => take(files) });
    if (last) await open(files.length === 1 ? last : together(last));
  };
  const picker = h("input", { type: "file", id: "file", class: "unseen", multiple: true, onchange: () => picker.files.length && take(named([...picker.files])) });
  const drop = h("label", { class: "drop", for: "file",
    ondragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
    ondragleave: () => drop.classList.remove("over"),
    ondrop: async (event) => { event.preventDefault(); drop.classList.remove("over"); take(await dropped(event.dataTransfer)); } },
    h("strong", {}, "Drop a file or a folder here, or choose files"), h("span", {}, "CSV, TSV, Parquet, Excel or JSON lines. It stays on this machine."));
  put(body,
    h("h1", { tabindex: -1 }, "What does a table give away?"),
    h("p", {}, "Open a table, say which columns are secret, and see what the others give away about them. Then make a release that gives away less, and prove it."),
    box, picker, drop,
    h("form", { class: "row path", onsubmit: (event) => { event.preventDefault(); if (path.value.trim()) open(path.value.trim()); } },
      field("A file, a folder of Parquet files, or a database table", path, "meters/*.parquet, postgresql://user@host/db::table, duckdb:///file.db::table"),
      h("button", { type: "submit", class: "main" }, "Open")),
    h("details", { class: "more" }, h("summary", {}, "How the file is written"), h("div", { class: "grid" }, controls)),
    h("details", { class: "more", ontoggle: (event) => event.target.open && browse(event.target.querySelector(".listing"), state.folder, open) },
      h("summary", {}, "Look through folders"), h("div", { class: "listing" })),
    h("h2", {}, "Or try a bundled table"),
    h("div", { class: "row" }, (state.bundled || []).map((source) => h("button", { type: "button", onclick: () => open(source) }, source.split(/[\\/]/).pop()))));
}

/** Files with the names they are kept under: several of them lie in a folder of their own. */
function named(files, folder = null) {
  const sorted = files.filter((file) => !file.name.startsWith(".")).sort((one, other) => (one.name < other.name ? -1 : 1));
  if (sorted.length === 1) return [{ file: sorted[0], name: sorted[0].name }];
  const place = `${crypto.randomUUID().slice(0, 8)}/${folder ?? "files"}`;
  return sorted.map((file) => ({ file, name: `${place}/${file.name}` }));
}

/** What was dropped; of a folder the files that lie in it. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const [first] = entries;
  if (entries.length !== 1 || !first.isDirectory) return named([...transfer.files]);
  const reader = first.createReader();
  const inside = [];
  for (let some = [null]; some.length; inside.push(...some)) some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
  const files = inside.filter((entry) => entry.isFile);
  return named(await Promise.all(files.map((entry) => new Promise((resolve, reject) => { entry.file(resolve, reject); }))), first.name);
}

/** What several files in one folder are called together: a folder of Parquet files, or all that it holds. */
function together(last) {
  const place = last.replace(/[\\/][^\\/]*$/, "");
  return /\.(parquet|pq)$/i.test(last) ? place : `${place}/*`;
}

async function browse(box, path, open) {
  try {
    const found = await folder(path);
    const up = h("li", {}, h("button", { type: "button", class: "link", onclick: () => browse(box, `${found.path}/..`, open) }, "\u2191 folder above"));
    const folders = found.folders.map((name) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => browse(box, `${found.path}/${name}`, open) }, `${name}/`)));
    const files = found.files.map((name) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => open(`${found.path}/${name}`) }, name)));
    put(box, h("p", { class: "quiet small" }, found.path), h("ul", { class: "plain" }, up, folders, files));
    if (!folders.length && !files.length) box.append(h("p", { class: "quiet" }, "There is no table here."));
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    put(box, notice("bad", null, sentence(error.message)));
  }
}
