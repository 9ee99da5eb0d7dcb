// Who is signed in. The token is kept for this tab alone and never stands in an address.

const KEY = "noiseless-token";

let token = sessionStorage.getItem(KEY);
let who = null;
let last = null;

/** What is written but not asked yet, by dataset; it outlives an expired token of the same person. */
export const drafts = new Map();

/** The token, or null. */
export function currentToken() {
  return token;
}

/** Who the server says this is, or null. */
export function currentUser() {
  return who;
}

/** Remember a token for this tab. */
export function keep(text) {
  token = text;
  who = null;
  sessionStorage.setItem(KEY, text);
}

/** Remember who that is. What somebody else wrote and read in this tab is not for them. */
export function recognise(user) {
  if (last !== null && user.name !== last) drafts.clear();
  last = user.name;
  who = user;
}

/** Forget the token and, on request, the drafts too; who it was. */
export function forget({ everything = false } = {}) {
  const user = who;
  token = null;
  who = null;
  sessionStorage.removeItem(KEY);
  if (everything) drafts.clear();
  return user;
}

/** Whether somebody may do what only owners do. */
export function owns(dataset) {
  if (!who) return false;
  return dataset && dataset.role ? dataset.role === "owner" : who.role === "owner";
}
