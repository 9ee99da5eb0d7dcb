// The server's interface: one request function, one kind of error.

import { currentToken } from "./session.js";

const PATIENCE = 30000;

/** A refusal of the server, or none of its replies at all. */
export class ApiError extends Error {
  constructor(code, message, details = {}, status = 0) {
    super(message);
    this.code = code;
    this.details = details;
    this.status = status;
  }

  /** Whether it is unknown what became of the request. */
  get unsure() {
    return ["offline", "stopped", "timeout", "internal", "unavailable"].includes(this.code);
  }
}

const address = (...parts) => new URL(`v1/${parts.map(encodeURIComponent).join("/")}`, document.baseURI);

async function send(method, url, { body, signal, token = currentToken(), patience = PATIENCE } = {}) {
  const late = patience ? AbortSignal.timeout(patience) : null;
  const signals = [signal, late].filter(Boolean);
  const headers = { Accept: "application/json", Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response, text;
  try {
    response = await fetch(url, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body),
      signal: signals.length ? AbortSignal.any(signals) : undefined,
      credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
    });
    text = await response.text();
  } catch {
    if (signal && signal.aborted) throw new ApiError("stopped", "You stopped waiting.");
    if (late && late.aborted) throw new ApiError("offline", "The server does not reply.");
    throw new ApiError("offline", "The server cannot be reached.");
  }
  return read(response, text);
}

function read(response, text) {
  let found = null;
  try {
    found = text ? JSON.parse(text) : {};
  } catch {
    found = null;
  }
  if (response.ok && found !== null) return found;
  const said = (found && found.error) || {};
  const code = said.code || (response.status === 401 ? "unauthorised" : response.status >= 500 ? "unavailable" : "refused");
  const message = said.message || `The server replied with status ${response.status}.`;
  throw new ApiError(code, message, said.details || {}, response.status);
}

/** Ask again after a while when too many requests were made. */
async function patiently(work, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== "too_many" || tries === 2) throw error;
      const seconds = Math.min(Number(error.details.retry_after) || 1, 10);
      await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
      if (signal && signal.aborted) throw new ApiError("stopped", "You stopped waiting.");
    }
  }
}

const get = (url, options = {}) => patiently(() => send("GET", url, options), options.signal);

function withQuery(url, query) {
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

export const api = {
  session: (options) => get(address("session"), options),
  datasets: async (options) => (await get(address("datasets"), options)).datasets,
  dataset: (name, options) => get(address("datasets", name), options),
  price: (name, queries, signal) => patiently(
    () => send("POST", address("datasets", name, "queries"), { body: { queries, dry_run: true }, signal }), signal),
  ask: (name, queries, key, signal) => send("POST", address("datasets", name, "queries"),
    { body: { queries, dry_run: false, key }, signal, patience: 0 }),
  sample: (name, rows, seed) => get(withQuery(address("datasets", name, "sample"), { rows, seed })),
  history: (name, query) => get(withQuery(address("datasets", name, "history"), query)),
  ledger: (name, query) => get(withQuery(address("datasets", name, "ledger"), query)),
  exposure: (name, signal) => get(address("datasets", name, "exposure"), { signal, patience: 0 }),
  changeBudget: (name, change) => send("POST", address("datasets", name, "budget"), { body: change }),
  tokens: async () => (await get(address("tokens"))).tokens,
  addToken: (wanted) => send("POST", address("tokens"), { body: wanted }),
  revokeToken: (id) => send("DELETE", address("tokens", id)),
};

/** A text that tells one attempt to ask from another, so that a retry cannot be charged twice. */
export function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
