// The pure part of the page's script, run without a browser, against tables.
// usage: node model.js sums PAGE HASH FOLDER    sums under the choice of an address against results.csv and callers.csv
//        node model.js states PAGE FOLDER       how long threads were in each state against intervals.csv
//        node model.js names PAGE LIST          functions that texts choose against those of --function, of names.py
//        node model.js units                    functions of texts, addresses and trees, by hand
// Prints what is wrong.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const folder = path.join(__dirname, "../../decode/exports/page");
const script = ["../frames", "text", "data", "model", "processes", "states", "state", "parts", "tree"].map((name) => fs.readFileSync(path.join(folder, name + ".js"), "utf8")).join("\n");
const wanted = ["shown", "fit", "formatSeconds", "parseSeconds", "formatPeriod", "formatSamples", "formatTick", "roundStep", "nameMatcher", "findMatcher", "csvText",
  "readData", "readNumbers", "joinPlanes", "unrankNodes", "unlistTasks", "makeModel", "openRows", "openHottest", "sumPlaces", "sortRows", "firstRows", "findFunctions", "sumChosen", "sumFunctions", "neighbours", "callTree", "callerTree", "processTree", "layOut", "followPath", "pathOf",
  "STATES", "eachState", "timelineRows", "sumSlices", "hottest", "stateSlices", "exactly", "chosenNumbers", "parseState", "formatState", "parseTime", "formatTime"];
const page = vm.runInThisContext(script + "\n;({" + wanted.join(",") + "})");

function fail(text) {
  console.log(text);
  process.exit(1);
}

