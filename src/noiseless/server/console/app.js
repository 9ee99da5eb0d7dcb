// The application: where one is, who one is, and what is shown.

import { ApiError, api } from "./api.js";
import { h, put } from "./dom.js";
import { notice, passOn } from "./notices.js";
import { currentToken, currentUser, drafts, forget, recognise } from "./session.js";
import { showAsk } from "./views/ask.js";
import { showBudget } from "./views/budget.js";
import { showDataset } from "./views/dataset.js";
import { showDatasets } from "./views/datasets.js";
import { showExposure } from "./views/exposure.js";
import { showHelp } from "./views/help.js";
import { showHistory } from "./views/history.js";
import { showLedger } from "./views/ledger.js";
import { showSample } from "./views/sample.js";
import { showSignIn } from "./views/signin.js";
import { showTokens } from "./views/tokens.js";

const CHECK_EVERY = 30000;
const DATASET_VIEWS = {
  "": showDataset, ask: showAsk, history: showHistory, sample: showSample,
  ledger: showLedger, exposure: showExposure, budget: showBudget,
};

const main = document.getElementById("main");
let ended = null;
let shown = 0;

function place() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}

function view([first, ...rest]) {
  if (first === undefined) return showDatasets;
  if (first === "tokens" && !rest.length) return showTokens;
  if (first === "help" && !rest.length) return showHelp;
  const [name, tab = ""] = rest;
  const found = first === "d" && name && Object.hasOwn(DATASET_VIEWS, tab) ? DATASET_VIEWS[tab] : null;
  return found && ((page) => found(page, name));
}

function header() {
  const user = currentUser();
  const here = place();
  const link = (hash, text, current) => h("a", { href: hash, "aria-current": current ? "page" : null }, text);
  const parts = [h("a", { class: "brand", href: "#/" }, h("img", { src: "icon.svg", alt: "" }), h("span", {}, "noiseless"))];
  if (user) {
    parts.push(
      h("nav", { "aria-label": "Main" },
        link("#/", "Datasets", here[0] === undefined || here[0] === "d"),
        user.role === "owner" && link("#/tokens", "Tokens", here[0] === "tokens"),
        link("#/help", "Help", here[0] === "help")),
      h("div", { class: "who" }, h("span", {}, user.name),
        h("button", { type: "button", class: "link", id: "sign-out", onclick: signOut }, "Sign out")));
  }
  put(document.getElementById("top"), h("div", {}, parts));
}

/** A page of its own: a heading that gets the focus, and whatever the view adds. */
class Page {
  constructor(number) {
    this.number = number;
    this.body = h("div");
  }

  /** Whether the reader is still here. */
  get isCurrent() {
    return this.number === shown;
  }

  title(text, ...before) {
    document.title = `${text} \u2013 noiseless`;
    const heading = h("h1", { tabindex: -1 }, text);
    put(main, before, heading, this.body);
    if (shown > 1 || location.hash) heading.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    return this.body;
  }
}

async function show() {
  shown += 1;
  const page = new Page(shown);
  document.getElementById("notices").replaceChildren();
  document.querySelectorAll("dialog").forEach((box) => box.close());
  if (!currentToken()) {
    header();
    showSignIn(page, { ended, then: show });
    ended = null;
    return;
  }
  try {
    if (!currentUser()) recognise(await api.session());
    if (!page.isCurrent) return;
    header();
    const found = view(place());
    if (found) await found(page);
    else notFound(page);
  } catch (error) {
    if (page.isCurrent) fail(error);
  }
}

function notFound(page) {
  put(page.title("Not found"), h("p", {}, "There is no such page. ", h("a", { href: "#/" }, "All datasets")));
}

function fail(error) {
  if (error instanceof ApiError && error.code === "unauthorised") {
    endSession();
    return;
  }
  if (!(error instanceof ApiError)) console.error(error);
  header();
  const again = h("button", { type: "button", onclick: show }, "Try again");
  const out = h("button", { type: "button", class: "link", onclick: signOut }, "Sign out");
  const words = error instanceof ApiError ? error.message : "Something failed in this page.";
  put(main, h("h1", { tabindex: -1 }, error.code === "offline" ? "Out of reach" : "Something went wrong"),
    notice("bad", null, `${words} What you wrote is kept.`, h("div", { class: "row" }, again, out)));
}

function endSession() {
  const user = forget();
  if (user || drafts.size) ended = { name: user && user.name, expired: user && user.expires && new Date(user.expires) <= new Date() };
  show();
}

function signOut() {
  forget({ everything: true });
  ended = { out: true };
  if (location.hash && location.hash !== "#/") location.hash = "#/";
  else show();
}

async function check() {
  if (!currentToken() || !currentUser() || document.hidden) return;
  try {
    recognise(await api.session());
  } catch (error) {
    if (error.code === "unauthorised") endSession();
  }
}

window.addEventListener("hashchange", () => {
  if (location.hash === "#main") main.focus();
  else show();
});
window.addEventListener("console-error", ({ detail }) => fail(detail));
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof ApiError && event.reason.code === "unauthorised") {
    event.preventDefault();
    passOn(event.reason);
  }
});
document.addEventListener("visibilitychange", check);
setInterval(check, CHECK_EVERY);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
show();
