/*
 * The data of the page. Each piece is a <script type="text/plain">, packed and in base64:
 *
 *   about             JSON: the recording, its events, the unit of times in ns
 *   texts             each ended by a line feed; other pieces have numbers of texts
 *   functions.*       name, binary, file (where it is defined): texts
 *   nodes.*           of the call tree, depth first: depth; function * 8 + kind; rows: how many samples are in it itself
 *   threads.*         pid, tid (-1: not recorded), comm: the name of the process then, name: its own last one; texts
 *   tasks.*           thread, cpu (-1: not recorded), event
 *   samples.*         time (more than the row before, signed; not of the first about.untimed rows), weight;
 *                     node: 0 is the node with most rows, and so on, of those with as many the first one;
 *                     task: a place in a list of the 16 that were last, or 16 + the task; it is the first of the list then;
 *                     count, if rows are sums over slices of time; place, if places are there; base, in a comparison: the
 *                     weight on the base side, while the others are of the new side
 *   whats.text        texts: what intervals were; samples.what is a number of these + 1, 0: the row is no interval. The
 *                     time of an interval is its begin, the weight its length in ns
 *   places.*          high, low (of the address, 32 bits each), file, line (0: not known), function
 *   blocks.*          of functions with instructions: function, high, low (of the first address), rows
 *   diff              of a comparison: the text of diff.csv
 *   code.*            their rows: step (from the row before), text, target (what it calls), file, line
 *
 * Numbers are unsigned LEB128; signed ones are 0, -1, 1, -2, ... as 0, 1, 2, 3, ... Of samples.* there is a piece with
 * each byte of all numbers: samples.time.0 has the lowest bytes.
 */
"use strict";

const KINDS = 8, RECENT = 16, REMARK = 7; /* the kind of "[cut]" and the like; the others are in flame.h */

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text); /* browsers since 2025: a tenth of the time */
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function unpack(text, packed) {
  const bytes = fromBase64(text);
  if (packed !== "zlib") return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* How many numbers a column has. */
function countNumbers(bytes) {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) count += bytes[i] < 128 ? 1 : 0;
  return count;
}

/* The numbers of a column, in an array of that type. signed: see above. sums: each is added to the one before. */
function readNumbers(bytes, type, { signed = false, sums = false } = {}) {
  const numbers = new type(countNumbers(bytes));
  let last = 0;
  for (let at = 0, i = 0; at < bytes.length; i++) {
    let value = bytes[at] & 127;
    for (let scale = 128; bytes[at++] > 127; scale *= 128) value += (bytes[at] & 127) * scale;
    if (signed) value = value % 2 ? -(value + 1) / 2 : value / 2;
    last = sums ? last + value : value;
    numbers[i] = last;
  }
  return numbers;
}

/* The numbers of a column of which each byte is in a plane of its own. signed, sums: as above. */
function joinPlanes(planes, type, { signed = false, sums = false } = {}) {
  const numbers = new type(planes[0].length), [low, middle, high, ...others] = planes;
  if (high) for (let i = 0; i < low.length; i++) numbers[i] = low[i] | (middle[i] << 8) | (high[i] << 16);
  else if (middle) for (let i = 0; i < low.length; i++) numbers[i] = low[i] | (middle[i] << 8);
  else numbers.set(low);
  others.forEach((plane, k) => {
    const scale = 256 ** (k + 3);
    for (let i = 0; i < numbers.length; i++) numbers[i] += plane[i] * scale;
  });
  for (let i = 0; signed && i < numbers.length; i++) numbers[i] = numbers[i] % 2 ? -(numbers[i] + 1) / 2 : numbers[i] / 2;
  for (let i = 1; sums && i < numbers.length; i++) numbers[i] += numbers[i - 1];
  return numbers;
}