function equal(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected)) fail(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

function readCsv(file) {
  const cells = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/gy, rows = [];
  let row = [];
  for (const [, quoted, plain, end] of fs.readFileSync(file, "utf8").matchAll(cells)) {
    row.push(quoted === undefined ? plain : quoted.replace(/""/g, '"'));
    if (end === "\n") { rows.push(row); row = []; }
  }
  const head = rows.shift();
  return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

async function loadPage(file) {
  const text = fs.readFileSync(file, "utf8");
  return page.makeModel(await page.readData((id) => {
    const found = RegExp(`<script type="text/plain" id="${id}" data-packed="([^"]*)">([^<]*)<`).exec(text);
    return found && { text: found[2], packed: found[1] };
  }));
}

function sameMaps(found, expected, what) {
  for (const key of new Set([...found.keys(), ...expected.keys()]))
    equal(found.get(key), expected.get(key), what + " " + key);
}

async function checkSums(file, hash, tables) {
  const model = await loadPage(file), results = readCsv(path.join(tables, "results.csv"));
  for (const event of model.events) {
    const state = { ...page.parseState(model, hash), event: event.number };
    const sums = page.sumChosen(model, state), by = page.sumFunctions(model, sums);
    checkChanged(model, state, sums);
    checkMatched(model, state, sums);
    const key = (f) => [model.name(f), model.binary(f), model.file(f)].join("\t");
    const found = new Map(), expected = new Map();
    for (let f = 0; f < model.functionCount; f++)
      if (by.totalCount[f] && !model.isRemark[f])
        found.set(key(f), [by.self[f], by.selfCount[f], ...(model.about.chains ? [by.total[f], by.totalCount[f]] : [])]);
    for (const row of results)
      if (row.event === event.name && (row.samples !== "0" || row.total_samples !== "0"))
        expected.set([row.function, row.binary, row.source_file].join("\t"),
          [row.period, row.samples, ...(model.about.chains ? [row.total_period, row.total_samples] : [])].map(Number));
    sameMaps(found, expected, event.name);
    checkTrees(model, state, sums);
    if (model.about.chains) checkStacks(model, state, sums, by);
    const tree = readCsv(path.join(tables, "calltree.csv"));
    if (tree.length && tree[0].event === event.name) checkProcesses(model, state, sums, fs.readFileSync(path.join(tables, "folded.txt"), "utf8"));
    if (model.about.timed) checkTimeline(model, state);
    checkPlaces(model, state, readCsv(path.join(tables, "lines.csv")), readCsv(path.join(tables, "addresses.csv")));
    if (model.about.chains) checkOpened(model, sums, tree.filter((row) => row.event === event.name));
    if (model.about.chains) checkPairs(model, sums, event, readCsv(path.join(tables, "callers.csv")));
  }
}

function checkPairs(model, sums, event, rows) {
  const found = new Map(), expected = new Map();
  const name = (f) => (f < 0 ? "\t" : model.name(f) + "\t" + model.binary(f));
  const put = (map, key, period, samples) => map.set(key, [(map.get(key) || [0, 0])[0] + period, (map.get(key) || [0, 0])[1] + samples]);
  for (const row of rows)
    if (row.event === event.name)
      put(expected, [row.caller, row.caller_binary, row.callee, row.callee_binary].join("\t"), Number(row.period), Number(row.samples));
  if (!expected.size) return; // an event without call chains
  for (let f = 0; f < model.functionCount; f++) {
    const { callers, callees } = page.neighbours(model, sums, f);
    for (const pair of callers) put(found, name(pair.function) + "\t" + name(f), pair.period, pair.samples);
    for (const pair of callees) // the same pair, seen from the other side
      equal(page.neighbours(model, sums, pair.function).callers.find((p) => p.function === f).period, pair.period, "callee of " + name(f));
  }
  sameMaps(found, expected, "pairs of " + event.name);
}

// Sums that were changed from those of another stretch of time are those that are made anew.
function checkChanged(model, state, sums) {
  const { duration } = model, made = Object.keys(sums);
  let last = null, changed = 0;
  for (const [from, to] of [[0, 0.6], [0.1, 0.6], [0.1, 0.9], [0, 1], [0.2, 0.5], [0.6, 0.7], [0.15, 0.95]]) {
    const choice = { ...state, from: Math.round(from * duration), to: to === 1 ? null : Math.round(to * duration) };
    const before = last && last.own;
    last = page.sumChosen(model, choice, last);
    changed += before === last.own ? 1 : 0;
    equal(made.map((key) => [key, last[key]]), made.map((key) => [key, page.sumChosen(model, choice)[key]]), `changed to ${from}-${to}`);
  }
  if (model.about.timed && !changed) fail("sums were never changed");
}

// Each row of the timeline has what is chosen when its process, thread or CPU is, and so has each of its slices.
function checkTimeline(model, state) {
  const { duration } = model, from = state.from === null ? 0 : state.from, to = state.to === null ? duration : Math.min(state.to, duration);
  const all = { pids: null, tids: null, cpus: null };
  for (const what of ["threads", "cpus"]) {
    const { rows, rowsOf } = page.timelineRows(model, state, what, null), width = 7;
    const slices = page.sumSlices(model, { ...state, ...all }, { rowsOf, first: 0, count: rows.length, from, to, width });
    rows.forEach((row, r) => {
      const chosen = { ...state, ...all, from, to, ...(what === "cpus" ? { cpus: [row.cpu] } : row.tid !== undefined ? { pids: [row.pid], tids: [row.tid] } : { pids: [row.pid] }) };
      const sums = page.sumChosen(model, chosen), by = page.sumFunctions(model, sums);
      equal(slices.slice(r * width, (r + 1) * width).reduce((a, b) => a + b), sums.period, "row " + row.label);
      const hot = page.hottest(model, { ...state, ...all, from, to }, rowsOf, r);
      equal([hot.all, hot.period], [sums.period, by.self.reduce((a, b) => Math.max(a, b), 0)], "the hottest of " + row.label);
    });
  }
}

// Samples in whose stack a function is are its total, as in results.csv; without it the rest is left.
function checkStacks(model, state, sums, by) {
  const names = Array.from({ length: model.functionCount }, (_, f) => model.name(f));
  let checked = 0;
  for (let f = 0; f < model.functionCount; f++) {
    const name = names[f], what = (text) => { const { period, count } = page.sumChosen(model, { ...state, stack: text }); return [period, count]; };
    if (/[*?[,]/.test(name) || names.filter((other) => other.includes(name)).length > 1) continue;
    equal(what(name), [by.total[f], by.totalCount[f]], "stacks with " + name);
    equal(what("!" + name), [sums.period - by.total[f], sums.count - by.totalCount[f]], "stacks without " + name);
    checked++;
  }
  if (model.functionCount > 3 && !checked) fail("no function was chosen");
}

// Lines and addresses of each function.
function checkPlaces(model, state, lines, addresses) {
  const event = model.allEvents[state.event].name;
  for (const [list, table, head] of [["lines", lines, "line"], ["addresses", addresses, "address"]]) {
    const found = new Map(), expected = new Map();
    const put = (map, key, period, samples) => map.set(key, [(map.get(key) || [0, 0])[0] + period, (map.get(key) || [0, 0])[1] + samples]);
    for (let f = 0; f < model.functionCount; f++)
      for (const row of page.sumPlaces(model, state, f)[list])
        put(found, [model.name(f), model.binary(f), row.file, row[head] || ""].join("\t"), row.period, row.samples);
    for (const row of table)
      if (row.event === event) put(expected, [row.function, row.binary, row.source_file, row[head]].join("\t"), Number(row.period), Number(row.samples));
    sameMaps(found, expected, list);
  }
}

// The call tree with all rows open is calltree.csv.
function checkOpened(model, sums, table) {
  if (!table.length) return; // an event without call chains
  const list = (rows, cells) => {
    const found = new Map(), path = [];
    for (const row of rows) {
      const [depth, name, ...numbers] = cells(row);
      path.length = depth;
      path.push(name);
      found.set(path.join(), numbers);
    }
    return found;
  };
  const tree = page.callTree(model, sums, "new"), { rows, more } = page.openRows(tree, { has: () => true }, Infinity);
  if (more) fail("not all rows are open");
  sameMaps(list(rows, (frame) => [frame.depth - 1, model.name(Math.floor(frame.label / 8)) + " " + model.binary(Math.floor(frame.label / 8)), sums.own[frame.node], frame.period, frame.samples]),
    list(table, (row) => [Number(row.depth), row.function + " " + row.binary, Number(row.period), Number(row.total_period), Number(row.total_samples)]), "call tree");
  for (let i = 1; i < rows.length; i++)
    if (rows[i].parent === rows[i - 1].parent && rows[i].period > rows[i - 1].period) fail("siblings are in no order");
  const opened = new Set(), last = page.openHottest(tree, opened, tree.root), seen = page.openRows(tree, opened, Infinity).rows;
  if (last !== tree.root && !seen.includes(last)) fail("what costs most is not seen");
  const first = page.openRows(tree, new Set(), 1);
  equal([first.rows.map((frame) => frame.period), first.more], [[Math.max(...tree.children(tree.root).map((frame) => frame.period))],
    tree.children(tree.root).length > 1], "the first row");
}

// The call trees of processes are folded.txt, which has other words for what has no name and for kinds.
function checkProcesses(model, state, sums, folded) {
  const found = new Map(), expected = new Map(), put = (map, key, period) => map.set(key, (map.get(key) || 0) + period);
  const tree = page.processTree(model, sums, state);
  const name = (frame) => {
    const f = Math.floor(frame.label / 8), binary = frame.label < 0 ? "" : model.binary(f);
    if (frame.label < 0) return model.texts[-2 - frame.label].replace(/\s/g, "_").replace(/["']/g, "").replace(/;/g, ":");
    if (model.name(f) === "[unknown]" && binary) return binary[0] === "[" ? binary : "[" + path.basename(binary) + "]";
    return model.name(f).replace(/["']/g, "").replace(/;/g, ":") + ({ 2: "_[k]", 3: "_[j]", 4: "_[i]" }[frame.label % 8] || "");
  };
  const stack = (frame) => (frame.depth > 1 ? stack(frame.parent) + ";" : "") + name(frame);
  for (const frame of page.openRows(tree, { has: () => true }, Infinity).rows)
    if (frame.self) put(found, stack(frame), frame.self);
  for (const line of folded.split("\n").slice(0, -1)) put(expected, line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1)));
  if (expected.size) sameMaps(found, expected, "folded");
}

// How much of a frame lies in functions that match, by going through all that is below it.
function checkMatched(model, state, sums) {
  for (const make of [page.callTree, page.callerTree, page.processTree])
    for (const text of ["s", "in", "/^[a-m]/"]) {
      const tree = make(model, sums, make === page.processTree ? state : undefined), matches = page.findFunctions(model, text);
      const sum = (frame) => (frame.label >= 0 && matches[Math.floor(frame.label / 8)] ? frame.period
        : tree.children(frame).reduce((all, child) => all + sum(child), 0));
      for (const frame of [tree.root, ...tree.children(tree.root), ...tree.children(tree.root).flatMap(tree.children)])
        equal(tree.matched(frame, matches), sum(frame), "matched " + text);
    }
}

// Every level of either tree has no more than the one outside of it, and boxes lie inside of those below them.
function checkTrees(model, state, sums) {
  for (const make of [page.callTree, page.callerTree, page.processTree]) {
    const tree = make(model, sums, make === page.processTree ? state : undefined), boxes = page.layOut(tree, tree.root, 1000, 0);
    const at = new Map(boxes.map((box) => [box.frame, box]));
    const below = new Map();
    for (const box of boxes) {
      const outer = at.get(box.frame.parent);
      if (!outer) continue;
      below.set(outer.frame, (below.get(outer.frame) || 0) + box.frame.period);
      if (box.x < outer.x - 1e-6 || box.x + box.width > outer.x + outer.width + 1e-6) fail("a frame is outside of its caller");
    }
    for (const [frame, period] of below) if (period > frame.period) fail("frames have more than their caller");
    const last = boxes[boxes.length - 1].frame;
    equal(page.pathOf(page.followPath(tree, page.pathOf(last))), page.pathOf(last), "path");
    const top = tree.children(tree.root).reduce((sum, frame) => sum + frame.samples, 0);
    equal(top, sums.count, "samples of the outermost frames");
  }
}

/* A thread that is off its CPU sleeps, or the like, until a wait begins that ends with it. */
async function checkStates(file, tables) {
  const model = await loadPage(file), found = new Map(), expected = new Map(), rows = readCsv(path.join(tables, "intervals.csv"));
  const add = (map, key, ns) => map.set(key, (map.get(key) || 0) + ns);
  const words = { sleeping: 2, blocked: 3, stopped: 4, preempted: 1 };
  const waits = new Map(rows.filter((row) => row.event === "wait" && row.duration).map((row) => [row.tid + " " + (BigInt(row.time) + BigInt(row.duration)), row]));
  for (const row of rows) {
    if (!row.duration || !["on-cpu", "off-cpu", "wait"].includes(row.event)) continue;
    const wait = row.event === "off-cpu" && waits.get(row.tid + " " + (BigInt(row.time) + BigInt(row.duration)));
    const state = row.event === "on-cpu" ? 0 : row.event === "wait" ? 1 : words[row.what] || 5;
    add(expected, row.tid + " " + page.STATES[state], Number(wait ? BigInt(wait.time) - BigInt(row.time) : BigInt(row.duration)));
  }
  const state = page.parseState(model, ""), made = page.timelineRows(model, state, "threads", model.states);
  page.eachState(model, made.rowsOf, -Infinity, Infinity, (r, i) => {
    const { rows: at, end, state: states } = model.states;
    if (made.rows[r].tid !== undefined) add(found, made.rows[r].tid + " " + page.STATES[states[i]], end[i] - model.time[at[i]]);
  });
  if (model.about.unit !== 1 || !expected.size) fail("nothing to compare");
  sameMaps(new Map([...found].filter(([, ns]) => ns)), new Map([...expected].filter(([, ns]) => ns)), "state");
  const slices = page.stateSlices(model, made.rowsOf, { first: 0, count: made.rows.length, from: 0, to: model.duration, width: 50 });
  if (!slices.some((s) => s) || slices.some((s) => s > page.STATES.length)) fail("slices: " + slices);
}

async function checkNames(file, list) {
  const model = await loadPage(file), lines = fs.readFileSync(list, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  if (lines.length < 300 || lines.filter(([, functions]) => functions.length).length < 100) fail("few patterns");
  for (const [text, functions] of lines) {
    const state = page.parseState(model, page.formatState(model, { ...page.parseState(model, ""), text }));
    const by = page.sumFunctions(model, page.sumChosen(model, state)), found = [];
    for (let f = 0; f < model.functionCount; f++) if (by.selfCount[f]) found.push(model.name(f));
    equal(found.sort(), functions.sort(), "functions of " + text);
  }
}

function checkUnits() {
  equal(["caf\u00e9 1", "\u05e9\u05dc\u05d5\u05dd \u05e2 1", "\u{1e900}_b", "\ufeffbom"].map(page.shown),
    ["caf\u00e9 1", "\u05e9\u05dc\u05d5\u05dd \u05e2\u200e 1", "\u{1e900}\u200e_b", "\ufeffbom"], "letters that are written to the left");
  equal(page.shown("a\u202eb\u2069"), "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa9", "direction");
  equal(page.fit("std::vector<int, std::allocator<int> >::push_back", 40), "std::vector<...>::push_back", "arguments");
  equal(page.fit("std::vector<int, std::allocator<int> >::push_back", 12), "push_back", "scope");
  equal(page.fit("operator new(unsigned long)", 10), "operator..", "end");
  equal(page.fit("\u6f22\u6f22\u6f22", 5), "\u6f22..", "wide");
  equal(page.fit("abcdef", 2), "", "nothing fits");
  equal(["0", "1.5", ".25", "2.", "", "x", "1.0000000001"].map(page.parseSeconds).map(String),
    ["0", "1500000000", "250000000", "NaN", "NaN", "NaN", "NaN"], "seconds");
  equal([0, 1500000000, 1, 12000000123].map(page.formatSeconds), ["0", "1.5", "0.000000001", "12.000000123"], "seconds");
  equal(page.parseTime("1.5-2", 1000), [1500000, 2000000], "time");
  equal(page.parseTime("-2", 1000), [null, 2000000], "time");
  equal(page.parseTime("nonsense", 1000), [null, null], "time");
  equal(page.formatTime(1500000, null, 1000), "1.5-", "time");
  equal([0.3, 1, 1.2, 4, 600, 0.05].map(page.roundStep), [0.5, 1, 2, 5, 1000, 0.05], "steps");
  equal([1, 0, 1200].map(page.formatSamples), ["1 sample", "0 samples", "1,200 samples"], "samples");
  equal([page.formatPeriod(1500, true), page.formatPeriod(2e9, true), page.formatPeriod(12345, false)], ["1.500 us", "2.000 s", "12,345"], "periods");
  const chosen = (pattern, ...names) => names.filter(page.nameMatcher(pattern));
  equal(chosen("sort", "qsort", "sorted", "other"), ["qsort", "sorted"], "part of a name");
  equal(chosen("q*t", "qsort", "xqsort"), ["qsort"], "glob");
  equal(chosen("q?o[rs]t", "qsort", "qsoot", "qsost"), ["qsort", "qsost"], "glob");
  equal(chosen("[kernel]", "[kernel]", "k"), ["[kernel]", "k"], "itself, or one of the characters");
  equal(chosen("!sort,!x*", "qsort", "xa", "b"), ["b"], "excluded");
  equal(chosen("a<b, c>", "a<b, c>", "a<b"), ["a<b, c>"], "a comma inside of brackets");
  equal(page.nameMatcher(" "), null, "everything");
  for (const name of ["sort", "operator*", "f<a, b>", "operator<", "a,!b", 'operator"" _s', '"', "[unknown]", "!x"]) {
    equal(chosen(page.exactly(name), name, "q" + name, name + "_", "other"), [name], "exactly");
    equal(chosen("!" + page.exactly(name) + ",!other", name, "q" + name, "other"), ["q" + name], "not exactly");
  }
  const numbers = (text) => page.chosenNumbers(text, [4, 1, 2, 3], (i) => ["main", "io-1", "io-2", "gc"][i]);
  equal(["", "4", "9", "1-2", "io*", "io-2, 4", "gc,1-2", "-1"].map(numbers), [null, [4], [9], [1, 2], [1, 2], [2, 4], [3, 1, 2], [-1]], "numbers");
  equal(["x", "4,x", "7-9", "1-"].map(numbers), [undefined, undefined, undefined, undefined], "no numbers");
  equal(page.chosenNumbers("io", [1], null), undefined, "CPUs have no names");
  equal([page.findMatcher("SORT")("qsort"), page.findMatcher("/^q.*t$/")("qsort"), page.findMatcher("/(/")], [true, true, null], "find");
  equal(page.csvText(["a", "b"], [['x"y', "1,2"], [3, ""]]), 'a,b\n"x""y","1,2"\n3,\n', "CSV");
  equal(Array.from(page.readNumbers(Uint8Array.of(0, 127, 0x80, 1, 0xff, 0xff, 3), Float64Array)), [0, 127, 128, 65535], "numbers");
  const bytes = (...list) => Uint8Array.from(list), joined = (...how) => Array.from(page.joinPlanes(...how));
  equal(joined([bytes(1, 255)], Uint32Array), [1, 255], "one plane");
  equal(joined([bytes(1, 2), bytes(0, 1)], Uint32Array), [1, 258], "two planes");
  equal(joined([bytes(0, 2), bytes(0, 1), bytes(255, 0), bytes(255, 0)], Uint32Array), [0xffff0000, 258], "four planes");
  equal(joined([bytes(1), bytes(0), bytes(0), bytes(0), bytes(0), bytes(2)], Float64Array), [2 * 2 ** 40 + 1], "six planes");
  equal(joined([bytes(2, 1, 6), bytes(0, 0, 1)], Float64Array, { signed: true, sums: true }), [1, 0, 131], "signed sums");
  const nodes = Uint32Array.of(0, 1, 2, 3, 0, 0, 1);
  page.unrankNodes(nodes, Uint32Array.of(1, 0, 3, 2, 1));
  equal(Array.from(nodes), [2, 3, 0, 4, 2, 2, 3], "nodes by rows");
  const tasks = Uint32Array.of(16 + 5, 0, 16 + 7, 1, 1, 0, 16 + 300, 2);
  page.unlistTasks(tasks);
  equal(Array.from(tasks), [5, 5, 7, 5, 7, 7, 300, 5], "recent tasks");
  const model = { about: { sliced: true, untimed: 0 }, sorted: true, rows: 2, time: [0, 2], task: [0, 0], node: [0, 0], weight: [12, 9],
    data: { tasks: { event: [0], thread: [0], cpu: [0] }, threads: { pid: [1], tid: [1] } } };
  let cut = false;
  const slices = (from, to, width) => Array.from(page.sumSlices(model, { event: 0, from: null, to: null, pids: null, tids: null, cpus: null },
    { rowsOf: [0, -1], first: 0, count: 1, from, to, width, cut }));
  equal([slices(0, 3, 9), slices(0, 3, 3), slices(2, 3, 2), slices(0, 3, 4)], [[4, 4, 4, 0, 0, 0, 3, 3, 3], [12, 0, 9], [4.5, 4.5], [12, 0, 4.5, 4.5]], "slices of time");
  model.about.sliced = false;
  equal(slices(0, 3, 9), [12, 0, 0, 0, 0, 0, 9, 0, 0], "single samples");
  Object.assign(model, { allEvents: [{ clock: true }], time: [3, 5], weight: [2000, 1001] }); /* stand for 1 to 3 and, all but a part, 4 to 5 */
  model.about.unit = 1000;
  equal([slices(0, 6, 6), slices(0, 6, 3), slices(2, 6, 2), slices(4, 6, 4)],
    [[0, 1000, 1000, 1, 1000, 0], [1000, 1001, 1000], [2001, 1000], [501, 500, 0, 0]], "samples of a clock");
  model.allEvents[0] = { clock: true, period: 4000, samples: 2 };
  equal([slices(0, 6, 6), slices(2, 6, 2), slices(2, 4, 2), slices(0, 3, 3), slices(4, 6, 4), slices(4.5, 4.75, 1)].map((cut, n) => n && cut), [0, [2001, 1000], [2000, 0], [0, 0, 0], [501, 500, 0, 0], [0]], "not cut");
  cut = true;
  equal([slices(0, 6, 6), slices(2, 6, 2), slices(2, 4, 2), slices(0, 3, 3), slices(4, 6, 4), slices(4.5, 4.75, 1)],
    [[0, 1000, 1000, 1, 1000, 0], [1001, 1000], [1000, 1], [0, 1000, 1000], [500, 500, 0, 0], [250]], "cut");
  model.allEvents[0].interval = true;
  equal(slices(0, 6, 6), [0, 0, 0, 2000, 0, 1001], "intervals");
  const rows = Array.from({ length: 3000 }, (_, i) => ({ i, value: (i * 7919) % 40 }));
  for (const sign of [1, -1])
    equal(page.firstRows(rows, (row) => row.value, sign, 100), page.sortRows(rows, (row) => row.value, sign).slice(0, 100), "first rows");
  equal(page.firstRows(rows.slice(0, 900), (row) => row.value, 1, 100), null, "few rows");
  equal(Array.from(page.readNumbers(Uint8Array.of(2, 1, 6), Int32Array, { signed: true, sums: true })), [1, 0, 3], "signed sums");
}

const [what, ...rest] = process.argv.slice(2);
(what === "units" ? Promise.resolve().then(checkUnits) : ({ states: checkStates, names: checkNames, sums: checkSums })[what](...rest)).catch((e) => fail(e.stack.split("\n").slice(0, 2).join(" ")));
