/* The call tree of each process, by its name, as -t flame and -t folded have them. Nothing here touches the page. */
"use strict";

const PROCESS = -2; /* the label of a frame that is a process: this less the number of its name in texts */

/* Rows that are chosen, those of one process behind each other: by the number of its name { comm, period, samples, rows }. */
function rowsByProcess(model, choice) {
  const { tasks, threads } = model.data, comms = new Map(), found = new Uint32Array(model.rows);
  let count = 0;
  const processOf = Int32Array.from(tasks.thread, (thread) => {
    const comm = threads.comm[thread];
    if (!comms.has(comm)) comms.set(comm, comms.size);
    return comms.get(comm);
  });
  eachChosen(model, choice, (i) => { found[count++] = i; });
  const starts = new Uint32Array(comms.size + 1), rows = new Uint32Array(count);
  const periods = new Float64Array(comms.size), counts = new Float64Array(comms.size);
  for (let k = 0; k < count; k++) starts[processOf[model.task[found[k]]] + 1]++;
  for (let p = 0; p < comms.size; p++) starts[p + 1] += starts[p];
  const next = starts.slice();
  for (let k = 0; k < count; k++) {
    const i = found[k], p = processOf[model.task[i]];
    rows[next[p]++] = i;
    periods[p] += model.weight[i];
    counts[p] += model.samples ? model.samples[i] : 1;
  }
  return [...comms.keys()].map((comm, p) => ({ comm, period: periods[p], samples: counts[p], rows: rows.subarray(starts[p], starts[p + 1]) }))
    .filter((process) => process.samples);
}

/*
 * The part of the call tree that some rows have: lists of nodes, callers first, what each costs itself and with all that
 * it calls, and the place behind the last of what it calls. place: zeros by node, and so again afterwards.
 */
function treeOfRows(model, rows, place) {
  const found = [];
  for (let k = 0; k < rows.length; k++)
    for (let node = model.node[rows[k]]; node >= 0 && !place[node]; node = model.parent[node]) {
      place[node] = 1;
      found.push(node);
    }
  const nodes = new Uint32Array(found), count = nodes.length;
  if (count < place.length / 16) nodes.sort();
  else for (let node = 0, at = 0; at < count; node++) if (place[node]) nodes[at++] = node;
  const own = new Float64Array(count), samples = new Float64Array(count), end = new Uint32Array(count);
  for (let at = 0; at < count; at++) place[nodes[at]] = at;
  for (let k = 0; k < rows.length; k++) {
    const i = rows[k], at = place[model.node[i]];
    own[at] += model.weight[i];
    samples[at] += model.samples ? model.samples[i] : 1;
  }
  const total = own.slice();
  for (let at = count - 1; at >= 0; at--) {
    for (end[at] = at + 1; end[at] < count && nodes[end[at]] < model.end[nodes[at]];) end[at] = end[end[at]];
    const parent = model.parent[nodes[at]];
    if (parent < 0) continue;
    total[place[parent]] += total[at];
    samples[place[parent]] += samples[at];
  }
  for (let at = 0; at < count; at++) place[nodes[at]] = 0;
  return { nodes, own, total, samples, end };
}

/* A tree as callTree() makes it, with the names of processes next to the root. Not in a comparison. */
function processTree(model, sums, choice) {
  const place = new Uint32Array(model.count);
  const root = { label: -1, period: sums.period, samples: sums.count, depth: 0, parent: null, self: 0 };
  const processes = rowsByProcess(model, choice).map(({ comm, period, samples, rows }) =>
    ({ label: PROCESS - comm, period, samples, depth: 1, parent: root, self: 0, rows, at: -1, part: null }));
  const partOf = (frame) => frame.part || (frame.part = treeOfRows(model, frame.rows, place));
  const endOf = (frame, part) => (frame.at < 0 ? part.nodes.length : part.end[frame.at]);
  const matched = (frame, matches) => {
    const part = partOf(frame);
    let sum = 0;
    for (let at = Math.max(0, frame.at), end = endOf(frame, part); at < end;) {
      const found = matches[model.functionOf[part.nodes[at]]];
      if (found) sum += part.total[at];
      at = found ? part.end[at] : at + 1;
    }
    return sum;
  };
  return keepChildren({
    root,
    children(of) {
      if (of === root) return processes.sort((a, b) => b.period - a.period || b.samples - a.samples || b.label - a.label);
      const part = partOf(of), found = [];
      for (let at = of.at + 1, end = endOf(of, part); at < end; at = part.end[at])
        found.push({ label: model.label[part.nodes[at]], period: part.total[at], samples: part.samples[at], self: part.own[at],
          depth: of.depth + 1, parent: of, part, at });
      return found;
    },
    matched: (of, matches) => (of === root ? processes.reduce((sum, frame) => sum + matched(frame, matches), 0) : matched(of, matches)),
  });
}
