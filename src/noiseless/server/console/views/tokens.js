// Tokens, for owners: who may ask, until when.

import { api } from "../api.js";
import { announce, field, h, put, table } from "../dom.js";
import { moment } from "../exact.js";
import { confirmed, done, empty, explain, load, notice, passOn } from "../notices.js";
import { currentToken, currentUser } from "../session.js";

const SPANS = [["30d", "30 days"], ["1d", "one day"], ["90d", "90 days"], ["1y", "one year"], ["", "never"]];

/** The page. */
export async function showTokens(page) {
  const body = page.title("Tokens");
  const list = h("div");
  const refresh = () => load(list, () => api.tokens(), (tokens) => listed(tokens, refresh), "Loading tokens");
  body.append(
    h("p", { class: "quiet" }, "A token lets its holder ask about some datasets, or own them. Revoking one takes effect within a second."),
    h("h2", {}, "New token"), form(refresh), h("h2", {}, "All tokens"), list);
  await refresh();
}

function owned() {
  const user = currentUser();
  return user.roles ? user.datasets.filter((name) => user.roles[name] === "owner") : user.datasets;
}

function form(refresh) {
  const name = h("input", { required: true, maxlength: 100, autocomplete: "off" });
  const role = h("select", {}, h("option", { value: "analyst" }, "analyst: may ask"), h("option", { value: "owner" }, "owner: may also see the ledger and change budgets"));
  const expires = h("select", {}, SPANS.map(([value, text]) => h("option", { value }, text)));
  const boxes = owned().map((dataset) => h("input", { type: "checkbox", value: dataset, checked: true }));
  const said = h("div");
  const button = h("button", { type: "submit", class: "main" }, "Create token");
  return h("form", { class: "form", onsubmit: async (event) => {
    event.preventDefault();
    const datasets = boxes.filter((box) => box.checked).map((box) => box.value);
    if (!datasets.length) {
      put(said, notice("bad", null, "Choose at least one dataset."));
      return;
    }
    button.disabled = true;
    try {
      const made = await api.addToken({ name: name.value.trim(), role: role.value, datasets, expires: expires.value || null });
      put(said);
      name.value = "";
      await shown(made);
      refresh().catch(passOn);
      button.disabled = false;
      button.focus();
    } catch (error) {
      if (error.code === "unauthorised") passOn(error);
      else put(said, notice("bad", null, explain(error)));
    } finally {
      button.disabled = false;
    }
  } }, field("Name", name, "The holder. Their questions are charged to this name."), field("Role", role), field("Expires after", expires),
  h("fieldset", {}, h("legend", {}, "Datasets"), boxes.map((box) => h("div", {}, h("label", { class: "check" }, box, box.value)))),
  said, h("div", { class: "row" }, button));
}

/** Show a secret once; it is nowhere to be found afterwards. */
function shown(made) {
  return new Promise((resolve) => {
    const secret = h("code", { class: "secret", tabindex: 0, "aria-label": "The token" }, made.token);
    const copied = h("span", { class: "hint", role: "status" });
    const copy = h("button", { type: "button", onclick: async () => {
      try {
        await navigator.clipboard.writeText(made.token);
        copied.textContent = "Copied.";
      } catch {
        getSelection().selectAllChildren(secret);
        copied.textContent = "Selected: press Ctrl+C.";
      }
    } }, "Copy");
    const box = h("dialog", { "aria-labelledby": "secret-title", onclose: () => {
      box.remove();
      resolve();
    } },
    h("h2", { id: "secret-title" }, `Token for ${made.name}`),
    h("p", {}, "It is shown this once and stored nowhere. Pass it on safely."), secret,
    h("div", { class: "row" }, copy, h("button", { type: "button", class: "main", id: "secret-done", onclick: () => box.close() }, "Done"), copied));
    document.body.append(box);
    box.showModal();
    copy.focus();
    announce("The token was created. It is shown this once.");
  });
}

function state(token) {
  if (token.revoked) return h("span", { class: "badge bad" }, "revoked");
  if (token.valid === false) return h("span", { class: "badge" }, "expired");
  return h("span", { class: "badge good" }, "valid");
}

function listed(tokens, refresh) {
  if (!tokens.length) return empty("No tokens yet", "Create one above for each analyst.");
  const valid = (token) => !token.revoked && token.valid !== false;
  const sorted = [...tokens].sort((one, other) => valid(other) - valid(one) || String(other.created).localeCompare(String(one.created)));
  const rows = sorted.map((token) => [
    token.name, token.role, token.datasets.join(", "), h("code", {}, token.id), token.expires ? moment(token.expires) : "never", state(token),
    valid(token) && h("button", { type: "button", class: "danger", "aria-label": `Revoke the token of ${token.name}`, onclick: () => revoke(token, refresh) }, "Revoke"),
  ]);
  return table("Tokens of your datasets", ["Name", "Role", "Datasets", "Token", "Expires", "State", "Action"], rows, { kind: "stack" });
}

async function revoke(token, refresh) {
  const isOwn = (currentToken() || "").startsWith(`nls_${token.id}_`);
  const words = isOwn ? "This is the token that you are signed in with: you will be signed out." : "Its holder is refused from now on. This cannot be undone.";
  if (!(await confirmed(`Revoke the token of ${token.name}?`, words, "Revoke", { danger: true }))) return;
  try {
    await api.revokeToken(token.id);
    done(`The token of ${token.name} is revoked.`);
    await refresh();
  } catch (error) {
    if (error.code === "unauthorised") passOn(error);
    else put(document.getElementById("notices"), notice("bad", "Not revoked", explain(error)));
  }
}
