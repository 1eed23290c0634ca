/*
 * What the views show of the data: which samples are chosen, and their sums. Nothing here touches the page.
 *
 * A choice is { event, from, to, pids, tids, cpus, text, stack }: from and to in units of about.unit, from is in, to is out,
 * null: open. The lists are null, or numbers; all of them must hold, as --pid, --tid and --cpu do.
 */
"use strict";

function makeModel(data) {
  const { nodes, functions, texts, samples, tasks, threads } = data;
  const count = nodes.depth.length, rows = samples.node.length;
  const parent = new Int32Array(count), end = new Uint32Array(count), label = nodes.function;
  const functionOf = new Uint32Array(count), outermost = new Uint8Array(count);
  const open = [], opened = new Uint32Array(functions.name.length);
  const close = (depth, at) => {
    while (open.length > depth) {
      const node = open.pop();
      end[node] = at;
      opened[functionOf[node]]--;
    }
  };
  for (let i = 0; i < count; i++) {
    close(nodes.depth[i], i);
    functionOf[i] = Math.floor(label[i] / KINDS);
    parent[i] = open.length ? open[open.length - 1] : -1;
    outermost[i] = opened[functionOf[i]]++ ? 0 : 1;
    open.push(i);
  }
  close(0, count);
  /* of all samples, so that "untimed" ones are never in a stretch of time */
  const time = new Float64Array(rows);
  time.fill(NaN, 0, data.about.untimed);
  time.set(samples.time, data.about.untimed);
  let sorted = true; /* if not, a damaged recording has times that run backwards */
  for (let i = data.about.untimed + 1; i < rows; i++) if (time[i] < time[i - 1]) sorted = false;
  const used = new Set(tasks.event), compared = samples.base !== null;
  const events = data.about.events.map((event, number) => ({ ...event, number }));
  if (compared) sumEvents(events, tasks, samples);
  return {
    about: data.about, compared, diff: compared ? parseCsv(data.diff) : [], base: samples.base, texts, data, count, rows, parent, end, label, functionOf, outermost, time, sorted,
    task: samples.task, node: samples.node, weight: samples.weight, samples: samples.count, place: samples.place, code: data.code.step !== null,
    functionCount: functions.name.length,
    name: (f) => texts[functions.name[f]], binary: (f) => texts[functions.binary[f]], file: (f) => texts[functions.file[f]],
    isNamesake: namesakes(functions), isRemark: remarks(label, functionOf, functions.name.length),
    /* events that have samples here, and their numbers */
    allEvents: events, events: events.filter((event) => used.has(event.number)),
    views: VIEWS.filter((view) => (compared ? COMPARED_VIEWS : RECORDED_VIEWS).includes(view)),
    states: findStates(events, data, time), whatOf: (row) => (samples.what && samples.what[row] ? texts[data.whats[samples.what[row] - 1]] : ""),
    processName: (t) => texts[threads.comm[t]], threadName: (t) => texts[threads.name[t]],
    /* the end of the time, in units */
    duration: Math.floor(data.about.duration / data.about.unit) + 1,
  };
}

/* Of a comparison: what each event costs, on both sides. */
function sumEvents(events, tasks, samples) {
  for (const event of events) event.period = event.base = event.samples = 0;
  for (let i = 0; i < samples.node.length; i++) {
    const event = events[tasks.event[samples.task[i]]];
    event.period += samples.weight[i];
    event.base += samples.base[i];
    event.samples += samples.count[i];
  }
}

/* By function: whether another one of its binary has its name, as static functions of C may. */
function namesakes({ name, binary }) {
  const key = (f) => name[f] * 2 ** 21 + binary[f], counts = new Map();
  for (let f = 0; f < name.length; f++) counts.set(key(f), (counts.get(key(f)) || 0) + 1);
  return Uint8Array.from(name, (_, f) => (counts.get(key(f)) > 1 ? 1 : 0));
}

