// What a page says when there is nothing to see yet: working, empty, refused, out of reach.

import { bits, bitsLeft } from "./exact.js";
import { announce, h, put } from "./dom.js";

const SLOW = 4000;
const SHOW_AFTER = 150;

/** A box with a message and, if wanted, a button. */
export function notice(kind, title, text, button = null) {
  return h("div", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" },
    h("div", {}, title && h("p", {}, h("strong", {}, title)), text && h("p", {}, text)), button);
}

/** A text as a sentence. */
export function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What to say where there is nothing. */
export function empty(title, text, ...more) {
  return h("div", { class: "empty" }, h("p", {}, h("strong", {}, title)), text && h("p", {}, text), more);
}

/** Words for an error. */
export function explain(error) {
  if (error.code === "budget_exceeded") return refusalText(error.details);
  if (error.code === "offline") return `${error.message} Check that it runs and that you are connected.`;
  if (error.code === "forbidden") return "Only an owner of the dataset may see or do this.";
  if (error.code === "data_changed") return "The data is not the version that its owner declared. It can be asked about again once the owner has declared the new version.";
  if (error.code === "not_found") return "There is no such thing, or your token may not see it.";
  return error.message.charAt(0).toUpperCase() + error.message.slice(1);
}

/** Words for a refusal because of the budget: what is spent, asked for and left. */
export function refusalText({ spent, asked, remaining, whose }) {
  const account = whose === "analyst" ? "your own allowance" : "the dataset's budget";
  return `The batch would cost ${bits(asked)}; ${bits(spent)} of ${account} are spent and ${bitsLeft(remaining)} are left.`
    + " Nothing was charged. Ask for fewer or coarser answers.";
}

/** Fill an element with what some work comes to; meanwhile and otherwise say how it stands. */
export async function load(element, work, show, words = "Loading") {
  const controller = new AbortController();
  const working = h("p", { class: "working", role: "status" }, `${words}\u2026`);
  const timers = [
    setTimeout(() => put(element, working), element.childNodes.length ? SHOW_AFTER : 0),
    setTimeout(() => { working.append(" This takes longer than usual."); }, SLOW),
  ];
  try {
    const found = await work(controller.signal);
    timers.forEach(clearTimeout);
    put(element, show(found));
    return found;
  } catch (error) {
    timers.forEach(clearTimeout);
    if (error.code === "unauthorised") throw error;
    if (!error.code) console.error(error);
    const again = h("button", { type: "button", onclick: () => load(element, work, show, words).catch(passOn) }, "Try again");
    put(element, notice("bad", headline(error), explain(error), again));
    return null;
  }
}

/** A title for an error. */
export function headline(error) {
  const titles = {
    offline: "Out of reach", stopped: "Stopped", budget_exceeded: "The budget does not allow it",
    forbidden: "For owners", not_found: "Not found", too_many: "Too many requests", timeout: "This takes longer",
    too_large: "Too much at once", data_changed: "The data has changed", key_reused: "Asked before", bad_query: "This cannot be asked", bad_request: "This cannot be done",
  };
  return titles[error.code] || "Something went wrong";
}

/** Let the application handle what ends a session. */
export function passOn(error) {
  window.dispatchEvent(new CustomEvent("console-error", { detail: error }));
}

/** A question with two buttons; true if it was confirmed. */
export function confirmed(title, text, action, { danger = false } = {}) {
  return new Promise((resolve) => {
    const yes = h("button", { type: "submit", value: "yes", class: danger ? "danger" : "main" }, action);
    const no = h("button", { type: "button", onclick: () => box.close() }, "Cancel");
    const heading = h("h2", { id: "confirm-title" }, title);
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); box.close("yes"); } },
      h("div", { class: "row" }, yes, no));
    const box = h("dialog", { "aria-labelledby": "confirm-title", onclose: () => {
      resolve(box.returnValue === "yes");
      box.remove();
    } }, heading, text && h("p", {}, text), form);
    document.body.append(box);
    box.showModal();
    (danger ? no : yes).focus();
  });
}

/** Say briefly that something is done. */
export function done(text) {
  announce(text);
  const box = document.getElementById("notices");
  const note = notice("", null, text);
  note.removeAttribute("role");
  put(box, note);
  setTimeout(() => note.remove(), 6000);
}
