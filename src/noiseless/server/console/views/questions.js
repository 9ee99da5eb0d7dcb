// The questions of a batch: one text each, with what is said about it below.

import { freshId, h, put } from "../dom.js";

/** An editor of several texts. It calls `changed` after every change and `run` on Ctrl+Enter. */
export class Questions {
  constructor(draft, { placeholder, changed, run, stop }) {
    this.draft = draft;
    this.placeholder = placeholder;
    this.changed = changed;
    this.run = run;
    this.stop = stop;
    this.active = 0;
    this.list = h("div");
    this.element = h("div", {}, this.list,
      h("p", {}, h("button", { type: "button", class: "link", id: "add-question", onclick: () => this.add("") }, "Add another question to the batch")));
    this.draw();
  }

  /** Texts that are not empty, and where they stand. */
  get asked() {
    return this.draft.queries.map((sql, place) => ({ sql: sql.trim(), place })).filter(({ sql }) => sql);
  }

  get boxes() {
    return [...this.list.querySelectorAll("textarea")];
  }

  draw() {
    put(this.list, this.draft.queries.map((sql, place) => this.question(sql, place)));
  }

  question(sql, place) {
    const id = freshId("question");
    const box = h("textarea", {
      id, rows: 4, spellcheck: "false", autocapitalize: "off", autocomplete: "off", placeholder: place ? null : this.placeholder,
      "aria-describedby": `${id}-said`, value: sql,
      oninput: () => {
        this.draft.queries[place] = box.value;
        this.fit(box);
        this.changed();
      },
      onfocus: () => { this.active = place; },
      onkeydown: (event) => this.key(event, place),
    });
    const several = this.draft.queries.length > 1;
    const name = several ? `Question ${place + 1}` : "Question";
    requestAnimationFrame(() => this.fit(box));
    return h("div", { class: "question" },
      h("div", { class: "head" }, h("label", { for: id }, name),
        several && h("button", { type: "button", class: "link", "aria-label": `Remove question ${place + 1}`, onclick: () => this.remove(place) }, "Remove")),
      box, h("p", { class: "said", id: `${id}-said` }));
  }

  fit(box) {
    if (box.scrollHeight > box.clientHeight && box.scrollHeight < 500) box.style.height = `${box.scrollHeight + 4}px`;
  }

  key(event, place) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.run();
    } else if (event.altKey && event.key === "ArrowUp" && place > 0) {
      event.preventDefault();
      this.focus(place - 1);
    } else if (event.altKey && event.key === "ArrowDown") {
      event.preventDefault();
      if (place + 1 < this.draft.queries.length) this.focus(place + 1);
      else if (this.draft.queries[place].trim()) this.add("");
    } else if (event.key === "Escape") {
      this.stop();
    }
  }

  focus(place) {
    const box = this.boxes[place];
    if (box) box.focus();
  }

  /** One more question; an empty one is used first. */
  add(sql) {
    const free = sql ? this.draft.queries.findIndex((text) => !text.trim()) : -1;
    if (free >= 0) this.draft.queries[free] = sql;
    else this.draft.queries.push(sql);
    this.draw();
    this.focus(free >= 0 ? free : this.draft.queries.length - 1);
    this.changed();
  }

  remove(place) {
    this.draft.queries.splice(place, 1);
    this.draw();
    this.focus(Math.min(place, this.draft.queries.length - 1));
    this.changed();
  }

  /** Write something where the cursor is. */
  insert(text) {
    const box = this.boxes[Math.min(this.active, this.boxes.length - 1)];
    const [start, end] = [box.selectionStart, box.selectionEnd];
    const before = box.value.slice(0, start);
    const space = before && !/[\s(]$/.test(before) ? " " : "";
    box.setRangeText(space + text, start, end, "end");
    box.focus();
    box.dispatchEvent(new Event("input"));
  }

  /** Say something below a question; nothing below the others. */
  say(lines) {
    this.boxes.forEach((box, place) => {
      const line = lines.get(place);
      const said = document.getElementById(`${box.id}-said`);
      said.textContent = line ? line.text : "";
      said.classList.toggle("bad", Boolean(line && line.bad));
      if (line && line.bad) box.setAttribute("aria-invalid", "true");
      else box.removeAttribute("aria-invalid");
    });
  }
}