/* Turns numbers of nodes by their rows into numbers of the tree; rows: by node. */
function unrankNodes(numbers, rows) {
  const most = rows.reduce((a, b) => Math.max(a, b), 0);
  const next = new Uint32Array(most + 2), nodes = new Uint32Array(rows.length);
  /* how many nodes have more rows: where those with so many begin */
  for (let i = 0; i < rows.length; i++) next[rows[i]]++;
  for (let n = most, before = 0; n > 0; n--) [next[n], before] = [before, before + next[n]];
  for (let i = 0; i < rows.length; i++) if (rows[i]) nodes[next[rows[i]]++] = i;
  for (let i = 0; i < numbers.length; i++) numbers[i] = nodes[numbers[i]];
}

/* Turns places in the list of recent tasks into numbers of tasks. */
function unlistTasks(numbers) {
  const recent = new Uint32Array(RECENT);
  for (let i = 0; i < numbers.length; i++) {
    const place = Math.min(numbers[i], RECENT - 1), task = numbers[i] < RECENT ? recent[place] : numbers[i] - RECENT;
    for (let k = place; k > 0; k--) recent[k] = recent[k - 1];
    numbers[i] = recent[0] = task;
  }
}

/* piece(name): {text, packed} of a piece, or null if it is not there. */
async function readData(piece) {
  const bytes = async (name) => {
    const found = piece(name);
    return found ? unpack(found.text, found.packed) : null;
  };
  const decode = async (name) => new TextDecoder().decode((await bytes(name)) || new Uint8Array());
  const column = async (name, type, how) => {
    const found = await bytes(name);
    return found && readNumbers(found, type, how);
  };
  const table = async (name, parts) => {
    const found = await Promise.all(Object.keys(parts).map((part) => column(name + "." + part, ...parts[part])));
    return Object.fromEntries(Object.keys(parts).map((part, i) => [part, found[i]]));
  };
  const rows = async (parts) => {
    const found = await Promise.all(Object.keys(parts).map(async (part) => {
      const planes = [];
      for (let k = 0; piece("samples." + part + "." + k); k++) planes.push(bytes("samples." + part + "." + k));
      return planes.length ? joinPlanes(await Promise.all(planes), ...parts[part]) : null;
    }));
    return Object.fromEntries(Object.keys(parts).map((part, i) => [part, found[i]]));
  };
  const signed = { signed: true };
  const [about, texts, functions, nodes, threads, tasks, samples, places, blocks, code, diff, whats] = await Promise.all([
    decode("about").then(JSON.parse),
    decode("texts").then((all) => all.split("\n").slice(0, -1)),
    table("functions", { name: [Uint32Array], binary: [Uint32Array], file: [Uint32Array] }),
    table("nodes", { depth: [Uint32Array], function: [Uint32Array], rows: [Uint32Array] }),
    table("threads", { pid: [Int32Array, signed], tid: [Int32Array, signed], comm: [Uint32Array], name: [Uint32Array] }),
    table("tasks", { thread: [Uint32Array], cpu: [Int32Array, signed], event: [Uint32Array] }),
    rows({
      time: [Float64Array, { signed: true, sums: true }], task: [Uint32Array], node: [Uint32Array], weight: [Float64Array],
      count: [Uint32Array], place: [Uint32Array], base: [Float64Array], what: [Uint32Array],
    }),
    table("places", { high: [Uint32Array], low: [Uint32Array], file: [Uint32Array], line: [Uint32Array], function: [Uint32Array] }),
    table("blocks", { function: [Uint32Array], high: [Uint32Array], low: [Uint32Array], rows: [Uint32Array] }),
    table("code", { step: [Float64Array], text: [Uint32Array], target: [Uint32Array], file: [Uint32Array], line: [Uint32Array] }),
    decode("diff"),
    column("whats.text", Uint32Array),
  ]);
  unrankNodes(samples.node, nodes.rows);
  unlistTasks(samples.task);
  return { about, texts, functions, nodes, threads, tasks, samples, places, blocks, code, diff, whats };
}
