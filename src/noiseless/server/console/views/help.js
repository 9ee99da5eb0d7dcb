// Keys and words.

import { h, table } from "../dom.js";

const KEYS = [
  [["Ctrl", "Enter"], "In a question: see the price; when it is there, run the batch (on a Mac also \u2318 Enter)"],
  [["Alt", "\u2193"], "In a question: go to the next one, or begin one after the last"],
  [["Alt", "\u2191"], "In a question: go to the one before"],
  [["Esc"], "Close a box; while answers are computed, stop waiting"],
  [["Enter"], "Send a form of single lines, press a button, follow a link"],
  [["Tab"], "Go on, and out of a question"],
];
const WORDS = [
  ["Answer", "An interval certain to contain the truth. In a drawing the dot is its midpoint, off by at most half the width; a price states that in advance, as plus or minus."],
  ["Bits", "The most that answers can reveal about any one person, whatever else is known: k bits distinguish at most 2\u1d4f possibilities."],
  ["Price", "What a batch costs, decided from public facts alone, before the data is read. Seeing a price is free."],
  ["Rule", "How a price was worked out, in brackets after it: for example reach, counting the answers that one person can cause; cuts, counting where the answers of several questions change along one column."],
  ["Batch", "Questions that are asked together. They often cost less together than one by one."],
  ["Free", "A question that was answered before, or can be computed from earlier answers, costs nothing, no matter who asked first."],
  ["Budget", "What may be revealed about a person in total, by answers to all analysts together. A batch that would exceed it is refused before the data is read."],
  ["Hint", "/*+ bits(2) */ after SELECT lets each question cost up to 2 bits; /*+ max_error(0.5) */ asks for that exactness."],
];

/** The page. */
export function showHelp(page) {
  const body = page.title("Help");
  const keys = KEYS.map(([names, does]) => [names.map((name, place) => [place ? " + " : "", h("kbd", {}, name)]), does]);
  body.append(
    h("h2", {}, "Keys"), table("Keyboard shortcuts", ["Key", "What it does"], keys),
    h("h2", {}, "Words"), h("dl", { class: "facts" }, WORDS.map(([word, text]) => [h("dt", {}, word), h("dd", {}, text)])));
}
