// Step 1: which table.

import { field, h, put } from "../dom.js";
import { notice } from "../notices.js";
import { JobError, folder, sentence, state, upload, work } from "../session.js";

const WRITTEN = {
  encoding: ["Encoding", ["", "latin-1", "cp1252", "cp1250", "utf-16"], "as it is recognised"],
  decimal: ["Decimal mark", ["", ".", ","], "as it is recognised"],
  date_format: ["Dates", ["", "DD.MM.YYYY", "MM/DD/YYYY", "DD/MM/YYYY", "DD-MM-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD"], "1971-08-17"],
};

/** Read the table that the project names, and go on to its columns. */
export async function openTable(body, { keepRoles = false, go }) {
  const box = body.querySelector(".state") || body.appendChild(h("div", { class: "state" }));
  const found = await work(box, "Reading the table", "open", {}, { help: (error) => error.includes("--encoding") && encodings(body, { keepRoles, go }) });
  if (!found) return;
  Object.assign(state, { table: found, audit: null, frontier: null, releases: [] });
  const old = keepRoles ? state.project.roles : {};
  state.project.roles = Object.fromEntries(found.columns.map((column) => [column.name, old[column.name] || column.role]));
  if (!keepRoles) state.project.limits = {};
  go("audit");
}

const ENCODINGS = { cp1252: "Western European (cp1252)", cp1250: "Central European (cp1250)", "utf-16": "UTF-16" };

/** A file that is not in UTF-8 is read as somebody says who knows. */
function encodings(body, options) {
  return h("div", { class: "row" }, Object.entries(ENCODINGS).map(([encoding, words]) => h("button", { type: "button", onclick: () => {
    state.project.written.encoding = encoding;
    openTable(body, options);
  } }, `Read it as ${words}`)));
}

/** What columns look like that were read as texts; a click reads them so. */
export function forms(body, options) {
  const offer = (key, [form, columns]) => h("button", { type: "button", onclick: () => {
    state.project.written[key] = form;
    openTable(body, { ...options, keepRoles: false });
  } }, key === "decimal" ? "Read them with a decimal comma" : `Read ${columns.join(", ")} as ${form}`);
  const { decimal = {}, date_format: dates = {} } = state.table.forms;
  return [
    decimal[","] && notice("", null, `${decimal[","].join(", ")}: read as text, and looks like numbers with a decimal comma.`, offer("decimal", [",", decimal[","]])),
    Object.keys(dates).length > 0 && notice("", null, Object.keys(dates).length > 1 ? "Some columns were read as text and look like dates, in more than one way. You know which." : "Some columns were read as text and look like dates.",
      h("div", { class: "row" }, Object.entries(dates).map((one) => offer("date_format", one)))),
  ];
}

/** How the file was read, where that was said. */
export const saidOf = () => Object.entries(state.project.written).map(([key, form]) => `${WRITTEN[key][0].toLowerCase()} ${form}`).join(", ");

export function showOpen(body, { go }) {
  const box = h("div", { class: "state" });
  const path = h("input", { type: "text", id: "path", spellcheck: "false", autocomplete: "off", value: state.project.source });
  const choices = Object.entries(WRITTEN).map(([name, [label, values, first]]) => {
    const choice = h("select", { id: `written-${name}` }, values.map((value) => h("option", { value }, value || first)));
    choice.value = state.project.written[name] || "";
    return [name, choice, field(label, choice)];
  });
  const open = (source) => {
    state.project.source = source;
    state.project.written = Object.fromEntries(choices.map(([name, choice]) => [name, choice.value]).filter(([, value]) => value));
    path.value = source;
    return openTable(body, { go });
  };
  const take = async (file) => {
    put(box, h("p", { class: "working", role: "status" }, `Taking ${file.name}\u2026`));
    try {
      await open((await upload(file)).path);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      put(box, notice("bad", null, sentence(error.message)));
    }
  };
  const picker = h("input", { type: "file", id: "file", class: "unseen", onchange: () => picker.files[0] && take(picker.files[0]) });
  const drop = h("label", { class: "drop", for: "file",
    ondragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
    ondragleave: () => drop.classList.remove("over"),
    ondrop: (event) => { event.preventDefault(); drop.classList.remove("over"); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); } },
    h("strong", {}, "Drop a file here, or choose one"), h("span", {}, "CSV, TSV, Parquet, Excel or JSON lines. It stays on this machine."));
  put(body,
    h("h1", { tabindex: -1 }, "What does a table give away?"),
    h("p", {}, "Open a table, say which columns are secret, and see what the others tell about them. Then make a release that tells less, and prove it."),
    box, picker, drop,
    h("form", { class: "row path", onsubmit: (event) => { event.preventDefault(); if (path.value.trim()) open(path.value.trim()); } },
      field("A file, a folder of Parquet files, or a database table", path, "meters/*.parquet, postgresql://user@host/db::table, duckdb:///file.db::table"),
      h("button", { type: "submit", class: "main" }, "Open")),
    h("details", { class: "more" }, h("summary", {}, "How the file is written"), h("div", { class: "grid" }, choices.map(([, , shown]) => shown))),
    h("details", { class: "more", ontoggle: (event) => event.target.open && browse(event.target.querySelector(".listing"), state.folder, open) },
      h("summary", {}, "Look through folders"), h("div", { class: "listing" })),
    h("h2", {}, "Or try a bundled table"),
    h("div", { class: "row" }, (state.bundled || []).map((source) => h("button", { type: "button", onclick: () => open(source) }, source.split(/[\\/]/).pop()))));
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
    put(box, notice("bad", null, sentence(error.message)));
  }
}
