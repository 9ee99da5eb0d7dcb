// All datasets that one may see.

import { api } from "../api.js";
import { gauge } from "../charts.js";
import { many } from "../exact.js";
import { h } from "../dom.js";
import { empty, load } from "../notices.js";

/** The list. */
export async function showDatasets(page) {
  await load(page.title("Datasets"), (signal) => api.datasets({ signal }), list, "Loading datasets");
}

function list(datasets) {
  if (!datasets.length) return empty("No datasets yet", "Your token is for no dataset on this server. Ask the owner.");
  return h("ul", { class: "cards" }, datasets.map(card));
}

function card(dataset) {
  const address = `#/d/${encodeURIComponent(dataset.name)}`;
  return h("li", { class: "card" },
    h("h2", {}, h("a", { href: address }, dataset.name)),
    h("p", { class: "quiet small" }, `${many(dataset.rows, "row")}, version ${dataset.version}`,
      dataset.role === "owner" && [" ", h("span", { class: "badge accent" }, "owner")]),
    gauge(dataset, { small: true }),
    h("p", {}, h("a", { class: "button", href: `${address}/ask`, "aria-label": `Ask about ${dataset.name}` }, "Ask")));
}
