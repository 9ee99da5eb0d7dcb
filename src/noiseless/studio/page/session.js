// What is open, what was found, and how work is asked for. Nothing is kept in the browser: a reload asks this machine again.

import { h, put } from "./dom.js";
import { notice } from "./notices.js";

const SHOW_AFTER = 600;

/** What the page knows. */
export const state = { project: { source: "", written: {}, roles: {}, limits: {} }, table: null, audit: null, frontier: null, releases: [] };

export class JobError extends Error {}

/** Which role is missing before anything can be audited, as a sentence; null if none is. */
export function rolesMissing() {
  const roles = Object.values(state.project.roles);
  if (!roles.includes("sensitive")) return "Which column is sensitive, to be kept secret?";
  return roles.includes("public") ? null : "Which columns are public, so that others may know them?";
}

const SILENT = "The studio does not answer. Was it closed? Start it again with: noiseless studio";

async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new JobError(SILENT);
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

const isSaid = (value) => value !== null && value !== undefined && value !== "" && !(typeof value === "object" && !Object.keys(value).length);

function sent() {
  return { ...state.project, limits: Object.fromEntries(Object.entries(state.project.limits).filter(([, value]) => isSaid(value))) };
}

/** What no other limits have. */
export const limitsText = (limits = state.project.limits) => JSON.stringify(Object.entries(limits).filter(([, value]) => isSaid(value)).sort());

const stopped = () => Object.assign(new JobError("Stopped."), { stopped: true });

/** Do some work, in the process beside; `progress` hears the share that is done, `begun` how to stop it. */
export async function run(job, options = {}, { progress = () => {}, begun = () => {}, part = () => {} } = {}) {
  let found = await call("POST", "/api/jobs", { job, project: sent(), ...options });
  begun(() => call("DELETE", `/api/jobs/${found.id}`));
  while (found.state === "waiting" || found.state === "running") {
    found = await call("GET", `/api/jobs/${found.id}?after=${found.version}`);
    progress(found.share);
    if (found.state === "running" && found.result) part(found.result);
  }
  if (found.state === "stopped") throw stopped();
  if (found.state === "failed") throw new JobError(found.error);
  return found.result;
}

/** Copy files into the studio's private folder; where the last one lies. Their names are sent in a header: addresses are not private. */
export async function upload(files, { progress = () => {}, begun = () => {} } = {}) {
  const whole = files.reduce((sum, { file }) => sum + file.size, 0) || 1;
  let [before, path] = [0, null];
  for (const { file, name } of files) {
    const sent = before;
    ({ path } = await sendFile(file, name, { begun, progress: (bytes) => progress((sent + bytes) / whole) }));
    before += file.size;
  }
  return path;
}

function sendFile(file, name, { progress, begun }) {
  return new Promise((resolve, reject) => {
    const request = Object.assign(new XMLHttpRequest(), { responseType: "json" });
    request.upload.onprogress = (event) => progress(event.loaded);
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject(new JobError(request.response?.error || "The file could not be taken.")));
    request.onerror = () => reject(new JobError(`${file.name} could not be sent. Is it still there, and may you read it?`));
    request.onabort = () => reject(stopped());
    begun(() => request.abort());
    request.open("PUT", "/api/uploads");
    request.setRequestHeader("X-File", encodeURIComponent(name));
    request.send(file);
  });
}

/** Do some work and show in a box how far it is, with a button to stop it; what it finds, or null. */
export const work = (box, words, job, options = {}, views = {}) => attend(box, words, (hooks) => run(job, options, hooks), views);

/** Show in a box how far something is, with a button to stop it; what it finds, or null. `help` makes a way out of an error, `again` begins anew what was stopped, `part` draws what is found so far, and nothing is drawn once it is `stale`. */
export async function attend(box, words, begin, { help = () => null, again = null, part = null, stale = () => false } = {}) {
  let halt = () => {};
  const bar = h("progress", { max: 1, "aria-label": words });
  const button = h("button", { type: "button", onclick: () => halt() }, "Stop");
  const timer = setTimeout(() => put(box, h("div", { class: "job" }, h("p", { class: "working", role: "status" }, `${words}\u2026`), bar, button)), SHOW_AFTER);
  try {
    const found = await begin({
      begun: (way) => { halt = way; },
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
    if (error.stopped) put(box, notice("", null, "Stopped.", again && h("button", { type: "button", onclick: again }, "Start again")));
    else put(box, notice("bad", null, ...help(error.message) || [sentence(error.message)]));
    if (!(error instanceof JobError)) console.error(error);
    return null;
  }
}

/** An error as a sentence; a path or an address stays as it is, and options of the command line are left out. */
export function sentence(whole) {
  const text = whole.replace(/, or [^,;]*--[^;]*$/, "");
  const first = /^[a-z]+[ ,;]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?)]$/.test(first) ? first : `${first}.`;
}
