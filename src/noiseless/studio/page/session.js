// What is open, what was found, and how work is asked for. Nothing is kept in the browser: a reload asks this machine again.

import { h, put } from "./dom.js";
import { notice } from "./notices.js";

const SHOW_AFTER = 600;

/** What the page knows. */
export const state = { project: { source: "", written: {}, roles: {}, limits: {} }, table: null, audit: null, frontier: null, releases: [] };

export class JobError extends Error {}

async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: body instanceof Blob ? {} : { "Content-Type": "application/json" }, body: body === undefined ? undefined : body instanceof Blob ? body : JSON.stringify(body) });
  } catch {
    throw new JobError("The studio does not answer. Was it closed? Start it again with: noiseless studio");
  }
  const content = await answer.json().catch(() => ({ error: "The studio sent no answer that can be read." }));
  if (!answer.ok) throw new JobError(content.error || "Something went wrong.");
  return content;
}

export const session = () => call("GET", "/api/session");
export const folder = (path) => call("POST", "/api/folder", { path });
export const saveProject = (path) => call("POST", "/api/project", path ? { project: sent(), path } : { project: sent() });
export const serve = (text, path, confirmed) => call("POST", "/api/curator", { text, path, confirmed });
export const endServer = () => call("DELETE", "/api/curator");
export const upload = (file) => call("PUT", `/api/uploads/${encodeURIComponent(file.name)}`, file);

function sent() {
  const limits = Object.fromEntries(Object.entries(state.project.limits).filter(([, value]) => value !== null && value !== ""));
  return { ...state.project, limits };
}

/** Do some work, in the process beside; `progress` hears the share that is done, `begun` the number of the job. */
export async function run(job, options = {}, { progress = () => {}, begun = () => {}, part = () => {} } = {}) {
  let found = await call("POST", "/api/jobs", { job, project: sent(), ...options });
  begun(found.id);
  while (found.state === "waiting" || found.state === "running") {
    found = await call("GET", `/api/jobs/${found.id}?after=${found.version}`);
    progress(found.share);
    if (found.state === "running" && found.result) part(found.result);
  }
  if (found.state === "stopped") throw Object.assign(new JobError("Stopped."), { stopped: true });
  if (found.state === "failed") throw new JobError(found.error);
  return found.result;
}

export const stop = (number) => call("DELETE", `/api/jobs/${number}`);

/** Do some work and show in a box how far it is, with a button to stop it; what it finds, or null. `help` makes a way out of an error, `part` draws what is found so far, and nothing is drawn once it is `stale`. */
export async function work(box, words, job, options = {}, { help = () => null, part = null, stale = () => false } = {}) {
  let number = null;
  const bar = h("progress", { max: 1, "aria-label": words });
  const button = h("button", { type: "button", onclick: () => number !== null && stop(number) }, "Stop");
  const timer = setTimeout(() => put(box, h("div", { class: "job" }, h("p", { class: "working", role: "status" }, `${words}\u2026`), bar, button)), SHOW_AFTER);
  try {
    const found = await run(job, options, {
      begun: (id) => { number = id; },
      part: (early) => {
        clearTimeout(timer);
        if (part && !stale()) part(early);
      },
      progress: (share) => { if (typeof share === "number") bar.value = share; },
    });
    clearTimeout(timer);
    if (!stale()) put(box);
    return found;
  } catch (error) {
    clearTimeout(timer);
    if (stale()) return null;
    if (error.stopped) put(box);
    else put(box, notice("bad", null, sentence(error.message), help(error.message)));
    if (!(error instanceof JobError)) console.error(error);
    return null;
  }
}

/** An error as a sentence. */
export function sentence(text) {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(first) ? first : `${first}.`;
}
