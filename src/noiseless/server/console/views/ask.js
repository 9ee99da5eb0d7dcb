// Asking: questions, what they cost, and only then the answers.

import { api, freshKey } from "../api.js";
import { gauge, sharpness } from "../charts.js";
import { announce, h, put } from "../dom.js";
import { bits, bitsLeft, exactBits, formula, many } from "../exact.js";
import { explain, headline, notice, passOn, sentence } from "../notices.js";
import { example } from "../schema.js";
import { drafts } from "../session.js";
import { advice, whatFits } from "./advice.js";
import { answerList, saveAnswers } from "./answers.js";
import { Builder } from "./builder.js";
import { columnHelp } from "./columns.js";
import { frame, standing } from "./frame.js";
import { Questions } from "./questions.js";

const PAUSE = 500;
const STOPPABLE = 1000;
const SLOW = 4000;

/** The page. */
export async function showAsk(page, name) {
  const dataset = await api.dataset(name);
  if (page.isCurrent) new Ask(page, dataset).begin();
}

const saysNothing = ({ columns }) => columns.every(({ group, tells_nothing: nothing }) => group || nothing);

/** How sharp each column of a statement would be; with its name where there are several. */
function widths({ columns }) {
  const told = columns.filter(({ group }) => !group);
  return told.map((column) => (told.length > 1 ? `${column.name}: ` : "") + sharpness(column));
}

class Ask {
  constructor(page, dataset) {
    this.page = page;
    this.dataset = dataset;
    if (!drafts.has(dataset.name)) drafts.set(dataset.name, { queries: [""], reply: null });
    this.draft = drafts.get(dataset.name);
    this.account = standing(dataset);
    this.state = { kind: "empty" };
    this.questions = new Questions(this.draft, {
      placeholder: example(dataset), changed: () => this.changed(), run: () => this.runOrPrice(), stop: () => this.stop(),
    });
    this.builder = new Builder(dataset, (sql) => this.questions.add(sql));
    this.priceBox = h("div", { class: "price" });
    this.results = h("div");
  }

  begin() {
    const body = frame(this.page, this.dataset, "ask");
    const intro = h("p", { class: "quiet" }, "Write SELECT statements, or build them from parts. The price is shown before anything is asked; seeing it is free.");
    this.builder.element.open = !this.questions.asked.length;
    body.append(h("div", { class: "ask" },
      h("div", {}, intro, this.builder.element, this.questions.element, this.priceBox),
      columnHelp(this.dataset, (text) => this.questions.insert(text)), this.results));
    if (this.draft.reply) this.showReply(this.draft.reply);
    this.changed();
  }

  get texts() {
    return this.questions.asked.map(({ sql }) => sql);
  }

  get isPriced() {
    return this.state.kind === "priced" && this.state.texts === JSON.stringify(this.texts);
  }

  set(state) {
    this.state = state;
    this.draw();
  }

  // The price

  changed() {
    clearTimeout(this.timer);
    if (this.pricing) this.pricing.abort();
    this.questions.say(new Map());
    if (this.state.kind === "running") return;
    if (!this.texts.length) {
      this.set({ kind: "empty" });
      return;
    }
    this.set({ kind: "pricing" });
    this.timer = setTimeout(() => this.price(), PAUSE);
  }

  async price() {
    clearTimeout(this.timer);
    const asked = this.questions.asked;
    const texts = JSON.stringify(this.texts);
    const controller = new AbortController();
    this.pricing = controller;
    const isStale = () => controller.signal.aborted || !this.page.isCurrent || this.pricing !== controller;
    try {
      const quote = await api.price(this.dataset.name, this.texts, controller.signal);
      if (isStale()) return;
      this.account = { ...this.account, spent: quote.spent, remaining: quote.remaining };
      this.sayPrices(asked, quote);
      this.set({ kind: "priced", quote, texts });
      announce(this.words(quote));
      if (!quote.allowed) await this.advise(quote, texts, controller.signal);
    } catch (error) {
      if (isStale()) return;
      if (error.code === "unauthorised") passOn(error);
      else if (error.code === "bad_query") this.sayWrong(asked, error);
      else this.set({ kind: "failed", error });
    }
  }

  /** Say what would fit; say nothing where that cannot be found out. */
  async advise(quote, texts, signal) {
    const fits = await whatFits(this.dataset, quote, JSON.parse(texts), signal).catch(() => null);
    if (this.isPriced && this.state.quote === quote) this.set({ ...this.state, fits });
  }

