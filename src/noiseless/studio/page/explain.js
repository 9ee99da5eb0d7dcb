// What the figures mean, on demand, and the page of the documentation that says more.

import { h } from "./dom.js";

const WORDS = {
  min_posterior: ["Each person's public values leave some secret values possible. This is the fewest for any person. One means that a secret is known for certain.", "measures.md#privacy"],
  leakage: ["How many times the most revealing row narrows the secret down, as a power of two: 1 bit halves what is possible. No row is averaged away.", "measures.md#leakage"],
  best_guess: ["How often an adversary is right who sees the public columns and always bets on the likeliest value, beside one who bets without looking.", "risk.md#what-a-bettor-wins"],
  k_anonymity: ["The smallest number of rows, or people, with the same public values. It says how well people hide among each other, but nothing about what they have in common.", "risk.md#who-can-be-found"],
  histogram: ["Each bar counts those for whom this many secret values stay possible. Those in the bar at 1 are given away.", "audit.md#verdict"],
  contributions: ["Alone: what the column would leak if it were the only public one. Without: what would leak, and how many values stay possible, if it were left out. It pins down those whose secret would stay open without it.", "audit.md#json"],
  witnesses: ["Groups of rows with the same public values, those that leave fewest values possible first.", "audit.md#verdict"],
  uniques: ["Sets of columns whose values nobody else shares, although every smaller set of them is shared.", "risk.md#which-columns-single-rows-out"],
  rules: ["The rule is applied as a practitioner would, and what is published under it is audited. The file does not change.", "rules.md#auditing-a-table-under-a-rule"],
  mean_loss: ["The share of its column that a released cell spans, averaged over rows and columns: 0 % changes nothing, 100 % says nothing.", "release.md#the-mean-loss"],
  largest: ["The furthest that any value lies from what is released for it. Categories have no distance.", "release.md#the-columns"],
  suppressed: ["Rows whose public values are all released as *.", "release.md#suppression"],
  optimal: ["Whether it is proved that no release within the limits changes less.", "frontier.md#what-is-proved"],
  frontier: ["Each point is the best release that was found for this many values left. Pick one to make it.", "release.md#the-frontier"],
  protection: ["What is withheld, how much of it is sensitive by the rule, and whether it is proved that no other choice loses less.", "protect-tables.md#what-must-stay-possible"],
  amounts: ["Under the p % rule a figure is too exact if its second largest contributor learns from it the largest one's amount to within p %.", "published-tables.md#the-result"],
  tables: ["A withheld count follows if the totals and the other counts leave it one value only. Each finding comes with the cells it follows from.", "published-tables.md#the-result"],
};

/** Words behind a figure, shown when they are asked for. */
export function meaning(...names) {
  return h("details", { class: "what" }, h("summary", {}, names.length > 1 ? "What these mean" : "What this means"),
    names.map((name) => h("p", {}, names.length > 1 && h("strong", {}, `${TITLES[name] || name}: `), WORDS[name][0], " ", h("a", { href: `/manual/${WORDS[name][1]}`, target: "_blank", rel: "noopener" }, "Read more", h("span", { class: "unseen" }, ` about ${TITLES[name] || name}, in a new tab`)))));
}

const TITLES = { min_posterior: "Values left", k_anonymity: "Rows alike", leakage: "Bits leaked", best_guess: "Best guess", mean_loss: "Mean loss", largest: "Largest change", suppressed: "Rows left out", optimal: "Proved best" };
