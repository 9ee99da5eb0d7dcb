// Groups of a column's values, made by dragging them together, or by selecting them and pressing a button.

import { announce, download, freshId, h, put } from "../dom.js";
import { count } from "../exact.js";
import { notice } from "../notices.js";
import { JobError, run, sentence, state, upload, work } from "../session.js";

const FAR = 6;

/** Show the groups of a column in a box; `changed` hears when they are kept. */
export async function editGroups(box, column, changed) {
  const found = await work(box, "Counting the values", "hierarchy", { column });
  if (found) new Groups(box, column, found, changed).draw();
}

class Groups {
  constructor(box, column, found, changed) {
    Object.assign(this, { box, column, top: found.top, rows: found.rows, changed, selected: new Set(), said: h("div"), tree: h("div", { class: "nodes root" }) });
    this.root = { name: null, of: found.nodes.map(node) };
    const name = h("input", { type: "text", id: freshId("group"), spellcheck: "false", placeholder: "name of the new group" });
    const picker = h("input", { type: "file", class: "unseen", id: freshId("arx"), accept: ".csv,.txt", onchange: () => picker.files[0] && this.read(picker.files[0]) });
    put(box, h("section", { class: "groups", "aria-label": `Groups of ${column}` },
      h("h2", { tabindex: -1 }, `Groups of ${column}`),
      h("p", { class: "hint" }, "Drag a value onto another to make a group, or onto a group to join it. With the keyboard: select some, then put them together. Groups can be put together too."),
      h("div", { class: "row" }, h("label", { class: "unseen", for: name.id }, "Name of the new group"), name,
        h("button", { type: "button", onclick: () => { this.join(name.value.trim()); name.value = ""; } }, "Put together"),
        h("button", { type: "button", onclick: () => this.apart() }, "Take apart")),
      this.tree, this.said,
      h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => this.kept(({ path }) => this.use(path)) }, "Use these groups"),
        picker, h("label", { class: "button", for: picker.id }, "Read an ARX file"),
        h("button", { type: "button", onclick: () => this.kept(({ name, text }) => download(name, "text/csv", text)) }, "Save as an ARX file"),
        h("button", { type: "button", onclick: () => this.leave() }, "No groups"))));
  }

  draw(focus = null) {
    put(this.tree, this.root.of.map((one) => this.shown(one)));
    const again = focus && this.tree.querySelector(`[data-key="${focus.key}"]`);
    if (again) again.focus();
  }

  shown(one) {
    const words = one.of ? one.name : one.value;
    const handle = h("button", { type: "button", class: "chip", "data-key": one.key, "aria-pressed": String(this.selected.has(one)), "data-name": one.of ? null : words, "aria-label": one.of ? `Group ${words}` : null,
      onclick: () => this.select(one), onpointerdown: (event) => this.grab(event, one, handle) },
      one.of ? "Group" : words, one.of ? null : h("small", { class: "quiet" }, ` ${count(this.rows[words] ?? 0)}`, h("span", { class: "unseen" }, " rows")));
    if (!one.of) return handle;
    const rename = h("input", { type: "text", class: "name", value: one.name, "aria-label": `Name of the group ${one.name}`, spellcheck: "false", onchange: () => { one.name = rename.value.trim(); this.draw(one); } });
    return h("div", { class: "group", role: "group", "aria-label": `Group ${one.name}`, "data-box": one.key }, h("div", { class: "head" }, handle, rename), h("div", { class: "nodes" }, one.of.map((inner) => this.shown(inner))));
  }

  select(one) {
    if (this.dragged) return;
    if (!this.selected.delete(one)) this.selected.add(one);
    this.draw(one);
  }

  /** Put what is selected together: into the one group among it, or into a new one. */
  join(name, nodes = [...this.selected]) {
    const inside = nodes.filter((one) => !nodes.some((other) => other !== one && holds(other, one)));
    const groups = inside.filter((one) => one.of);
    if (inside.length < 2) return this.say("Select at least two.");
    const target = groups.length === 1 ? groups[0] : this.begin(inside, name);
    inside.filter((one) => one !== target).forEach((one) => this.move(one, target));
    return this.finish(target, `${inside.length} put together in ${target.name}.`);
  }

  /** A new group where all of some nodes are, or else at the top. */
  begin(nodes, name) {
    const parents = new Set(nodes.map((one) => this.parent(one)));
    const parent = parents.size === 1 ? [...parents][0] : this.root;
    const target = node({ name: name || nodes.map((one) => one.name ?? one.value).join(" or "), of: [] });
    parent.of.push(target);
    return target;
  }

  /** Take groups apart, and values out of theirs. */
  apart() {
    const [one] = this.selected;
    if (!one) return this.say("Select a group, or a value in one.");
    for (const each of this.selected) {
      const parent = this.parent(each);
      if (each.of) parent.of.splice(parent.of.indexOf(each), 1, ...each.of);
      else if (parent !== this.root) this.move(each, this.parent(parent));
    }
    return this.finish(one, "Taken apart.");
  }

  move(one, target) {
    const parent = this.parent(one);
    parent.of.splice(parent.of.indexOf(one), 1);
    target.of.push(one);
  }

  finish(focus, words) {
    this.selected.clear();
    prune(this.root);
    put(this.said);
    announce(words);
    this.draw(focus);
  }

  parent(one, from = this.root) {
    if (from.of.includes(one)) return from;
    return from.of.filter((inner) => inner.of).map((inner) => this.parent(one, inner)).find(Boolean);
  }

  grab(event, one, handle) {
    if (event.button !== 0) return;
    const [x, y] = [event.clientX, event.clientY];
    let over = null;
    this.dragged = false;
    const move = (now) => {
      if (!this.dragged && Math.hypot(now.clientX - x, now.clientY - y) < FAR) return;
      this.dragged = true;
      handle.classList.add("held");
      handle.style.translate = `${now.clientX - x}px ${now.clientY - y}px`;
      const under = document.elementFromPoint(now.clientX, now.clientY);
      const next = under && this.tree.contains(under) ? under.closest("[data-key], [data-box]") || this.tree : null;
      if (over !== next) {
        over?.classList.remove("over");
        next?.classList.add("over");
        over = next;
      }
    };
    const up = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", up);
      document.removeEventListener("pointercancel", up);
      if (this.dragged && over) this.drop(one, this.named(over.dataset.key || over.dataset.box));
      else if (this.dragged) this.draw(one);
      setTimeout(() => { this.dragged = false; });
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", up);
    document.addEventListener("pointercancel", up);
  }

  drop(one, target) {
    if (target === one || holds(one, target)) return this.draw(one);
    const parent = target === this.root ? this.root : this.parent(target);
    if (target.of) this.move(one, target);
    else if (parent !== this.root && !parent.of.includes(one)) this.move(one, parent);
    else return this.join("", [target, one]);
    return this.finish(one, `Moved to ${(target.of ? target : parent).name ?? "the top"}.`);
  }

  named(key, from = this.root) {
    if (!key) return this.root;
    return from.of.map((one) => (String(one.key) === key ? one : one.of && this.named(key, one))).find(Boolean);
  }

  say(words) {
    put(this.said, notice("", null, words));
  }

  /** Have the groups kept in a file; `then` hears what became of it. */
  async kept(then) {
    try {
      then(await run("draw", { column: this.column, drawn: { top: this.top, nodes: this.root.of.map(plain) } }));
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      put(this.said, notice("bad", null, sentence(error.message)));
    }
  }

  use(path) {
    state.project.limits.hierarchy[this.column] = path;
    put(this.box);
    this.changed(`Releases merge ${this.column} by these groups.`);
  }

  async read(file) {
    try {
      const path = await upload([{ file, name: `${crypto.randomUUID().slice(0, 8)}/${file.name}` }]);
      state.project.limits.hierarchy[this.column] = path;
      await editGroups(this.box, this.column, this.changed);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      put(this.said, notice("bad", null, sentence(error.message)));
    }
  }

  leave() {
    delete state.project.limits.hierarchy[this.column];
    put(this.box);
    this.changed(`Releases merge ${this.column} freely.`);
  }
}

let keys = 0;
const node = (given) => {
  keys += 1;
  return typeof given === "string" ? { key: keys, value: given } : { key: keys, name: given.name, of: given.of.map(node) };
};
const plain = (one) => (one.of ? { name: one.name, of: one.of.map(plain) } : one.value);
const holds = (outer, one) => Boolean(outer.of) && outer.of.some((inner) => inner === one || holds(inner, one));

function prune(from) {
  from.of.filter((one) => one.of).forEach(prune);
  from.of = from.of.filter((one) => !one.of || one.of.length);
}
