/* What is shown, as the address has it: #view=flame&event=cycles&time=1.5-2&tid=12,13. Nothing here touches the page. */
"use strict";

const VIEWS = ["summary", "changes", "timeline", "flame", "tree", "functions", "callers", "lines"];
const RECORDED_VIEWS = ["summary", "timeline", "flame", "tree", "functions", "callers", "lines"];
const COMPARED_VIEWS = ["summary", "changes", "flame", "tree", "functions", "callers"];
const START = {
  event: 0, from: null, to: null, pids: null, tids: null, cpus: null, text: "", stack: "", find: "",
  function: -1, sort: "self", up: false, orders: {}, inverted: false, processes: false, icicle: false, path: [], rows: "threads", window: null, side: "new", paint: "states",
};

/* Tables with an order of their own: sort-callers=samples, or samples.up; by table [key of its column, up]. */
const ORDERED = ["callers", "callees", "lines", "addresses"];

function parseOrders(given) {
  const orders = {};
  for (const table of ORDERED) {
    const text = given["sort-" + table];
    if (text) orders[table] = [text.replace(/\.up$/, ""), text.endsWith(".up")];
  }
  return orders;
}

const parseNumbers = (text) => {
  const numbers = (text || "").split(",").filter((n) => /^\s*-?\d+\s*$/.test(n)).map(Number);
  return numbers.length ? numbers : null;
};

/*
 * What a field of numbers means: "12", "2-5": those of `known` between, "name, glob*": those whose name matches.
 * null: all; undefined: it is nothing of that.
 */
function chosenNumbers(text, known, names) {
  const found = new Set(), parts = splitList(text);
  for (const part of parts) {
    const range = /^(\d+)-(\d+)$/.exec(part), matches = names && patternMatcher(part);
    const wanted = /^-?\d+$/.test(part) ? [Number(part)]
      : known.filter((n, i) => (range ? n >= Number(range[1]) && n <= Number(range[2]) : matches && matches(names(i))));
    if (!wanted.length) return undefined;
    wanted.forEach((n) => found.add(n));
  }
  return parts.length ? [...found] : null;
}

/* "1.5-2" as units; a missing side is null. */
function parseTime(text, unit) {
  const parts = /^([\d.]*)-([\d.]*)$/.exec((text || "").trim());
  const side = (seconds, round) => {
    const ns = parseSeconds(seconds);
    return Number.isNaN(ns) ? null : round(ns / unit);
  };
  if (!parts) return [null, null];
  return [side(parts[1], Math.floor), side(parts[2], Math.ceil)];
}

const formatTime = (from, to, unit) =>
  (from === null ? "" : formatSeconds(from * unit)) + "-" + (to === null ? "" : formatSeconds(to * unit));

/* The function with that name, and with that binary and file, if there is one; -1: there is none of the name. */
function findFunction(model, name, binary, file) {
  let found = -1, most = -1;
  for (let f = 0; f < model.functionCount && name !== undefined; f++) {
    if (model.name(f) !== name) continue;
    const alike = (binary === model.binary(f) ? 2 : 0) + (file === model.file(f) ? 1 : 0);
    if (alike > most) [found, most] = [f, alike];
  }
  return found;
}

/* Events may have one name: then with the number. */
const eventKey = (model, event) =>
  model.events.filter((other) => other.name === event.name).length > 1 ? event.name + "~" + event.number : event.name;

function parseState(model, hash) {
  const given = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    try { if (at > 0) given[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch (e) { /* a wrong address */ }
  }
  const event = model.events.find((e) => eventKey(model, e) === given.event) || model.events[0];
  const [from, to] = parseTime(given.time, model.about.unit), [left, right] = parseTime(given.window, model.about.unit);
  return {
    view: model.views.includes(given.view) ? given.view : !model.rows ? "summary" : model.compared ? "changes" : "flame",
    event: event ? event.number : 0, from, to,
    pids: parseNumbers(given.pid), tids: parseNumbers(given.tid), cpus: parseNumbers(given.cpu),
    text: given.text || "", stack: given.stack || "", find: given.find || "",
    function: findFunction(model, given.function, given.binary, given.file),
    sort: given.sort || START.sort, up: given.up === "1", orders: parseOrders(given), inverted: given.inverted === "1", processes: given.processes === "1" && !model.compared, icicle: given.icicle === "1",
    path: parseNumbers(given.path) || [],
    paint: given.paint === "samples" ? "samples" : "states",
    side: given.side === "base" && model.compared ? "base" : "new",
    rows: given.rows === "cpus" ? "cpus" : "threads",
    window: left !== null && right !== null && left < right ? [left, right] : null,
  };
}

function formatState(model, state) {
  const parts = [], unit = model.about.unit;
  const put = (key, value) => parts.push(key + "=" + encodeURIComponent(value));
  put("view", state.view);
  if (model.events.length && state.event !== model.events[0].number)
    put("event", eventKey(model, model.events.find((e) => e.number === state.event)));
  if (state.from !== null || state.to !== null) put("time", formatTime(state.from, state.to, unit));
  for (const [key, list] of [["pid", state.pids], ["tid", state.tids], ["cpu", state.cpus]]) if (list) put(key, list.join(","));
  if (state.text) put("text", state.text);
  if (state.stack) put("stack", state.stack);
  if (state.find) put("find", state.find);
  if (state.function >= 0) {
    put("function", model.name(state.function));
    put("binary", model.binary(state.function));
    if (model.isNamesake[state.function]) put("file", model.file(state.function));
  }
  if (state.sort !== START.sort) put("sort", state.sort);
  if (state.up) put("up", 1);
  for (const table of ORDERED) if (state.orders[table]) put("sort-" + table, state.orders[table][0] + (state.orders[table][1] ? ".up" : ""));
  if (state.inverted) put("inverted", 1);
  if (state.processes) put("processes", 1);
  if (state.icicle) put("icicle", 1);
  if (state.path.length) put("path", state.path.join(","));
  if (state.rows !== START.rows) put("rows", state.rows);
  if (state.paint !== START.paint) put("paint", state.paint);
  if (state.side !== START.side) put("side", state.side);
  if (state.window) put("window", formatTime(state.window[0], state.window[1], unit));
  return "#" + parts.join("&");
}

/* Whether two states choose the same samples. */
const CHOICE = ["event", "from", "to", "pids", "tids", "cpus", "text", "stack"];
const choiceKey = (state) => JSON.stringify(CHOICE.map((key) => state[key]));