  sayPrices(asked, quote) {
    const lines = asked.map(({ place }, number) => {
      const answer = quote.answers[number];
      if (!answer) return [place, { text: "" }];
      const cost = asked.length === 1 ? [] : [answer.free ? "Free" : `At most ${bits(answer.bits)} by itself`];
      const sharp = widths(answer);
      return [place, { text: asked.length === 1 && sharp.length === 1 ? "" : [...cost, ...sharp].join("; ") }];
    });
    this.questions.say(new Map(lines));
  }

  /** Which question cannot be asked: the server says so. */
  sayWrong(asked, error) {
    const wrong = asked[asked.length === 1 ? 0 : error.details.statement];
    const lines = new Map(wrong ? [[wrong.place, { text: explain(error), bad: true }]] : []);
    this.questions.say(lines);
    this.set({ kind: "wrong", error, isShown: lines.size > 0 });
    announce(explain(error));
  }

  words(quote) {
    if (!quote.allowed) return `Refused: this batch would cost ${bits(quote.batch_bits)}, and ${bitsLeft(quote.remaining)} are left.`;
    const sharp = quote.answers.length === 1 && widths(quote.answers[0]);
    const width = sharp && sharp.length === 1 ? `, ${sharp[0]}` : "";
    return quote.batch_bits === 0 ? `This batch is free${width}.` : `This batch costs ${bits(quote.batch_bits)}${width}.`;
  }

  // Running

  runOrPrice() {
    if (this.isPriced && this.state.quote.allowed) this.run();
    else if (this.texts.length && this.state.kind !== "running") {
      this.set({ kind: "pricing" });
      this.price();
    }
  }

  async run() {
    if (this.state.kind === "running") return;
    const { texts } = this.state;
    const queries = JSON.parse(texts);
    if (!this.draft.attempt || this.draft.attempt.texts !== texts) this.draft.attempt = { texts, key: freshKey() };
    this.running = new AbortController();
    this.set({ kind: "running", texts });
    const timers = [ // the second half of a double click must not stop what the first one began
      setTimeout(() => this.set({ kind: "running", texts, isStoppable: true }), STOPPABLE),
      setTimeout(() => this.set({ kind: "running", texts, isStoppable: true, isSlow: true }), SLOW),
    ];
    try {
      const reply = await api.ask(this.dataset.name, queries, this.draft.attempt.key, this.running.signal);
      this.draft.attempt = null;
      this.draft.reply = reply;
      if (this.page.isCurrent) this.answered(reply, texts);
    } catch (error) {
      if (!error.unsure) this.draft.attempt = null;
      if (this.page.isCurrent) this.refused(error, texts);
    } finally {
      timers.forEach(clearTimeout);
    }
  }

  stop() {
    if (this.state.kind === "running") this.running.abort();
  }

