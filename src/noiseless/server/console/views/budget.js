// A new budget, for owners, with the reason that the ledger keeps.

import { api } from "../api.js";
import { gauge } from "../charts.js";
import { field, h, put } from "../dom.js";
import { bits } from "../exact.js";
import { confirmed, done, explain, notice, passOn } from "../notices.js";
import { frame, standing } from "./frame.js";

/** The page. */
export async function showBudget(page, name) {
  const dataset = await api.dataset(name);
  if (!page.isCurrent) return;
  const body = frame(page, dataset, "budget");
  const meter = h("div", {}, gauge(standing(dataset)));
  body.append(meter, h("h2", {}, "Change the budget"),
    h("p", { class: "quiet" }, "The budget caps what all answers together may reveal about any one person. It may be lowered below what is spent; nothing new is answered then. The change and its reason become an entry of the ledger."),
    form(dataset, meter));
}

function form(dataset, meter) {
  const wanted = h("input", { required: true, inputmode: "decimal", pattern: "[0-9]+([.][0-9]+)?", autocomplete: "off", maxlength: 20,
    title: "a number such as 40 or 12.5", value: dataset.budget.bits_exact && /^\d+$/.test(dataset.budget.bits_exact) ? dataset.budget.bits_exact : "" });
  const reason = h("input", { required: true, maxlength: 500, autocomplete: "off" });
  const said = h("div");
  const button = h("button", { type: "submit", class: "main" }, "Change the budget");
  return h("form", { class: "form", onsubmit: async (event) => {
    event.preventDefault();
    const text = wanted.value.trim();
    const less = dataset.spent > Number(text) ? ` That is less than the ${bits(dataset.spent)} that are spent: nothing new will be answered.` : "";
    const all = dataset.entropy_of_record <= Number(text) ? ` A record has ${bits(dataset.entropy_of_record)} in all: such a budget refuses nothing and protects nothing.` : "";
    if (!(await confirmed(`Change the budget to ${bits(text, -1)}?`, `The budget is ${bits(dataset.budget.bits, -1)} now.${less}${all}`, "Change"))) return;
    button.disabled = true;
    try {
      const changed = await api.changeBudget(dataset.name, { bits: text, reason: reason.value.trim() });
      dataset = await api.dataset(dataset.name);
      put(meter, gauge(standing(dataset)));
      put(said, changed.note && notice("", "Changed", `${changed.note.charAt(0).toUpperCase()}${changed.note.slice(1)}.`));
      reason.value = "";
      done(`The budget is ${bits(dataset.budget.bits, -1)} now.`);
    } catch (error) {
      if (error.code === "unauthorised") passOn(error);
      else put(said, notice("bad", "Not changed", explain(error)));
    } finally {
      button.disabled = false;
    }
  } }, field("New budget in bits", wanted), field("Reason", reason, "Everyone who reads the ledger sees it."), said, h("div", { class: "row" }, button));
}
