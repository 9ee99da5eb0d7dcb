// Elements are made from parts, never from text that is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element. Properties that begin with "on" are listeners; false and null are left out. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An element of a drawing. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Append texts, elements and lists of them; nothing for null and false. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Replace all that is in an element. */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Say something to people who listen to the page. */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  setTimeout(() => { announcer.textContent = text; }, 50);
}

let counter = 0;

/** An id that no other element has. */
export function freshId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** A label above a control, with a hint below it. */
export function field(label, control, hint = null) {
  const id = control.id || freshId("field");
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return h("div", { class: "field" },
    h("label", { for: id }, label), control, hint && h("p", { class: "hint", id: `${id}-hint` }, hint));
}

/** A table; on a narrow screen each row becomes a small list if it is "stack". A heading above can say what a silent caption says. */
export function table(caption, heads, rows, { kind = "", numbers = [], silent = false } = {}) {
  const align = (place) => (numbers.includes(place) ? "n" : null);
  const cell = (value, place) => h(place === 0 ? "th" : "td",
    { scope: place === 0 ? "row" : null, class: align(place), "data-label": heads[place] },
    h("span", {}, value === null || value === undefined ? "" : value));
  return scrollable(caption, h("table", { class: kind },
    h("caption", {}, silent ? h("span", { class: "unseen" }, caption) : caption),
    h("thead", {}, h("tr", {}, heads.map((head, place) => h("th", { scope: "col", class: align(place) }, head)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell))))));
}

/** A box that can be reached by the keyboard as long as there is something to scroll in it. */
function scrollable(name, content) {
  const box = h("div", { class: "scroll" }, content);
  new ResizeObserver(() => {
    const reach = { tabindex: "0", role: "region", "aria-label": name };
    const isWider = box.scrollWidth > box.clientWidth;
    for (const [key, value] of Object.entries(reach)) {
      if (isWider) box.setAttribute(key, value);
      else box.removeAttribute(key);
    }
  }).observe(box);
  return box;
}

/** A file that the page itself makes, for the reader to keep. */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