/* By function: "[cut]" and the like are no functions. */
function remarks(label, functionOf, count) {
  const found = new Uint8Array(count);
  for (let i = 0; i < label.length; i++) if (label[i] % KINDS === REMARK) found[functionOf[i]] = 1;
  return found;
}

/* Which tasks a choice lets through: 1 for each. */
function chosenTasks(model, choice) {
  const { tasks, threads } = model.data;
  const [cpus, pids, tids] = [choice.cpus, choice.pids, choice.tids].map((list) => list && new Set(list)); /* may be thousands */
  const has = (set, value) => !set || set.has(value);
  return Uint8Array.from(tasks.event, (event, i) =>
    event === choice.event && has(cpus, tasks.cpu[i]) && has(pids, threads.pid[tasks.thread[i]]) &&
    has(tids, threads.tid[tasks.thread[i]]) ? 1 : 0);
}

/* Whether the text of a number matches; each is asked for once. */
function textMatcher(model, matcher) {
  const known = new Uint8Array(model.texts.length); /* 1 no, 2 yes */
  return (text) => (known[text] = known[text] || (matcher(model.texts[text]) ? 2 : 1)) === 2;
}

/* By function: whether its name matches. */
const matchingFunctions = (model, matcher) => {
  const matches = textMatcher(model, matcher);
  return Uint8Array.from(model.data.functions.name, (text) => (matches(text) ? 1 : 0));
};

/*
 * Which nodes are chosen by their function (text) and by those of their whole stack (stack: one of the wanted ones is in
 * it, and none of the excluded ones); null: all.
 */
function chosenNodes(model, { text, stack }) {
  const { functionOf, parent, count } = model, own = nameMatcher(text || ""), { wanted, excluded } = nameMatchers(stack || "");
  if (!own && !wanted && !excluded) return null;
  const [owns, wants, excludes] = [own, wanted, excluded].map((matcher) => matcher && matchingFunctions(model, matcher));
  const chosen = new Uint8Array(count), inside = new Uint8Array(count); /* inside: 1 a wanted one, 2 an excluded one, 3 both */
  for (let i = 0; i < count; i++) {
    const f = functionOf[i];
    inside[i] = (parent[i] < 0 ? 0 : inside[parent[i]]) | (wants && wants[f]) | (excludes && excludes[f] ? 2 : 0);
    chosen[i] = (!owns || owns[f]) && (!wants || inside[i] & 1) && !(inside[i] & 2) ? 1 : 0;
  }
  return chosen;
}

