// Signing in with a token.

import { api } from "../api.js";
import { field, h, put } from "../dom.js";
import { explain, notice } from "../notices.js";
import { keep, recognise } from "../session.js";

/** The form; `ended` says why one is here again. */
export function showSignIn(page, { ended, then }) {
  const body = page.title("Sign in");
  const said = h("div", { id: "sign-in-said" });
  const input = h("input", { type: "password", id: "token", name: "token", autocomplete: "off", spellcheck: "false", autocapitalize: "off", required: true });
  const button = h("button", { type: "submit", class: "main" }, "Sign in");
  const form = h("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    signIn(input, button, said, then);
  } }, field("Token", input, "It begins with nls_. The owner of a dataset gives you one; it is kept in this tab only."), said,
  h("div", { class: "row" }, button));
  put(body, whyHere(ended), form);
  body.parentElement.querySelector("h1").after(h("p", { class: "quiet" }, "Ask about private data. Every answer is an interval certain to contain the truth."));
  input.focus();
}

function whyHere(ended) {
  if (!ended) return null;
  if (ended.out) return notice("", "You are signed out", "The token is forgotten in this tab.");
  const why = ended.expired ? "Your token has expired." : "Your token is not valid any more: it has expired or was revoked.";
  return notice("bad", "You were signed out", `${why} What you wrote is kept until you close this tab; sign in to go on.`);
}

async function signIn(input, button, said, then) {
  const token = input.value.trim();
  input.removeAttribute("aria-invalid");
  if (!/^[\x21-\x7e]+$/.test(token)) {
    refuse(input, said, "Enter the token: letters, numbers and signs, without spaces.");
    return;
  }
  button.disabled = true;
  put(said, h("p", { class: "working", role: "status" }, "Signing in\u2026"));
  try {
    const user = await api.session({ token });
    keep(token);
    recognise(user);
    input.value = "";
    then();
  } catch (error) {
    const wrong = error.code === "unauthorised";
    refuse(input, said, wrong ? "This token is not valid: it may be mistyped, expired or revoked. Ask the dataset's owner." : explain(error));
  } finally {
    button.disabled = false;
  }
}

function refuse(input, said, text) {
  input.setAttribute("aria-invalid", "true");
  put(said, notice("bad", null, text));
  input.focus();
  input.select();
}
