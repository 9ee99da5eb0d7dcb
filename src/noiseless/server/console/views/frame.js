// What all pages about one dataset have in common.

import { h } from "../dom.js";
import { owns } from "../session.js";

const TABS = [["", "Overview"], ["ask", "Ask"], ["history", "History"], ["sample", "Sample"]];
const OWNER_TABS = [["ledger", "Ledger"], ["exposure", "Exposure"], ["budget", "Budget"]];

/** The heading and the tabs; owners have more of them. */
export function frame(page, dataset, here) {
  const address = `#/d/${encodeURIComponent(dataset.name)}`;
  const tabs = owns(dataset) ? [...TABS, ...OWNER_TABS] : TABS;
  const label = tabs.find(([key]) => key === here);
  const body = page.title(dataset.name, h("p", { class: "crumb" }, h("a", { href: "#/" }, "All datasets")));
  document.title = `${label ? label[1] : ""} \u2013 ${dataset.name} \u2013 noiseless`;
  body.before(h("nav", { class: "tabs", "aria-label": `About ${dataset.name}` }, tabs.map(([key, text]) => h("a", {
    href: key ? `${address}/${key}` : address, "aria-current": key === here ? "page" : null,
  }, text))));
  return body;
}

/** What the gauge needs. */
export function standing(dataset) {
  return { budget: dataset.budget.bits, spent: dataset.spent, remaining: dataset.remaining };
}
