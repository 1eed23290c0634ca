/* Texts: names, times, globs, CSV. Nothing here touches the page. */
"use strict";

/* Characters that turn the direction of the text behind them are shown as their bytes, as in the rest of the page. */
function shown(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) =>
    Array.from(new TextEncoder().encode(c), (b) => "\\x" + b.toString(16)).join(""));
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

/* For an axis: seconds with as many digits as a step needs. */
const formatTick = (ns, step) => (ns / 1e9).toFixed(Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step))))) + " s";

/* 1, 2 or 5 times a power of ten, at least so large. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least * (1 - 1e-9)) || 10 * power;
}

/* --- choosing names */

/* A pattern of --function: * ? [abc] [!abc]; over the whole name. */
function globToRegExp(glob) {
  let source = "";
  for (let i = 0; i < glob.length; i++) {
    const end = glob[i] === "[" ? glob.indexOf("]", i + (/^\[!?\]/.test(glob.slice(i)) ? glob[i + 1] === "!" ? 3 : 2 : 1)) : -1;
    if (end > 0) {
      source += "[" + glob.slice(i + 1, end).replace(/^!/, "^").replace(/[\\[\]]/g, "\\$&") + "]";
      i = end;
    } else if (glob[i] === "*") source += "[^]*";
    else if (glob[i] === "?") source += "[^]";
    else source += glob[i].replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  }
  return RegExp("^" + source + "$", "u");
}

/* The patterns of a list; a comma inside of brackets, or of quotes around a pattern, does not separate. */
function splitList(text) {
  const parts = [""];
  let depth = 0, quoted = false;
  for (const c of text) {
    const last = parts[parts.length - 1].trim();
    if (c === '"' && (quoted || last === "" || last === "!" || /^!?"/.test(last))) quoted = !quoted;
    if (quoted) {
      parts[parts.length - 1] += c;
      continue;
    }
    if ("<([{".includes(c)) depth++;
    else if (">)]}".includes(c)) depth--;
    if (c === "," && depth <= 0) parts.push("");
    else parts[parts.length - 1] += c;
  }
  return parts.map((part) => part.trim()).filter((part) => part);
}

/* A pattern that only this name matches, whatever is in it. */
const exactly = (name) => '"' + name.replace(/"/g, '""') + '"';

function patternMatcher(pattern) {
  if (/^"(?:[^"]|"")*"$/.test(pattern)) {
    const whole = pattern.slice(1, -1).replace(/""/g, '"');
    return (name) => name === whole;
  }
  if (!/[*?[]/.test(pattern)) return (name) => name.includes(pattern);
  let glob;
  try { glob = globToRegExp(pattern); } catch (e) { return (name) => name === pattern; }
  return (name) => name === pattern || glob.test(name);
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
