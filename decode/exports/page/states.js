/* What threads and CPUs did, by the intervals of --intervals=sched. Nothing here touches the page. */
"use strict";

const STATES = ["on a CPU", "waits for a CPU", "sleeps", "blocked", "stopped", "off", "idle"];
const STATE_COLOURS = ["on-cpu", "wait", "sleeping", "blocked", "stopped", "off", "idle"]; /* of the style */
const STATE_OF = { sleeping: 2, blocked: 3, stopped: 4, preempted: 1 };
/* which events rows of threads and of CPUs are made of */
const STATE_EVENTS = { threads: ["on-cpu", "off-cpu", "wait"], cpus: ["on-cpu", "idle"] };

/*
 * The intervals that are states: { events, rows, state, start, end }, times in units; null: there are none. A thread that is
 * off its CPU waits for one from when it was woken, so that its other state ends there.
 */
function findStates(events, data, time) {
  const { samples, tasks, texts, whats } = data, numbers = {};
  for (const event of events) if (event.interval && event.clock) numbers[event.name] = event.number;
  if (!samples.what || numbers["on-cpu"] === undefined || numbers["off-cpu"] === undefined) return null;
  const kinds = ["on-cpu", "wait", "off-cpu", "idle"].map((name) => numbers[name]);
  const rows = [], state = [], end = [], away = new Map(); /* by thread: what it is off its CPU for */
  for (let i = 0; i < samples.node.length; i++) {
    const kind = samples.what[i] ? kinds.indexOf(tasks.event[samples.task[i]]) : -1;
    if (kind < 0) continue;
    const thread = tasks.thread[samples.task[i]], text = texts[whats[samples.what[i] - 1]];
    const last = away.get(thread), until = time[i] + samples.weight[i] / data.about.unit;
    if (kind === 2) away.set(thread, rows.length);
    else if (kind === 1 && last !== undefined && Math.abs(end[last] - until) <= 2) end[last] = time[i];
    rows.push(i);
    state.push(kind === 0 ? 0 : kind === 1 ? 1 : kind === 3 ? 6 : STATE_OF[text] || 5);
    end.push(until);
  }
  return { events: numbers, rows: Uint32Array.from(rows), state: Uint8Array.from(state), end: Float64Array.from(end) };
}

/* Calls visit(row of the timeline, number of the state) for each that lies in a stretch of time. */
function eachState(model, rowsOf, from, to, visit) {
  const { rows, end } = model.states;
  for (let i = 0; i < rows.length; i++) {
    const task = model.task[rows[i]];
    if (model.time[rows[i]] < to && end[i] > from) for (let k = 2 * task; k < 2 * task + 2; k++) if (rowsOf[k] >= 0) visit(rowsOf[k], i);
  }
}

/* By row and slice the state that has most of it + 1; 0: not known. Of `count` rows from `first` on. */
function stateSlices(model, rowsOf, { first, count, from, to, width }) {
  const { rows, end, state } = model.states, scale = width / (to - from), size = count * width;
  const sums = new Float32Array(STATES.length * size), found = new Uint8Array(size);
  eachState(model, rowsOf, from, to, (row, i) => {
    if (row < first || row >= first + count) return;
    const left = Math.max(0, (model.time[rows[i]] - from) * scale), right = Math.min(width, (end[i] - from) * scale);
    const at = state[i] * size + (row - first) * width;
    for (let x = Math.floor(left); x < right; x++) sums[at + x] += Math.min(x + 1, right) - Math.max(x, left);
  });
  for (let x = 0; x < size; x++) {
    let most = 0;
    for (let s = 0; s < STATES.length; s++) {
      if (sums[s * size + x] <= most) continue;
      most = sums[s * size + x];
      found[x] = s + 1;
    }
  }
  return found;
}

/* The interval of a row at a time that began last: its number; -1: none. */
function stateAt(model, rowsOf, row, time) {
  let found = -1;
  eachState(model, rowsOf, time, time + 1, (other, i) => { if (other === row) found = i; });
  return found;
}
