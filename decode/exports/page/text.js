/* Texts: names, times, globs, CSV. Nothing here touches the page. */
"use strict";

const LEFTWARD = /^(.*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])/su;

/*
 * Characters that turn the direction of the text behind them are shown as their bytes, as in the rest of the page. Behind letters
 * that are written to the left a mark keeps what follows, a number mostly, to the right of them.
 */
function shown(text) {
  if (!/[^\0-\x7f]/.test(text)) return text; /* most are */
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) =>
    Array.from(new TextEncoder().encode(c), (b) => "\\x" + b.toString(16)).join("")).replace(LEFTWARD, "$1\u200e");
}

const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

/* --- numbers */

/* ns as seconds, exactly: "1.5" */
function formatSeconds(ns) {
  const whole = Math.floor(ns / 1e9), rest = String(ns - whole * 1e9).padStart(9, "0").replace(/0+$/, "");
  return rest ? whole + "." + rest : String(whole);
}

/* "1.5" as ns; NaN: it is no such number. */
function parseSeconds(text) {
  const parts = /^\s*(\d+)?(?:\.(\d{1,9}))?\s*$/.exec(text);
  if (!parts || (parts[1] === undefined && parts[2] === undefined)) return NaN;
  return Number(parts[1] || 0) * 1e9 + Number((parts[2] || "").padEnd(9, "0"));
}

const formatSamples = (count) => formatCount(count) + (count === 1 ? " sample" : " samples");

/* For an axis: seconds with as many digits as a step needs. */
const formatTick = (ns, step) => (ns / 1e9).toFixed(Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step))))) + " s";

/* 1, 2 or 5 times a power of ten, at least so large. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least * (1 - 1e-9)) || 10 * power;
}

/* --- choosing names */

const CODED = /((?:\\x[0-9a-f]{2})+)/i; /* bytes, as tables spell those that are no characters to print */

/* Bytes as a text; those that are in no character are U+DC80 to U+DCFF, which are in no text else. */
function decodeBytes(bytes) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (part) => { try { return decoder.decode(part); } catch (e) { return null; } };
  let text = "";
  for (let at = 0, length; at < bytes.length; at += length) {
    const lead = bytes[at], found = decode(bytes.subarray(at, at + (length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)));
    const valid = found && !/[\x80-\x9f]/.test(found);
    text += valid ? found : String.fromCharCode(0xdc00 + lead);
    if (!valid) length = 1;
  }
  return text;
}

const decodeRun = (run) => decodeBytes(Uint8Array.from(run.match(/[0-9a-f]{2}/gi), (digits) => parseInt(digits, 16)));
/* What a name is that tables, and this page, spell so. */
const unspell = (text) => (text.includes("\\x") ? text.split(CODED).map((part, i) => (i % 2 ? decodeRun(part) : part)).join("") : text);

/* A class of characters as a regular expression: [[low, high], ...] */
function classSource(ranges, negated) {
  const escaped = (c) => "\\u{" + c.toString(16) + "}";
  return "[" + (negated ? "^" : "") + ranges.filter(([low, high]) => low <= high).map(([low, high]) => escaped(low) + "-" + escaped(high)).join("") + "]";
}

/*
 * The parts between the stars of a pattern, each as a regular expression: * ? [abc] [a-z] [!abc]. coded: \xNN is a byte. As
 * pattern.c reads it.
 */
function globParts(pattern, coded) {
  const parts = [""], put = (source) => { parts[parts.length - 1] += source; };
  /* characters: [code, whether it may have a meaning] */
  const all = (coded ? pattern.split(CODED) : [pattern]).flatMap((part, i) =>
    Array.from(i % 2 ? decodeRun(part) : part, (c) => [c.codePointAt(0), i % 2 === 0]));
  const is = (i, c) => i < all.length && all[i][1] && String.fromCodePoint(all[i][0]) === c;
  for (let i = 0, next; i < all.length; i = next) {
    next = i + 1;
    if (is(i, "*")) { parts.push(""); continue; }
    if (is(i, "?")) { put("[^]"); continue; }
    const ranges = [], negated = is(next, "!") || is(next, "^"), first = next + negated;
    let at = is(i, "[") ? first : all.length;
    while (at < all.length && (!is(at, "]") || at === first)) {
      const low = all[at++][0], ranged = is(at, "-") && at + 1 < all.length && !is(at + 1, "]");
      ranges.push([low, ranged ? all[at + 1][0] : low]);
      if (ranged) at += 2;
    }
    if (at < all.length) next = at + 1;
    put(at < all.length ? classSource(ranges, negated) : classSource([[all[i][0], all[i][0]]], false));
  }
  return parts;
}