/* The first row whose time is not before that one. */
function firstRow(model, time) {
  let low = model.about.untimed, high = model.rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (model.time[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The rows of a stretch of time: [first, behind the last]. Only if times are sorted these are no others. */
function rowsOfTime(model, { from, to }) {
  if ((from === null && to === null) || !model.sorted) return [0, model.rows];
  return [firstRow(model, from === null ? -Infinity : from), to === null ? model.rows : firstRow(model, to)];
}

/* Calls visit(row) for each chosen row between two. */
function eachChosenBetween(model, choice, [first, last], visit) {
  const tasks = chosenTasks(model, choice), nodes = chosenNodes(model, choice);
  const { task, node, time } = model;
  const timed = !model.sorted && (choice.from !== null || choice.to !== null);
  const from = choice.from === null ? -Infinity : choice.from, to = choice.to === null ? Infinity : choice.to;
  for (let i = first; i < last; i++) {
    if (!tasks[task[i]] || (timed && !(time[i] >= from && time[i] < to)) || (nodes && !nodes[node[i]])) continue;
    visit(i);
  }
}

/* Calls visit(row) for each chosen row; only those of the stretch of time are looked at. */
const eachChosen = (model, choice, visit) => eachChosenBetween(model, choice, rowsOfTime(model, choice), visit);

/* Empty sums. own, ownBase, period, ...: see sumChosen(). */
const noSums = (model) => ({
  own: new Float64Array(model.count), ownCount: new Float64Array(model.count), ownBase: model.base && new Float64Array(model.count),
  period: 0, count: 0, base: 0,
});

/* Adds the chosen rows between two to sums; sign -1: takes them out. */
function addRows(model, choice, between, sums, sign) {
  const { node, weight, samples, base } = model, { own, ownCount, ownBase } = sums;
  let period = 0, count = 0, all = 0;
  eachChosenBetween(model, choice, between, (i) => {
    const n = samples ? samples[i] : 1;
    own[node[i]] += sign * weight[i];
    ownCount[node[i]] += sign * n;
    period += weight[i];
    count += n;
    if (!ownBase) return;
    ownBase[node[i]] += sign * base[i];
    all += base[i];
  });
  sums.period += sign * period;
  sums.count += sign * count;
  sums.base += sign * all;
}

/*
 * Sums of the chosen samples: by node its own, and with all that it called. In a comparison also those of the base side.
 * last: sums of before, which are not used any more: where only the time differs, and by less than what is chosen, they
 * are changed instead of made anew. That is exact for whole numbers below 2^53.
 */
function sumChosen(model, choice, last) {
  const rest = JSON.stringify([choice.event, choice.pids, choice.tids, choice.cpus, choice.text, choice.stack]), { parent } = model;
  const rows = rowsOfTime(model, choice), everything = { ...choice, from: null, to: null };
  const moved = last ? Math.abs(rows[0] - last.rows[0]) + Math.abs(rows[1] - last.rows[1]) : Infinity;
  const exact = !model.compared && isExact(model.allEvents[choice.event] ? model.allEvents[choice.event].period : 0);
  let sums = last;
  if (model.sorted && exact && last && last.rest === rest && moved < rows[1] - rows[0]) {
    for (const side of [0, 1]) {
      const between = [Math.min(rows[side], last.rows[side]), Math.max(rows[side], last.rows[side])];
      addRows(model, everything, between, sums, (rows[side] < last.rows[side]) === (side === 0) ? 1 : -1);
    }
  } else addRows(model, choice, rows, sums = noSums(model), 1);
  const total = sums.own.slice(), totalCount = sums.ownCount.slice(), totalBase = sums.ownBase && sums.ownBase.slice();
  for (let i = model.count - 1; i >= 0; i--) {
    if (parent[i] < 0) continue;
    total[parent[i]] += total[i];
    totalCount[parent[i]] += totalCount[i];
    if (totalBase) totalBase[parent[i]] += totalBase[i];
  }
  return { ...sums, total, totalCount, totalBase, rows, rest };
}

/* Whether a node has anything of what is chosen. */
const isThere = (sums, i) => sums.totalCount[i] > 0 || (sums.totalBase !== null && sums.totalBase[i] > 0);

/* By function: self and total, each sample once even if the function calls itself. */
function sumFunctions(model, sums) {
  const make = () => new Float64Array(model.functionCount);
  const result = { self: make(), selfCount: make(), total: make(), totalCount: make(), selfBase: null, totalBase: null };
  if (sums.ownBase) Object.assign(result, { selfBase: make(), totalBase: make() });
  for (let i = 0; i < model.count; i++) {
    const f = model.functionOf[i];
    result.self[f] += sums.own[i];
    result.selfCount[f] += sums.ownCount[i];
    if (sums.ownBase) result.selfBase[f] += sums.ownBase[i];
    if (!model.outermost[i]) continue;
    result.total[f] += sums.total[i];
    result.totalCount[f] += sums.totalCount[i];
    if (sums.ownBase) result.totalBase[f] += sums.totalBase[i];
  }
  return result;
}

/*
 * Callers and callees of a function, as callers.csv has them: samples in whose stack one stands directly outside of the
 * other, each once. Lists of { function, period, samples, base }; function -1: the root.
 */
function neighbours(model, sums, wanted) {
  const callers = new Map(), callees = new Map(), ends = [new Map(), new Map()];
  const add = (to, done, key, node) => {
    if ((done.get(key) || 0) > node) return; /* below a node with the same pair */
    done.set(key, model.end[node]);
    const sum = to.get(key) || { function: key, period: 0, samples: 0, base: 0 };
    sum.period += sums.total[node];
    if (sums.totalBase) sum.base += sums.totalBase[node];
    sum.samples += sums.totalCount[node];
    to.set(key, sum);
  };
  for (let i = 0; i < model.count; i++) {
    const outer = model.parent[i] < 0 ? -1 : model.functionOf[model.parent[i]];
    if (!isThere(sums, i)) continue;
    if (model.functionOf[i] === wanted) add(callers, ends[0], outer, i);
    if (outer === wanted) add(callees, ends[1], model.functionOf[i], i);
  }
  const sorted = (map) => [...map.values()].sort((a, b) => b.period - a.period || b.samples - a.samples || a.function - b.function);
  return { callers: sorted(callers), callees: sorted(callees) };
}

/*
 * Trees to draw: a frame is { label, period, samples, depth, parent, ... }, and children(frame) makes those next to it.
 * The label is function * 8 + kind; the root's is -1; `self` is the period of the function itself. In a comparison `base` is the other side's period: that of the new
 * side if side is "base". matched(frame, matches) is how much of a frame lies in functions that match, a list by function.
 */
function callTree(model, sums, side) {
  const [now, base] = side === "base" ? [sums.totalBase, sums.total] : [sums.total, sums.totalBase];
  const own = side === "base" ? sums.ownBase : sums.own;
  const frame = (i, parent) => ({
    label: model.label[i], self: own[i], period: now[i], samples: sums.totalCount[i], depth: parent.depth + 1, parent, node: i, base: base && base[i],
  });
  const endOf = (of) => (of.node < 0 ? model.count : model.end[of.node]);
  return keepChildren({
    root: { label: -1, ...sideSums(sums, side), samples: sums.count, depth: 0, parent: null, node: -1 },
    children(of) {
      const found = [], end = endOf(of);
      for (let i = of.node + 1; i < end; i = model.end[i]) if (isThere(sums, i)) found.push(frame(i, of));
      return found;
    },
    matched(of, matches) {
      let sum = 0;
      for (let i = Math.max(0, of.node), end = endOf(of); i < end;) {
        const found = matches[model.functionOf[i]];
        if (found) sum += now[i];
        i = found ? model.end[i] : i + 1;
      }
      return sum;
    },
  });
}

/* The tree that a state asks for. */
function chosenTree(model, sums, state, side) {
  if (state.inverted) return callerTree(model, sums, side);
  return state.processes ? processTree(model, sums, state) : callTree(model, sums, side);
}

/* Frames that were made once are kept. */
function keepChildren(tree) {
  const { children } = tree;
  tree.children = (of) => of.below || (of.below = children(of));
  return tree;
}

const sideSums = (sums, side) => (side === "base" ? { period: sums.base, base: sums.period } : { period: sums.period, base: sums.base });

/*
 * The inverse: below the root are the sampled functions, below each its callers. A frame has the sampled nodes that are in
 * it, and of each how far out the frame is: two lists, `nodes` and `at`.
 */
function callerTree(model, sums, side) {
  const [now, base] = side === "base" ? [sums.ownBase, sums.own] : [sums.own, sums.ownBase];
  const group = (of) => {
    const found = new Map(), { nodes } = of;
    for (let i = 0; i < nodes.length; i++) {
      const at = of.parent ? model.parent[of.at[i]] : nodes[i], node = nodes[i];
      if (at < 0) continue;
      const label = model.label[at];
      let frame = found.get(label);
      if (!frame) found.set(label, frame = { label, period: 0, samples: 0, base: 0, depth: of.depth + 1, parent: of, nodes: [], at: [] });
      frame.period += now[node];
      if (base) frame.base += base[node];
      frame.samples += sums.ownCount[node];
      frame.nodes.push(node);
      frame.at.push(at);
    }
    return [...found.values()].sort((a, b) => b.period - a.period || b.samples - a.samples || a.label - b.label);
  };
  const sampled = [];
  for (let i = 0; i < model.count; i++) if (sums.ownCount[i] || (sums.ownBase && sums.ownBase[i])) sampled.push(i);
  return keepChildren({
    root: { label: -1, ...sideSums(sums, side), samples: sums.count, depth: 0, parent: null, nodes: sampled, at: sampled },
    children: group,
    matched(of, matches) {
      /* by node: whether it or one outside of it matches */
      const outside = new Uint8Array(model.count);
      for (let i = 0; i < model.count; i++)
        outside[i] = matches[model.functionOf[i]] || (model.parent[i] >= 0 && outside[model.parent[i]]) ? 1 : 0;
      return of.nodes.reduce((sum, node, i) => sum + (outside[of.at[i]] ? now[node] : 0), 0);
    },
  });
}

/* The frame at the end of a path of labels from the root; it stops where the path leads nowhere. */
function followPath(tree, path) {
  let frame = tree.root;
  for (const label of path) {
    const next = tree.children(frame).find((child) => child.label === label);
    if (!next) break;
    frame = next;
  }
  return frame;
}

function pathOf(frame) {
  const path = [];
  for (; frame.parent; frame = frame.parent) path.unshift(frame.label);
  return path;
}

/*
 * Places of the frames below one, which has all of the width; those narrower than `least` are left out. A list of
 * { frame, x, width } by depth.
 */
function layOut(tree, top, width, least) {
  const boxes = [], scale = top.period ? width / top.period : 0;
  const below = (frame, x) => {
    boxes.push({ frame, x, width: frame.period * scale });
    for (const child of tree.children(frame)) {
      if (child.period * scale >= least) below(child, x);
      x += child.period * scale;
    }
  };
  below(top, 0);
  return boxes;
}

/* By function: whether it, its binary or its file is what is looked for; null: nothing is. */
function findFunctions(model, text) {
  const matcher = findMatcher(text || ""), { name, binary, file } = model.data.functions, matches = matcher && textMatcher(model, matcher);
  return matcher && Uint8Array.from(name, (own, f) => (matches(own) || matches(binary[f]) || matches(file[f]) ? 1 : 0));
}

/* --- time */

/*
 * Periods of the chosen samples by row and slice: sums[row * width + slice], of `count` rows from `first` on. rowsOf: by
 * task the rows that it belongs to, two for each; -1: none. A sample of a clock is there for the time since the one before;
 * with `cut` only for what of that is between from and to, else for all of it, in the first slice if need be.
 */
function sumSlices(model, choice, { rowsOf, first, count, from, to, width, cut }) {
  const sums = new Float64Array(count * width), scale = width / (to - from), { task, time, weight } = model, { unit } = model.about;
  const stands = standsForTime(model, choice.event), behind = stands && cut ? Math.ceil(usualPeriod(model.allEvents[choice.event]) / unit) : 0;
  eachChosen(model, { ...choice, from, to: to + behind }, (i) => {
    const end = (time[i] - from) * scale, all = weight[i], begin = stands ? end - (all / unit) * scale : end;
    const left = Math.max(0, begin), last = Math.min(width - 1, Math.floor(end));
    for (let k = 2 * task[i]; k < 2 * task[i] + 2; k++) {
      const row = rowsOf[k] - first;
      if (rowsOf[k] < 0 || row < 0 || row >= count) continue;
      /* in whole numbers, so that sums are exact */
      let before = cut && begin < 0 ? Math.round((all * -begin) / (end - begin)) : 0;
      for (let slice = Math.min(last, Math.floor(left)); slice <= last; slice++) {
        const until = slice + 1 >= end ? all : slice + 1 <= begin ? 0 : Math.round((all * (slice + 1 - begin)) / (end - begin));
        sums[row * width + slice] += Math.max(0, until - before);
        before = Math.max(before, until);
      }
    }
  });
  if (model.about.sliced && scale > 1) spreadSlices(sums, { from, to, width });
  return sums;
}

/* The period of most samples of an event. */
const usualPeriod = (event) => event.period / (event.samples || 1);

/* Whether a sample of an event stands for the time since the one before: without that, where a slice has one and the next two, both were busy. */
function standsForTime(model, number) {
  const event = model.allEvents && model.allEvents[number];
  return Boolean(event) && event.clock && !event.interval && !model.about.sliced;
}

/* Where what the page knows of a time is a sum over more than one slice, each of these has its part: else all but the first seemed idle. */
function spreadSlices(sums, { from, to, width }) {
  const slice = (time) => Math.min(width, Math.floor(((time - from) * width) / (to - from)));
  for (let row = 0; row < sums.length; row += width)
    for (let time = from; time < to; time++) {
      const left = slice(time), right = slice(time + 1);
      sums.fill(sums[row + left] / (right - left), row + left, row + right);
    }
}

/* The function with the largest period among chosen samples, of a row if there is one: { function, period, all }; function -1: none. */
function hottest(model, choice, rowsOf, row) {
  const sums = new Map(), { task, node, weight, functionOf } = model;
  let all = 0, best = -1;
  eachChosen(model, choice, (i) => {
    if (rowsOf && rowsOf[2 * task[i]] !== row && rowsOf[2 * task[i] + 1] !== row) return;
    const f = functionOf[node[i]];
    all += weight[i];
    sums.set(f, (sums.get(f) || 0) + weight[i]);
    if (best < 0 || sums.get(f) > sums.get(best)) best = f;
  });
  return { function: best, period: best < 0 ? 0 : sums.get(best), all };
}

/*
 * The rows of a timeline: { label, pid, tid, cpu, inner, period }, those with most first; threads below their process if it
 * has several. what: "threads" or "cpus".
 */
function timelineRows(model, choice, what, states) {
  const { tasks, threads } = model.data, periods = new Float64Array(tasks.event.length), rowsOf = new Int32Array(2 * periods.length).fill(-1);
  const wanted = states ? STATE_EVENTS[what].map((name) => states.events[name]) : [choice.event];
  const counted = { ...choice, event: states ? states.events["on-cpu"] : choice.event, ...(states ? { text: "", stack: "" } : {}) };
  eachChosen(model, { ...counted, from: null, to: null, pids: null, tids: null, cpus: null }, (i) => { periods[model.task[i]] += model.weight[i]; });
  const groups = new Map();
  for (let i = 0; i < periods.length; i++) {
    if (!wanted.includes(tasks.event[i])) continue;
    const t = tasks.thread[i], pid = threads.pid[t], tid = threads.tid[t], cpu = tasks.cpu[i];
    const key = what === "cpus" ? cpu : pid;
    let group = groups.get(key);
    if (!group) groups.set(key, group = { pid, cpu, period: 0, tasks: [], threads: new Map() });
    group.period += periods[i];
    group.tasks.push(i);
    group.name = model.processName(t); /* the last one counts, as in processes.csv */
    if (what === "cpus") continue;
    let thread = group.threads.get(tid);
    if (!thread) group.threads.set(tid, thread = { tid, period: 0, tasks: [] });
    thread.period += periods[i];
    thread.tasks.push(i);
    thread.name = model.threadName(t);
  }
  const byPeriod = (a, b) => b.period - a.period, rows = [];
  const add = (row, list, slot) => {
    for (const i of list) rowsOf[2 * i + slot] = rows.length;
    rows.push(row);
  };
  const all = [...groups.values()];
  for (const group of what === "cpus" ? all.sort((a, b) => a.cpu - b.cpu) : all.sort(byPeriod)) {
    const inner = [...group.threads.values()].sort(byPeriod);
    if (what === "cpus") add({ label: group.cpu < 0 ? "CPU not recorded" : "CPU " + group.cpu, cpu: group.cpu, period: group.period }, group.tasks, 0);
    else if (inner.length === 1) add({ label: group.name + " " + group.pid, pid: group.pid, tid: inner[0].tid, period: group.period }, group.tasks, 0);
    else {
      add({ label: group.name + " " + group.pid + ", " + inner.length + " threads", pid: group.pid, period: group.period }, group.tasks, 1);
      for (const thread of inner)
        add({ label: thread.name + " " + thread.tid, pid: group.pid, tid: thread.tid, inner: true, period: thread.period }, thread.tasks, 0);
    }
  }
  return { rows, rowsOf };
}

/* --- inside of a function */

/* "0xffffffff81000000" of the two halves of an address, and what is added to it. */
const formatAddress = (high, low, offset) => "0x" + ((BigInt(high) << 32n) + BigInt(low) + BigInt(offset)).toString(16);

/*
 * The chosen samples of a function, by line: lines, { file, line, period, samples }; and by address: addresses, { address, text,
 * ... }, all instructions if they are there, in their order, else the addresses that have samples.
 */
function sumPlaces(model, choice, wanted) {
  const { places } = model.data, sums = new Map(), lines = new Map(), result = { period: 0, samples: 0 };
  const put = (map, key, make, weight, count) => {
    let sum = map.get(key);
    if (!sum) map.set(key, sum = { ...make(), period: 0, samples: 0 });
    sum.period += weight;
    sum.samples += count;
  };
  const line = (p) => ({ file: model.texts[places.file[p]], line: places.line[p] });
  eachChosen(model, choice, (i) => {
    const p = model.place[i], count = model.samples ? model.samples[i] : 1;
    if (places.function[p] !== wanted) return;
    put(sums, p, () => ({ address: formatAddress(places.high[p], places.low[p], 0), text: "", ...line(p) }), model.weight[i], count);
    put(lines, places.file[p] + ":" + places.line[p], () => line(p), model.weight[i], count);
    result.period += model.weight[i];
    result.samples += count;
  });
  const byAddress = new Map();
  for (const sum of sums.values()) {
    const other = byAddress.get(sum.address);
    if (!other) { byAddress.set(sum.address, sum); continue; }
    other.period += sum.period;
    other.samples += sum.samples;
  }
  const order = (a, b) => a.address.length - b.address.length || (a.address < b.address ? -1 : 1);
  for (const row of instructions(model, wanted)) {
    const sampled = byAddress.get(row.address);
    byAddress.set(row.address, sampled ? { ...sampled, text: row.text } : row);
  }
  result.addresses = [...byAddress.values()].sort(order);
  result.lines = [...lines.values()].sort((a, b) => b.period - a.period || b.samples - a.samples || a.line - b.line);
  return result;
}

/* The instructions of a function, without samples. */
function instructions(model, wanted) {
  const { blocks, code } = model.data, found = [];
  for (let b = 0, first = 0; model.code && b < blocks.function.length; first += blocks.rows[b++]) {
    if (blocks.function[b] !== wanted) continue;
    for (let row = first, offset = 0; row < first + blocks.rows[b]; row++) {
      const target = model.texts[code.target[row]];
      offset += code.step[row];
      found.push({
        address: formatAddress(blocks.high[b], blocks.low[b], offset), period: 0, samples: 0, line: code.line[row],
        text: model.texts[code.text[row]] + (target ? " <" + target + ">" : ""), file: model.texts[code.file[row]],
      });
    }
  }
  return found;
}
