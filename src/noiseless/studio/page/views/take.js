// Step 4: files, proof, commands, the project, and a curator's file.

import { download, field, h, put, table } from "../dom.js";
import { done, notice } from "../notices.js";
import { JobError, endServer, saveProject, sentence, serve, state, work } from "../session.js";
import { code } from "./audit.js";

export function showTake(body) {
  const found = state.releases.includes(state.taken) ? state.taken : state.releases[0];
  const files = h("div");
  const curator = h("div");
  const said = h("div");
  const { source } = state.project;
  const dropped = /[\\/]noiseless-studio-[^\\/]*[\\/]uploads[\\/]/.test(source);
  const elsewhere = dropped || state.bundled.includes(source);
  const plain = source.replace(/[\\/]?\*[^\\/]*$/, "");
  const place = source.includes("::") ? "project.toml" : (elsewhere ? plain.split(/[\\/]/).pop() : plain).replace(/(\.[^./\\]*)?$/, "-project.toml");
  const path = h("input", { type: "text", spellcheck: "false", value: place });
  put(body, h("h1", { tabindex: -1 }, "Take it away"),
    h("p", { class: "quiet" }, `The release with ${found.limits.join("; ") || "no limits"}.`),
    h("h2", {}, "Files"), files,
    h("h2", {}, "Do it again without the browser"),
    h("p", {}, `In the folder of the table${found.hierarchies.length ? ", with the hierarchies beside it" : ""}, these make the same table byte for byte, and the same certificate but for its time.${source.startsWith("postgres") ? " The database's address stands without its password and options." : ""}`),
    code("Command", found.command), code("Python", found.python),
    h("h2", {}, "Come back later"), said,
    h("form", { class: "row path", onsubmit: async (event) => {
      event.preventDefault();
      try {
        const { written } = await saveProject(path.value.trim());
        put(said);
        done(`Written: ${written}. Open it with: noiseless studio ${written}`);
      } catch (error) {
        if (!(error instanceof JobError)) throw error;
        put(said, notice("bad", null, sentence(error.message)));
      }
    } }, field("A project's file", path, dropped ? "Roles and limits; no values of the table. Keep it in the folder of the table, which was dropped here." : "Roles and limits; no values of the table. Hierarchies made here are written beside it."), h("button", { type: "submit" }, "Write it")),
    h("h2", {}, "Answer questions instead"),
    h("p", {}, "A curator answers questions about the table within a budget, and publishes no rows. This drafts its file from the roles you chose. Its bounds are read off the data: write what could be true of anyone instead, then start it."),
    curator, h("div", { class: "row" }, h("button", { type: "button", onclick: async (event) => {
      const drafted = await work(curator, "Drafting", "curator");
      if (!drafted) return;
      put(curator, handOver(drafted.text, place.replace(/-?project\.toml$/, "-curator.toml").replace(/^-/, "")));
      event.target.remove();
    } }, "Draft a curator's file")));
  return written(files, found);
}

/** Write the files of a release, offer them, and offer to check them. */
async function written(box, release) {
  const found = await work(box, "Writing the files and the certificate", "files", { asked: release.asked }, { again: () => written(box, release) });
  if (!found) return;
  const link = (name, words) => h("a", { class: "button", href: `/api/files/${found.files}/${name}`, download: name }, `${words} (${name})`);
  const checks = h("div");
  put(box,
    h("div", { class: "row" }, link("released.csv", "The released table"), link("certificate.json", "Its certificate"), link("board.html", "One sheet for the board"),
      found.hierarchies.map((file) => link(file, "A hierarchy"))),
    h("p", { class: "hint" }, "The certificate says what the release gives away. Anyone with both tables can check it."),
    h("h2", {}, "Check the certificate now"),
    h("p", {}, "Every claim is worked out again from the two tables, by a checker that shares nothing with what made the release."),
    h("div", { class: "row" }, h("button", { type: "button", onclick: async () => {
      const verified = await work(checks, "Checking every claim", "verify", { files: found.files });
      if (verified) put(checks, verification(verified, found.files));
    } }, "Verify")), checks);
}

/** The draft to be mended, and a button that starts a server on it. */
function handOver(text, begin) {
  const draft = h("textarea", { rows: 18, spellcheck: "false", class: "draft" });
  draft.value = text;
  const path = h("input", { type: "text", spellcheck: "false", value: begin });
  const sure = h("input", { type: "checkbox", id: "sure" });
  const said = h("div");
  const start = h("button", { type: "submit", class: "main" }, "Start the curator");
  return h("form", { class: "handover", onsubmit: async (event) => {
    event.preventDefault();
    start.disabled = true;
    put(said, h("p", { class: "working", role: "status" }, "Starting\u2026"));
    try {
      put(said, running(await serve(draft.value, path.value.trim(), sure.checked), said));
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      put(said, notice("bad", null, sentence(error.message)));
    } finally {
      start.disabled = false;
    }
  } }, field("The curator's file", draft),
    field("Where to keep it", path, "Its ledger is kept beside it: what was spent stays spent when the studio ends."),
    h("p", { class: "check" }, sure, h("label", { for: "sure" }, "Every bound holds for anyone, whatever the data.")),
    h("div", { class: "row" }, start, h("button", { type: "button", onclick: () => download("curator.toml", "text/plain", draft.value) }, "Save curator.toml")), said);
}

function running({ address, token, file }, said) {
  return [notice("", "The curator answers on this machine", "It ends with the studio. Sign in with the token, which is shown once."),
    h("dl", { class: "facts" }, h("dt", {}, "console"), h("dd", {}, h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address)), h("dt", {}, "owner's token"), h("dd", {}, h("code", { class: "secret" }, token)), h("dt", {}, "later"), h("dd", {}, h("code", {}, `noiseless serve ${file}`))),
    h("div", { class: "row" }, h("button", { type: "button", onclick: async () => { await endServer(); put(said, notice("", null, "The curator was stopped.")); } }, "Stop the curator"))];
}

function verification({ verification: found, verdict }, files) {
  return [notice(found.holds ? "" : "bad", null, verdict, h("a", { class: "button", href: `/api/files/${files}/verification.html`, download: "verification.html" }, "Save the checks")),
    h("details", { class: "more" }, h("summary", {}, "Every check"),
      table("Checks", ["claim", "certificate", "tables", "verdict"], found.checks.map((one) => [one.name, String(one.claimed ?? ""), String(one.found ?? ""), one.holds ? "holds" : "fails"]), { kind: "stack checks", silent: true }))];
}