/* Whether names have these parts in this order, the first one at their start and the last one at their end. */
function partsMatcher(parts) {
  const last = parts.length - 1;
  if (!last) {
    const whole = RegExp("^" + parts[0] + "$", "u");
    return (name) => whole.test(name);
  }
  const expressions = parts.map((part, i) => RegExp(part + (i === last ? "$" : ""), i ? "gu" : "yu"));
  return (name) => {
    let at = 0;
    return expressions.every((expression) => {
      expression.lastIndex = at;
      const found = expression.test(name);
      at = expression.lastIndex;
      return found;
    });
  };
}

/*
 * The patterns of a list, as pattern.c separates them: a comma inside of brackets does not, nor one inside of quotes around a
 * pattern, which only the page has. A bracket that nothing closes is text.
 */
function splitList(text) {
  const parts = [], quoted = /\s*!?"(?:[^"]|"")*"\s*(?:,|$)/y;
  const closing = (at) => {
    const close = ">)]}"["<([{".indexOf(text[at])];
    for (let i = at, depth = 0; i < text.length; i++) {
      if (text[i] === text[at]) depth++;
      else if (text[i] === close && --depth === 0) return i;
    }
    return at;
  };
  for (let start = 0, end; start < text.length; start = end + 1) {
    quoted.lastIndex = end = start;
    if (quoted.test(text)) end = quoted.lastIndex - (text[quoted.lastIndex - 1] === "," ? 1 : 0);
    else while (end < text.length && text[end] !== ",") end = ("<([{".includes(text[end]) ? closing(end) : end) + 1;
    parts.push(text.slice(start, end));
  }
  return parts.map((part) => part.trim()).filter((part) => part);
}

/* A pattern that only this name matches, whatever is in it. */
const exactly = (name) => '"' + name.replace(/"/g, '""') + '"';

/* names: as the page has them, which are as tables spell them */
function patternMatcher(pattern) {
  const quoted = /^"(?:[^"]|"")*"$/.test(pattern), text = quoted ? pattern.slice(1, -1).replace(/""/g, '"') : pattern;
  const spelled = unspell(text), is = (name) => name === spelled || name === text;
  if (quoted) return (name) => is(unspell(name));
  const globs = (spelled === text ? [false] : [false, true]).map((coded) => globParts(text, coded));
  if (!/[*?[]/.test(text)) globs.forEach((parts, i) => { globs[i] = ["", ...parts, ""]; });
  const matchers = globs.map(partsMatcher);
  return (name) => {
    const known = unspell(name);
    return is(known) || matchers.some((matches) => matches(known));
  };
}

/*
 * What a text chooses, as --function does: names, globs, "!" excludes. A pattern without a glob is looked for anywhere in
 * the name: "sort" is --function='*sort*', unless it is in quotes. { wanted, excluded }: functions of a name, null where there is no pattern.
 */
function nameMatchers(text) {
  const patterns = splitList(text);
  const any = (matchers) => (matchers.length ? (name) => matchers.some((m) => m(name)) : null);
  return {
    wanted: any(patterns.filter((p) => p[0] !== "!").map(patternMatcher)),
    excluded: any(patterns.filter((p) => p[0] === "!" && p.length > 1).map((p) => patternMatcher(p.slice(1)))),
  };
}

/* Which sampled functions a text chooses; null: all of them. */
function nameMatcher(text) {
  const { wanted, excluded } = nameMatchers(text);
  return wanted || excluded ? (name) => (!wanted || wanted(name)) && !(excluded && excluded(name)) : null;
}

/* What "find" looks for: a text in either case, or /a regular expression/. null: nothing, or a wrong one. */
function findMatcher(text) {
  const expression = /^\/(.+)\/$/.exec(text), lower = text.toLowerCase();
  if (!text) return null;
  if (!expression) return (name) => name.toLowerCase().includes(lower);
  try {
    const wanted = RegExp(expression[1], "iu");
    return (name) => wanted.test(name);
  } catch (e) { return null; }
}

/* --- CSV, as the tables are written */

/* The rows of a table, as objects by the names of its columns. */
function parseCsv(text) {
  const rows = [];
  let cells = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/g)) {
    cells.push(quoted === undefined ? plain : quoted.replace(/""/g, '"'));
    if (end !== "\n") continue;
    rows.push(cells);
    cells = [];
  }
  const heads = rows.shift();
  return rows.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i]])));
}

const csvCell = (value) => {
  const text = String(value);
  return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
};
const csvText = (heads, rows) => [heads].concat(rows).map((row) => row.map(csvCell).join(",") + "\n").join("");
