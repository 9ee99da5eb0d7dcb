// The columns beside the questions: a click writes a name or a value into the question.

import { h } from "../dom.js";
import { clickable, domain, quoteName, quoteValue } from "../schema.js";

const MOST = 200;

/** A list of columns; `insert` is called with what is clicked. */
export function columnHelp(dataset, insert) {
  const open = window.matchMedia("(min-width: 56.01rem)").matches;
  return h("aside", { "aria-label": "Columns" },
    h("details", { class: "more", open },
      h("summary", {}, "Columns of ", h("code", {}, dataset.name)),
      h("p", { class: "hint" }, "Click to write into the question."),
      h("ul", { class: "plain columns" }, dataset.columns.map((column) => item(column, insert)))));
}

function item(column, insert) {
  const values = clickable(column);
  const name = quoteName(column.name);
  return h("li", {},
    h("button", { type: "button", class: "chip", "aria-label": `Write ${column.name} into the question`, onclick: () => insert(name) }, column.name),
    " ", h("span", { class: column.role === "public" ? "badge" : "badge accent" }, column.role),
    h("span", { class: "about" }, domain(column)),
    values.length > 0 && h("details", {},
      h("summary", {}, `Values of ${column.name}`),
      h("div", { class: "values" }, values.slice(0, MOST).map((value) => h("button", {
        type: "button", class: "chip", onclick: () => insert(quoteValue(value, column.kind)),
      }, String(value)))),
      values.length > MOST && h("p", { class: "hint" }, `The first ${MOST} are shown; write others in single quotes.`)));
}
