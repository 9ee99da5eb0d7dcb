// What was asked before, with its answers, which are free by now.

import { api } from "../api.js";
import { h } from "../dom.js";
import { bits, moment } from "../exact.js";
import { empty, load } from "../notices.js";
import { drafts, owns } from "../session.js";
import { answerList } from "./answers.js";
import { frame } from "./frame.js";

const PAGE = 20;

/** The page. */
export async function showHistory(page, name) {
  const dataset = await api.dataset(name);
  if (!page.isCurrent) return;
  const body = frame(page, dataset, "history");
  const list = h("div");
  body.append(
    h("p", { class: "quiet" }, owns(dataset) ? ["What all analysts asked through this server, the latest first. Batches asked with the command are in the ",
      h("a", { href: `#/d/${encodeURIComponent(dataset.name)}/ledger` }, "ledger"), "."] : "Your batches, the latest first. Asking them again is free."), list);
  await more(dataset, list, null);
}

async function more(dataset, element, before) {
  await load(element, () => api.history(dataset.name, { limit: PAGE, before }), ({ batches, next }) => {
    if (!batches.length) {
      return before ? h("p", { class: "quiet" }, "There are no earlier ones.")
        : empty("Nothing was asked through this server yet", "Batches and their answers are kept here.", h("a", { class: "button", href: `#/d/${encodeURIComponent(dataset.name)}/ask` }, "Ask a question"));
    }
    const rest = h("div");
    if (next) rest.append(h("button", { type: "button", onclick: () => more(dataset, rest, next) }, "Show earlier ones"));
    return [batches.map((batch) => entry(dataset, batch)), rest];
  }, "Loading history");
}

function entry(dataset, batch) {
  const cost = batch.bits === 0 ? h("span", { class: "badge free" }, "free") : h("span", { class: "badge accent" }, bits(batch.bits));
  const when = moment(batch.time);
  return h("article", { class: "batch", "aria-label": `Batch of ${when}` },
    h("p", { class: "head" }, h("time", { datetime: batch.time }, when), owns(dataset) && h("span", {}, batch.analyst), cost),
    batch.sql.map((sql) => h("pre", {}, sql)),
    h("div", { class: "row" },
      h("button", { type: "button", class: "link", onclick: () => again(dataset, batch) }, "Ask again or change")),
    batch.answers ? h("details", { class: "more" }, h("summary", {}, "Answers"), answerList(batch.answers))
      : h("p", { class: "quiet small" }, `Answers of version ${batch.version} are not shown any more.`));
}

function again(dataset, batch) {
  drafts.set(dataset.name, { queries: [...batch.sql], reply: null });
  location.hash = `#/d/${encodeURIComponent(dataset.name)}/ask`;
}
