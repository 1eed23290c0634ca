/* Pieces that the views are built of. Names go into the page as text, never as HTML. */
"use strict";

/* An element with attributes (on...: listeners) and children: elements, or texts. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const button = (text, onclick, attributes) => make("button", { type: "button", onclick, ...attributes }, text);

/* A part of a legend. */
function swatch(fill, text) {
  const mark = make("span", { class: "swatch" });
  mark.style.background = fill;
  return make("span", null, mark, text);
}

/* A colour of the page's style. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function saveFile(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* Where a page came over http, there is only the old way. */
function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => {});
  const area = make("textarea", { class: "copied" }), before = document.activeElement;
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return before.focus();
}

/* --- tables */

const ROWS_AT_ONCE = 100;

/* Rows by a value of each; those that are equal stay in their order. sign -1: the largest first. */
function sortRows(rows, value, sign) {
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0);
  const values = rows.map(value);
  return Array.from(values.keys()).sort((a, b) => sign * order(values[a], values[b]) || a - b).map((i) => rows[i]);
}

/* The first ones of what sortRows() gives, if there are many more rows and the values are numbers; else null. */
function firstRows(rows, value, sign, most) {
  if (rows.length < 10 * most || typeof value(rows[0]) !== "number") return null;
  const values = Float64Array.from(rows, value), sorted = values.slice().sort();
  const last = sorted[sign > 0 ? most - 1 : sorted.length - most];
  if (Number.isNaN(last)) return null;
  const found = rows.filter((_, i) => sign * (last - values[i]) > 0), equal = [];
  for (let i = 0; i < rows.length && found.length + equal.length < most; i++) if (values[i] === last) equal.push(rows[i]);
  return sortRows(found, value, sign).concat(equal);
}

/*
 * A table whose heads sort it. columns: { key, head, number, cell(row): text or element, value(row): for CSV and order,
 * csv: its name there; raw(row): its text there, if that is not value(row) }. onsort(key, up): shows it in that order.
 * heads: the order in CSV.
 */
function makeTable(columns, label, onsort, heads) {
  const seen = columns.filter((c) => c.head); /* the others are only in CSV */
  const head = make("tr"), body = make("tbody"), more = make("p", { class: "more" });
  const table = make("table", null, make("thead", null, head), body);
  let rows = [], count = 0, shownRows = 0;
  let complete = null; /* complete(): all rows, while there are only the first ones */
  const completeRows = () => {
    if (complete) rows = complete();
    complete = null;
    return rows;
  };
  const addMore = () => {
    completeRows();
    addRows();
  };
  const addRows = () => {
    const last = Math.min(rows.length, shownRows + ROWS_AT_ONCE), part = document.createDocumentFragment();
    for (; shownRows < last; shownRows++) {
      const row = rows[shownRows];
      part.append(make("tr", null, ...seen.map((c) => make("td", { class: c.class || (c.number ? "n" : "text") }, c.cell(row)))));
    }
    body.append(part);
    more.replaceChildren(count > shownRows ? button("Show more rows (" + formatCount(count - shownRows) + " left)", addMore) : "");
  };
  const self = {
    element: make("div", null, make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table), more),
    /* order: [key, up]; usual: the one where there is none, or none of these columns; without that the rows stay as they are. */
    show(newRows, order, usual) {
      const [key, up] = [order, usual].find((one) => one && seen.some((c) => c.key === one[0])) || [];
      const sort = (newKey, newUp) => {
        onsort(newKey, newUp);
        head.children[seen.findIndex((c) => c.key === newKey)].firstChild.focus();
      };
      const column = columns.find((c) => c.key === key), sign = up ? 1 : -1;
      const all = () => sortRows(newRows, column.value, sign);
      const first = column && firstRows(newRows, column.value, sign, ROWS_AT_ONCE);
      count = newRows.length;
      rows = first || (column ? all() : newRows);
      complete = first ? all : null;
      head.replaceChildren(...seen.map((c) => make("th", {
        class: c.number ? "n" : null, scope: "col", "aria-sort": c.key === key ? (up ? "ascending" : "descending") : null,
      }, button(c.head + (c.key === key ? (up ? " \u2191" : " \u2193") : ""), () => sort(c.key, c.key === key ? !up : !c.number)))));
      body.replaceChildren();
      shownRows = 0;
      addRows();
    },
    csv() {
      const kept = heads ? heads.map((head) => columns.find((c) => c.csv === head)) : columns.filter((c) => c.csv);
      return csvText(kept.map((c) => c.csv), completeRows().map((row) => kept.map((c) => (c.raw || c.value)(row))));
    },
  };
  return self;
}

const BELOW = 90; /* pixels below a canvas, for two lines that say what is under the pointer, and buttons */
const ON_PAPER = 8000; /* pixels: the highest canvas that is printed whole, as browsers limit their size */

/* Whether the page is being printed. */
const onPaper = () => document.documentElement.classList.contains("paper");

/* --- canvases that are as high as the page lets them, and scroll in what may be much higher */

function makeCanvas(label, { height, draw, attributes }) {
  const canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": label, ...attributes });
  const spacer = make("div", { class: "spacer" }), box = make("div", { class: "canvas" }, canvas, spacer);
  let drawnTop = 0;
  const self = {
    element: box, canvas, width: 0, height: 0,
    get top() { return box.scrollTop; },
    set top(value) { box.scrollTop = value; },
    /* Makes it as high as what is drawn, as far as there is room. */
    size() {
      const whole = height();
      /* so much that what is said below it is seen, too, without scrolling the page, if there is room for that */
      const room = innerHeight - (box.getBoundingClientRect().top + scrollY) - BELOW;
      self.width = Math.max(100, box.clientWidth);
      self.height = Math.max(40, Math.min(whole, onPaper() ? ON_PAPER : Math.round(Math.max(room, innerHeight * 0.5))));
      box.style.height = self.height + "px";
      canvas.style.width = self.width + "px";
      canvas.style.height = self.height + "px";
      spacer.style.height = Math.max(0, whole - self.height) + "px";
    },
    draw() {
      const ratio = window.devicePixelRatio || 1;
      self.size();
      drawnTop = box.scrollTop;
      canvas.width = Math.round(self.width * ratio);
      canvas.height = Math.round(self.height * ratio);
      const context = canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.font = "12px monospace";
      context.textBaseline = "middle";
      draw(context, self);
    },
    /* the place of a pointer in what is scrolled */
    place(event) {
      const at = canvas.getBoundingClientRect();
      return { x: event.clientX - at.left, y: event.clientY - at.top + box.scrollTop };
    },
  };
  box.addEventListener("scroll", () => { if (box.scrollTop !== drawnTop) self.draw(); });
  return self;
}
