// The ledger, for owners: what was declared, charged and answered, the latest first.

import { api } from "../api.js";
import { h, put, table } from "../dom.js";
import { bits, count, many, moment } from "../exact.js";
import { empty, load, notice, passOn } from "../notices.js";
import { frame } from "./frame.js";

const PAGE = 50;
const SLACK = 1e-9; // a logarithm in doubles is that close
const KINDS = {
  dataset: "Declared", version: "New version", budget: "Budget changed", charge: "Charged",
  answers: "Answers stored", release: "Table release", randomised: "Randomised release",
  token: "Token issued", revocation: "Token revoked",
};

/** The page. */
export async function showLedger(page, name) {
  const dataset = await api.dataset(name);
  if (!page.isCurrent) return;
  const body = frame(page, dataset, "ledger");
  const [chain, spending, list] = [h("div"), h("div"), h("div")];
  body.append(
    h("p", { class: "quiet" }, "Entries are only ever added, and each holds the hash of the one before: changing one breaks the chain."),
    chain, spending, list);
  put(chain, h("p", {}, h("button", { type: "button", id: "check-chain", onclick: () => check(name, chain).catch(passOn) }, "Check the whole chain")));
  const first = await load(list, () => head(name), () => "", "Loading the ledger");
  if (!first || !page.isCurrent) return;
  put(spending, byAnalyst(first.analysts));
  await entries(name, list, first.last);
}

/** Where the ledger ends, and who spent what. */
async function head(name) {
  const found = await api.ledger(name, { limit: 1 });
  return { last: Number(found.head.split(":")[0]), analysts: found.analysts };
}

async function check(name, element) {
  await load(element, () => api.ledger(name, { limit: 1, verify: true }), (found) => {
    const [last, hash] = found.head.split(":");
    if (!found.chain_ok) return notice("bad", "The chain is broken", "An entry or an account was changed outside the ledger. Run noiseless ledger verify to see where.");
    return notice("", "The chain is whole", `Up to entry ${count(last)}, ${hash.slice(0, 16)}\u2026 Note this head somewhere else from time to time.`);
  }, "Checking every entry");
}

function byAnalyst(analysts) {
  const names = Object.entries(analysts);
  if (!names.length) return null;
  return h("details", { class: "more" }, h("summary", {}, `What ${many(names.length, "analyst")} spent`),
    table("Bits that the batches of each analyst cost", ["Analyst", "Spent"], names.map(([name, spent]) => [name, bits(spent)]), { numbers: [1] }));
}

/** Entries of one dataset up to one number: a ledger may hold several datasets, so that a span may have few. */
async function upTo(name, last) {
  for (let wide = PAGE, end = last; ; wide *= 4) {
    const after = Math.max(0, end - Math.min(wide, 1000));
    const kept = (await between(name, after, end)).reverse();
    if (kept.length || after === 0) return { kept, after };
    end = after;
  }
}

/** Entries after one number, up to another; where they are long it takes several pages. */
async function between(name, after, end) {
  const found = [];
  for (let next = after; next !== null && next < end;) {
    const page = await api.ledger(name, { after: next, limit: Math.min(end - next, 1000) });
    found.push(...page.entries.filter((entry) => entry.seq <= end));
    next = page.next;
  }
  return found;
}

async function entries(name, element, last) {
  await load(element, () => upTo(name, last), ({ kept, after }) => {
    if (!kept.length) return empty("No earlier entries", null);
    const rest = h("div");
    if (after > 0) rest.append(h("button", { type: "button", onclick: () => entries(name, rest, after).catch(passOn) }, "Show earlier entries"));
    const rows = kept.map((entry) => [`${entry.seq}`, moment(entry.time), KINDS[entry.kind] || entry.kind, entry.analyst || entry.body.by || "", details(entry)]);
    return [table(`Entries ${kept.at(-1).seq} to ${kept[0].seq}`, ["Entry", "Time", "What", "Who", "Details"], rows, { kind: "stack" }), rest];
  }, "Loading entries");
}

function details(entry) {
  const whole = JSON.stringify(entry.body, null, 1);
  return h("details", { class: "more" }, h("summary", {}, h("span", { class: "unseen" }, `Entry ${entry.seq}: `), summary(entry)),
    h("p", { class: "small quiet" }, `hash ${entry.hash.slice(0, 16)}\u2026, after ${entry.previous.slice(0, 16)}\u2026`),
    h("pre", { class: "small" }, whole.length > 5000 ? `${whole.slice(0, 5000)}\u2026` : whole));
}

/** About how many bits, to compare. */
function about({ outputs = "1", capacity = "0" }) {
  const number = BigInt(outputs);
  const length = number.toString(2).length;
  const [top, bottom = "1"] = String(capacity).split("/");
  return length - 1 + Math.log2(Number(number >> BigInt(Math.max(0, length - 50))) / 2 ** Math.min(length - 1, 49)) + Number(top) / Number(bottom);
}

/** In bits, rounded up, and exactly where that is another text. */
function cost({ outputs = "1", capacity = "0" }) {
  const isWhole = /^10*$/.test(BigInt(outputs).toString(2));
  const found = about({ outputs, capacity });
  if (found === 0) return "nothing";
  const exact = [isWhole ? null : `log\u2082 ${String(outputs).length > 15 ? "of a long number" : outputs}`, String(capacity) === "0" ? null : capacity];
  return isWhole ? bits(found) : `${bits(found + SLACK)} (${exact.filter(Boolean).join(" + ")})`;
}

function budget(value) {
  if (!value) return "without end";
  return value.reach ? cost({ outputs: value.reach }) : bits(value.bits, -1);
}

function summary({ kind, body }) {
  if (kind === "charge") {
    const costs = [body.others || {}, ...Object.values(body.cells || {})].sort((one, other) => about(other) - about(one));
    const questions = body.questions || [];
    if (questions.length === 1 && questions[0].question === "public state") return "what everybody may know of this version";
    return `${many(questions.length, "question")} for ${cost(costs[0])}`;
  }
  if (kind === "answers") return many(Object.keys(body.answers || {}).length, "answer");
  if (kind === "budget") return `${budget(body.budget)}${body.reason ? `: ${body.reason}` : ""}`;
  if (kind === "dataset" || kind === "version") return `version ${body.version}${body.budget ? `, ${budget(body.budget)}` : ""}`;
  if (kind === "token") return `${body.id} for ${body.name} (${body.role})`;
  if (kind === "revocation") return body.id || "all of this dataset";
  return body.description || body.mechanism || "Show";
}