  answered(reply, texts) {
    this.account = { ...this.account, spent: reply.spent, remaining: reply.remaining };
    this.showReply(reply);
    this.builder.element.open = false;
    const heading = this.results.querySelector("h2");
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: "start" });
    announce(`${many(reply.answers.length, "answer")}; ${this.cost(reply)}.`);
    this.state = { kind: "answered", texts };
    this.changed();
  }

  refused(error, texts) {
    if (error.code === "unauthorised") passOn(error);
    else if (error.code === "budget_exceeded") {
      const { spent, remaining, whose } = error.details;
      if (whose !== "analyst") this.account = { ...this.account, spent, remaining };
      this.set({ kind: "refused", error });
    } else this.set({ kind: "failed", error, texts });
  }

  // What is shown

  draw() {
    const { kind } = this.state;
    const isRefused = kind === "refused" || (kind === "priced" && !this.state.quote.allowed);
    this.priceBox.className = isRefused ? "price refused" : "price";
    const hasFocus = this.priceBox.contains(document.activeElement) && document.activeElement.id;
    put(this.priceBox, this.priceWords(), this.buttons());
    const again = hasFocus && document.getElementById(hasFocus);
    if (again && !again.disabled) again.focus();
  }

  priceWords() {
    const { kind, quote, error, isSlow } = this.state;
    const figure = (text) => h("p", { class: "figure" }, text);
    const shown = (options = {}) => gauge(this.account, { small: true, ...options });
    if (kind === "empty") return [figure("No question yet"), shown()];
    if (kind === "pricing" || kind === "answered") return [h("p", { class: "working" }, "Working out the price\u2026"), shown()];
    if (kind === "running") {
      const words = isSlow ? "Still computing. You may stop waiting and ask again later: nothing is charged twice." : "Asking\u2026";
      return [h("p", { class: "working", role: "status" }, words), shown()];
    }
    if (kind === "wrong") return [figure("This cannot be asked"), h("p", {}, this.state.isShown ? "See the message below the question." : explain(error)), shown()];
    if (kind === "refused") return [figure("Refused: the budget does not allow it"), h("p", {}, explain(error)), shown({ asked: error.details.asked, allowed: false })];
    if (kind === "failed") return [notice("bad", headline(error), this.failedWords(error))];
    return this.quoted(quote, figure, shown);
  }

  quoted(quote, figure, shown) {
    const warnings = quote.warnings.map((text) => h("p", { class: "small" }, `Take care: ${text}.`));
    const asked = { asked: quote.batch_bits, allowed: quote.allowed };
    if (quote.allowed) {
      const why = quote.batch_bits === 0 ? quote.answers.every(saysNothing) ? "There is one possible answer, whatever the data is." : "All of it was answered before, follows from earlier answers, or is public." : `Exactly ${formula(quote.batch_bits_exact)} for those who pay most (${quote.rule}).`;
      return [figure(this.words(quote)), h("p", { class: "quiet small" }, why), shown(asked), warnings];
    }
    const { analyst_bits: allowance, analyst_bits_exact: exactly } = this.dataset.budget;
    const isOwn = quote.remaining === null || quote.batch_bits <= quote.remaining;
    const why = isOwn
      ? `Your own allowance of ${exactBits(allowance, exactly, -1)} does not cover the ${bits(quote.batch_bits)} that this batch would cost.`
      : `This batch would cost ${bits(quote.batch_bits)}; ${bits(quote.spent)} are spent and ${bitsLeft(quote.remaining)} are left.`;
    return [figure("Refused: the budget does not allow it"), h("p", {}, why, advice(this.state.fits)), shown(asked), warnings];
  }

  failedWords(error) {
    if (!this.state.texts) return explain(error);
    return error.unsure ? `${explain(error)} Whether it was charged is not known; asking again cannot charge twice.` : explain(error);
  }

  buttons() {
    const { kind } = this.state;
    const button = (id, text, onclick, options = {}) => h("button", { type: "button", id, onclick, ...options }, text);
    if (kind === "running") return h("div", { class: "row actions" }, button("stop", "Stop waiting", () => this.stop(), { disabled: !this.state.isStoppable }));
    if (kind === "failed") {
      const again = this.state.texts ? () => { this.state = { kind: "priced", texts: this.state.texts }; this.run(); } : () => this.runOrPrice();
      return h("div", { class: "row actions" }, button("again", this.state.texts ? "Ask again" : "Try again", again, { class: "main" }));
    }
    const isReady = this.isPriced && this.state.quote.allowed;
    const text = !isReady ? "Run" : this.state.quote.batch_bits === 0 ? "Run for free" : `Run for ${bits(this.state.quote.batch_bits)}`;
    return h("div", { class: "row actions" },
      button("run", text, () => this.run(), { class: "main", disabled: !isReady }),
      h("span", { class: "hint" }, h("kbd", {}, "Ctrl"), " + ", h("kbd", {}, "Enter")));
  }

  cost(reply) {
    const [they, were] = reply.answers.length === 1 ? ["it", "was"] : ["they", "were"];
    return reply.batch_bits === 0 ? `${they} ${were} free` : `${they} cost ${bits(reply.batch_bits)}`;
  }

  showReply(reply) {
    const save = h("button", { type: "button", onclick: () => saveAnswers(reply.answers, this.dataset.name) }, "Save as CSV");
    put(this.results,
      h("h2", { tabindex: -1 }, "Answers"),
      h("div", { class: "row apart" },
        h("p", {}, `${many(reply.answers.length, "answer")}; ${this.cost(reply)}. Each interval holds the truth for certain.`), save),
      reply.warnings.length > 0 && notice("", "Take care", reply.warnings.map(sentence).join(" ")),
      answerList(reply.answers));
  }
}
