// The studio: four steps, one page.

import { h, put } from "./dom.js";
import { notice } from "./notices.js";
import { limitsText, rolesMissing, sentence, session, state } from "./session.js";
import { showAudit } from "./views/audit.js";
import { openTable, showOpen } from "./views/open.js";
import { showProtect } from "./views/protect.js";
import { showTables } from "./views/tables.js";
import { showTake } from "./views/take.js";

const STEPS = [
  ["", "1. Open", showOpen, () => true],
  ["audit", "2. Audit", showAudit, () => state.table],
  ["protect", "3. Protect", showProtect, () => state.table && !rolesMissing()],
  ["take", "4. Take away", showTake, () => state.releases.length],
  ["tables", "Tables", showTables, () => state.table],
];

const main = document.getElementById("main");

const place = () => location.hash.replace(/^#\/?/, "");

function header() {
  const here = place();
  put(document.getElementById("top"), h("div", {},
    h("a", { class: "brand", href: "#/" }, h("img", { src: "icon.svg", alt: "" }), h("span", {}, "noiseless studio")),
    h("nav", { "aria-label": "Steps" }, STEPS.map(([name, words, , ready]) => (ready()
      ? h("a", { href: `#/${name}`, "aria-current": name === here ? "step" : null }, words)
      : h("span", { class: "later", "aria-disabled": "true" }, words))))));
}

function show() {
  const [, words, view] = STEPS.find(([name, , , ready]) => name === place() && ready()) || STEPS[0];
  header();
  document.title = `${words.replace(/^\d\. /, "")} \u2013 noiseless studio`;
  document.getElementById("notices").replaceChildren();
  const body = h("div");
  put(main, body);
  view(body, { refresh: header, go: (name) => { location.hash = `#/${name}`; } });
  window.scrollTo(0, 0);
}

window.addEventListener("hashchange", () => (location.hash === "#main" ? main.focus() : show()));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

try {
  const begun = await session();
  Object.assign(state, { bundled: begun.bundled, folder: begun.folder });
  state.project = { ...state.project, ...begun.project };
  const asked = place();
  show();
  if (state.project.source) {
    await openTable(main.firstChild, { keepRoles: true, go: (name) => {
      state.releases = begun.releases.slice(0, 1).map((found) => ({ ...found, about: limitsText(found.asked) }));
      history.replaceState(null, "", `#/${asked || name}`);
      show();
    } });
  }
} catch (error) {
  put(main, h("h1", {}, "Out of reach"), notice("bad", null, sentence(error.message)));
}
