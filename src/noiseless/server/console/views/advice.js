// What would fit where a batch does not: coarser answers, found by asking for prices, which are free.

import { api } from "../api.js";
import { h } from "../dom.js";

/** The finest hint with which the batch fits, and for how many answers; none if that is not found. */
export async function whatFits(dataset, quote, texts, signal) {
  const paid = quote.answers.flatMap(({ columns }) => columns).filter(({ group, free }) => !group && !free).length || 1;
  const left = outputsLeft(dataset, quote);
  const added = 1 + Math.floor((left - 1) / paid); // as questions are priced that share their cuts
  const multiplied = Math.floor(left ** (1 / paid) + 1e-9); // as all others are
  for (const reach of new Set([added, multiplied])) {
    const hint = hinted(reach);
    const coarser = texts.map((sql, place) => (quote.answers[place].free ? sql : withHint(sql, hint)));
    if (reach > 1 && (await api.price(dataset.name, coarser, signal)).allowed) return { hint, paid };
  }
  return { hint: null, paid, isSpent: left < 2 };
}

/** How many outputs the dataset's budget and one's own allowance still have room for. */
function outputsLeft(dataset, quote) {
  const { analyst_bits: allowance } = dataset.budget;
  const own = allowance === null ? Infinity : Math.floor(2 ** (allowance - dataset.analyst_spent) + 1e-9);
  return Math.min(quote.remaining_outputs === null ? Infinity : Number(quote.remaining_outputs), own, 2 ** 50);
}

function hinted(reach) {
  const bits = Math.log2(reach);
  return Number.isInteger(bits) ? `/*+ bits(${bits}) */` : `/*+ reach(${reach}) */`;
}

const withHint = (sql, hint) => sql.replace(/^\s*SELECT\b\s*(\/\*\+[^]*?\*\/)?/i, `SELECT ${hint}`);

/** Words for it; until it is found, or if it cannot be, in general. */
export function advice(fits) {
  if (!fits) return " Ask for fewer answers, or for coarser ones.";
  if (fits.isSpent) return " Less than one bit is left: no new question can be answered. Earlier answers stay free.";
  if (!fits.hint) return " That many new answers do not fit. Ask for fewer.";
  return [fits.paid > 1 ? " Ask for fewer answers, or for coarser ones: " : " Ask for a coarser one: ",
    h("code", { class: "hinted" }, fits.hint), fits.paid > 1 ? " after SELECT fits." : " after SELECT is the most that fits."];
}
