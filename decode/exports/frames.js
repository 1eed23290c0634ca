/*
 * What the flame graphs of flame.svg and of the page have in common: how frames are coloured, named and measured. Nothing
 * here touches a document.
 */
"use strict";

const ROW = 18, CHAR = 7.25, NARROWEST = 0.5; /* pixels: a row, a character, a frame that is drawn */
const KIND_WORDS = ["C and others", "C++", "kernel", "JIT", "inlined", "no name", "not running", "stack not whole"];
/* hue, its width, saturation */
const KIND_COLOURS = [[18, 22, 88], [42, 14, 86], [205, 20, 70], [125, 30, 50], [172, 16, 55], [0, 0, 0], [265, 12, 50], [0, 0, 0]];

function frameColour(name, kind) {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) % 997;
  const [hue, width, saturation] = KIND_COLOURS[kind], part = hash / 997;
  return `hsl(${hue + width * part},${saturation}%,${64 + 12 * part}%)`;
}

/* Red for what grew, blue for what shrank, paler if by less; flame.c does the same. delta: now - before. */
function changeColour(now, delta) {
  const part = Math.max(-1, Math.min(1, delta / (now || 1))), other = Math.floor(225 - 140 * Math.abs(part));
  return !part ? "#ddd" : part > 0 ? `rgb(255,${other},${other})` : `rgb(${other},${other},255)`;
}

/* Columns of a text: two for a character from U+1000 on. */
const columns = (text) => text.replace(/[\u{1000}-\u{10ffff}]/gu, "ww").length;

/* A name in so many columns: it loses template arguments, then namespaces, then its end. */
function fit(name, most) {
  for (let before; columns(name) > most && before !== name;) {
    before = name;
    name = name.replace(/(\w)<[^<>]*>/g, "$1\v");
  }
  name = name.replace(/\v/g, "<...>");
  for (let scope; columns(name) > most && (scope = /^(\(an[^)]*\)|[^(])*?::/.exec(name));) name = name.slice(scope[0].length);
  if (columns(name) <= most) return name;
  if (most < 3) return "";
  for (name = name.slice(0, most - 2); columns(name) > most - 2;) name = name.replace(/[^]$/u, "");
  return name + "..";
}

const isExact = (value) => value <= Number.MAX_SAFE_INTEGER;
const formatCount = (value) => (isExact(value) ? "" : "\u2248") + value.toLocaleString("en");

/* clock: the period is in ns. */
function formatPeriod(value, clock) {
  if (!clock) return formatCount(value);
  if (value >= 1e9) return (value / 1e9).toFixed(3) + " s";
  if (value >= 1e6) return (value / 1e6).toFixed(3) + " ms";
  return value >= 1e3 ? (value / 1e3).toFixed(3) + " us" : value + " ns";
}

const percent = (part, whole) => (whole ? (100 * part) / whole : 0);
const formatShare = (part, whole) => percent(part, whole).toFixed(2) + " %";
