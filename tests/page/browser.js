// The page of --report in a headless Chromium: views, keys, the pointer, links, narrow windows, policies.
// usage: node browser.js CHROMIUM FOLDER   FOLDER has plain.html (of processes.data), chosen.csv (its results of 0.05 to 0.1 s), hostile.html, lines.html, compared.html,
// namesakes.html, long.html, states.html (of waits.data) with its threads.csv, and where perf may record sampled.html, which has
// samples beside states
"use strict";
const { equal, serve, withoutScripts, test } = require("../exports/devtools.js");
const fs = require("fs");
const path = require("path");
const [program, folder] = process.argv.slice(2);
const VIEWS = ["summary", "timeline", "flame", "tree", "functions", "callers", "lines"];

class Report {
  constructor(page) { this.page = page; }
  run(expression) { return this.page.run(expression); }
  text(selector) { return this.run(`document.querySelector(${JSON.stringify(selector)}).innerText`); }
  async wait(expression, what) {
    for (let i = 0; i < 400; i++) {
      if (await this.run(expression)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error("it never came to " + (what || expression));
  }
  async open(name, hash) {
    await this.page.open("about:blank");
    await this.page.open("file://" + path.resolve(folder, name) + (hash || ""));
    await this.wait("document.documentElement.classList.contains('live')", "life");
  }
  // Follows an address as a link does.
  async go(hash) {
    await this.run(`location.hash = ${JSON.stringify(hash)}`);
    await this.run("new Promise((resolve) => setTimeout(resolve, 30))");
  }
  async box(selector) {
    return this.run(`(({ x, y, width, height }) => ({ x, y, width, height }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);
  }
  chosen() { return this.text("#chosen"); }
  cells(column) {
    return this.run(`Array.from(document.querySelectorAll("#view tbody tr"), (row) => row.children[${column}].innerText)`);
  }
}

/*
 * How different two colours "rgb(1, 2, 3)" are (CIE 1976) to who sees all colours, or who lacks a kind of cones, as Machado, Oliveira
 * and Fernandes, 2009, simulate it: the least of these.
 */
const CONES = [[1, 0, 0, 0, 1, 0, 0, 0, 1], [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039]];
function leastDifference(a, b) {
  const linear = (text) => text.match(/\d+/g).slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const times = (m, c) => [0, 3, 6].map((i) => m[i] * c[0] + m[i + 1] * c[1] + m[i + 2] * c[2]);
  const root = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const lab = (c) => {
    const [x, y, z] = times([0.4339, 0.3762, 0.1899, 0.2126, 0.7152, 0.0722, 0.0177, 0.1095, 0.8728], c).map((v) => root(Math.max(v, 0)));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  return Math.min(...CONES.map((cones) => {
    const [one, other] = [a, b].map((text) => lab(times(cones, linear(text))));
    return Math.hypot(...one.map((v, i) => v - other[i]));
  }));
}

const tests = {
  async views(r) {
    for (const view of VIEWS) {
      await r.open("plain.html", "#view=" + view);
      equal(await r.run("document.querySelectorAll('nav a[aria-current]').length"), 1, "marked links in " + view);
      for (const width of [360, 1200]) {
        await r.page.size(width, 800);
        await r.run("new Promise((resolve) => setTimeout(resolve, 50))");
        const wide = await r.run("document.documentElement.scrollWidth");
        if (wide > width) throw new Error(`${view} is ${wide} wide in ${width}`);
      }
    }
  },
  async keys(r) {
    await r.open("plain.html", "#view=flame");
    await r.page.key("5");
    await r.wait("location.hash.includes('view=functions')");
    await r.page.key("/");
    await r.page.type("spin_l");
    await r.wait("location.hash.includes('find=spin_l')");
    await r.wait("document.querySelectorAll('#view tbody tr').length === 1", "one function");
    equal(await r.cells(1), ["spin_left"], "functions that are found");
    await r.page.key("Escape");
    equal(await r.run("document.activeElement.tagName"), "BODY", "focus");
    await r.page.key("3");
    await r.wait("document.querySelector('#view canvas')", "the flame graph");
    await r.run("document.querySelector('#view canvas').focus()");
    await r.page.key("ArrowUp");
    const held = await r.text("#view .status");
    if (!/^spin_right /.test(held)) throw new Error("held: " + held);
    await r.page.key("Enter");
    await r.wait("/path=\\d+/.test(location.hash)");
    await r.page.key("Escape");
    await r.wait("!location.hash.includes('path=')");
    await r.page.key("i");
    await r.wait("location.hash.includes('inverted=1')");
  },
  async tree(r) {
    await r.open("compared.html", "#view=tree"); // which has call chains
    const rows = () => r.run(`Array.from(document.querySelectorAll("#view tbody tr"), (row) =>
      [row.ariaLevel, row.ariaExpanded || "leaf", row.querySelector(".name").innerText, row.children[0].innerText].join(" "))`);
    const open = await rows();
    if (!/^1 (true|leaf) \S+ \d/.test(open[0])) throw new Error("first row: " + open[0]);
    await r.run(`Array.from(document.querySelectorAll("#view .tools button")).find((b) => b.innerText === "Close all").click()`);
    const closed = await rows();
    if (closed.some((row) => !/^1 (false|leaf) /.test(row))) throw new Error("not closed: " + closed);
    const shares = closed.map((row) => parseFloat(row.split(" ").pop()));
    equal(shares, shares.slice().sort((a, b) => b - a), "order");
    const at = closed.findIndex((row) => row.startsWith("1 false"));
    if (at < 0) throw new Error("nothing to open");
    await r.run(`document.querySelectorAll("#view tbody tr")[0].focus()`);
    for (let i = 0; i < at; i++) await r.page.key("ArrowDown");
    await r.page.key("ArrowRight");
    const opened = await rows();
    if (opened.length <= closed.length || !/^1 true/.test(opened[at]) || !opened[at + 1].startsWith("2 ")) throw new Error("opened: " + opened);
    await r.page.key("ArrowRight");
    equal(await r.run("document.activeElement.ariaLevel"), "2", "level of the row with the focus");
    for (let i = 0; i < 3; i++) await r.page.key("ArrowLeft"); // close it, go to the row above, close that
    equal(await rows(), closed, "closed again");
    await r.run(`document.querySelector("#view .tools button").click()`);
    await r.wait("location.hash.includes('inverted=1')");
  },
  async processes(r) {
    await r.open("plain.html", "#view=flame");
    await r.run(`Array.from(document.querySelectorAll("#view .tools button")).find((b) => b.innerText === "By process").click()`);
    await r.wait("location.hash.includes('processes=1')");
    await r.run("document.querySelector('#view canvas').focus()");
    await r.page.key("ArrowUp");
    const held = await r.text("#view .status");
    await r.page.key("Enter"); // zoom to the process
    await r.wait("/path=-\\d+/.test(location.hash)");
    equal(await r.text("#view .status"), held + ", 100.00 % of zoom", "held");
    await r.go("#view=tree&processes=1");
    const names = await r.run(`Array.from(document.querySelectorAll("#view tr[aria-level='1'] .name"), (name) => name.innerText).sort()`);
    equal(names, ["family", "primes", "renamed"], "processes");
    await r.go("#view=flame&processes=1&inverted=1");
    equal(await r.run(`Array.from(document.querySelectorAll("#view .tools button")).filter((b) => !b.hidden && b.textContent === "By process").length`), 0, "buttons where there are callers");
  },
  async tall(r) { // a flame graph that is higher than its pane shows its root first
    await r.page.size(1000, 400);
    await r.open("compared.html", "#view=flame");
    const [top, height, all] = await r.run("(({ scrollTop, clientHeight, scrollHeight }) => [scrollTop, clientHeight, scrollHeight])(document.querySelector('#view .canvas'))");
    if (all <= height || Math.abs(top + height - all) > 1) throw new Error(`${top} + ${height} of ${all}`);
  },
  async back(r) {
    await r.open("plain.html", "#view=functions");
    const all = await r.chosen();
    await r.go("#view=functions&time=0.05-0.1");
    const part = await r.chosen();
    if (all === part) throw new Error("the choice chose nothing: " + part);
    await r.run("history.back()");
    await r.wait(`document.getElementById("chosen").innerText === ${JSON.stringify(all)}`, "what was before");
  },
  async orders(r) { // of each table are in the address: back takes them back, a copy of the address has them
    const shown = (n) => r.run(`Array.from(document.querySelectorAll("#view table")[${n}].querySelectorAll("tbody tr"), (row) => row.innerText)`);
    const click = (n, head) => r.run(`(() => {
      const found = Array.from(document.querySelectorAll("#view table")[${n}].querySelectorAll("th button")).find((b) => b.innerText.startsWith("${head}"));
      found.click();
      return document.activeElement.innerText;
    })()`);
    const sides = [["compared.html", "functions", 0, "function", "sort=function"],
      ["compared.html", "callers&function=go_deeper", 0, "binary", "sort-callers=binary"], ["compared.html", "callers&function=go_deeper", 1, "function", "sort-callees=function"],
      ["lines.html", "lines", 0, "line", "sort-lines=line"], ["lines.html", "lines", 1, "period", "sort-addresses=period"]];
    for (const [name, view, n, head, key] of sides) {
      await r.open(name, "#view=" + view);
      const before = await shown(n), hash = await r.run("location.hash");
      const steps = [];
      for (let i = 0; i < 2; i++) { // one order, and the other way
        equal((await click(n, head)).startsWith(head), true, "focus after " + head + " in " + view);
        steps.push([await shown(n), await r.run("location.hash")]);
      }
      if (!steps.every((step) => step[1].includes(key)) || steps[0][1] === steps[1][1]) throw new Error(key + ": " + steps.map((step) => step[1]));
      if (before.length > 1 && key !== "sort-callers=binary" && String(steps[0][0]) === String(steps[1][0])) throw new Error("nothing turned over by " + key);
      await r.run("history.back()");
      await r.wait(`location.hash === ${JSON.stringify(steps[0][1])}`);
      equal(await shown(n), steps[0][0], "after one step back, " + key);
      await r.run("history.back()");
      await r.wait(`location.hash === ${JSON.stringify(hash)}`);
      equal(await shown(n), before, "after two steps back, " + key);
      await r.open(name, steps[1][1]);
      equal(await shown(n), steps[1][0], "a copied address, " + key);
    }
    await r.open("compared.html", "#view=functions"); // the order of another view is none of this one
    const usual = await shown(0);
    await r.go("#view=functions&sort=verdict&sort-callers=nothing&sort-lines=.up");
    equal(await shown(0), usual, "functions by a column that they have not");
  },
  async address_of_last(r) { // a link that is followed right after a change whose address comes later
    await r.open("plain.html", "#view=functions");
    await r.page.key("/");
    await r.page.type("spin");
    await r.run("document.querySelectorAll('nav a')[1].click()");
    await r.run("new Promise((resolve) => setTimeout(resolve, 500))");
    equal(await r.run("[app.state.view, location.hash]"), ["timeline", "#view=timeline&find=spin"], "view and address");
  },
  async nothing_chosen(r) { // leaves nothing of before
    await r.open("compared.html", "#view=callers");
    equal(await r.run("document.querySelectorAll('#view table')[0].offsetHeight > 0"), true, "callers");
    await r.go("#view=callers&text=nothing");
    equal([await r.text("#view h2"), await r.run("Array.from(document.querySelectorAll('#view table, #view button, #view .status'), (e) => e.offsetHeight).filter(Boolean)")],
      ["No function is chosen", []], "what is seen");
  },
  async find(r) { // what tables have left is what is marked in the flame graph: functions of a binary, too
    for (const text of ["spin", "kernel", "readperf-samples", "/^\\[kernel/", "nothing"]) {
      await r.open("plain.html", "#view=functions&find=" + encodeURIComponent(text));
      const all = (await r.cells(0)).reduce((sum, share) => sum + parseFloat(share), 0);
      await r.go("#view=flame&find=" + encodeURIComponent(text));
      const found = parseFloat(/^found in ([\d.]+) %$/.exec(await r.text("#view .matched"))[1]);
      if (Math.abs(found - all) > 0.3 || (all === 0) !== (text === "nothing")) throw new Error(`${text}: ${found} % but ${all} %`);
    }
  },
  async saved(r) { // a table of what is chosen, as results.csv of the same selection has it; and what is found of it
    const lines = (text) => text.trim().split("\n").map((line) => line.split(","));
    const [heads, ...rows] = lines(fs.readFileSync(path.join(folder, "chosen.csv"), "utf8"));
    for (const find of ["", "spin"]) {
      await r.open("plain.html", "#view=functions&time=0.05-0.1&sort=function&find=" + find);
      await r.run(`globalThis.kept = []; URL.createObjectURL = (blob) => { kept.push(blob); return "#"; }; HTMLAnchorElement.prototype.click = function () { kept.push(this.download); }`);
      await r.run(`Array.from(document.querySelectorAll("#view button")).find((b) => b.innerText === "Save as CSV").click()`);
      equal(await r.run("kept[1]"), "functions.csv", "name");
      const [columns, ...found] = lines(await r.run("kept[0].text()"));
      const wanted = rows.map((row) => columns.map((column) => row[heads.indexOf(column)])).filter((row) => row.join().includes(find));
      equal(found.map(String).sort(), wanted.map(String).sort(), "rows with " + find);
      equal(rows.length > 2 && found.length > 1, true, "rows");
      const names = found.map((row) => row[columns.indexOf("function")]);
      equal(names, names.slice().sort().reverse(), "order, which is that of the page");
    }
  },
  async drag(r) {
    await r.open("plain.html", "#view=functions");
    const { x, y, width } = await r.box(".canvas canvas"), all = await r.chosen();
    await r.page.mouse("mouseMoved", x + width * 0.25, y + 10);
    await r.page.mouse("mousePressed", x + width * 0.25, y + 10);
    for (let part = 0.3; part <= 0.5; part += 0.05)
      await r.page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + width * part, y: y + 10, button: "left", buttons: 1 });
    await r.page.mouse("mouseReleased", x + width * 0.5, y + 10);
    await r.wait("/time=0\\.05\\d*-0\\.11\\d*/.test(location.hash)", "a quarter of 0.228 s");
    const count = Number(/Chosen: ([\d,]+)/.exec(await r.chosen())[1]);
    if (!(count > 100 && count < 400)) throw new Error(count + " of 869 samples");
    const pull = async (from, to) => { // an edge, to another place
      await r.page.mouse("mouseMoved", x + width * from + 2, y + 10);
      equal(await r.run("getComputedStyle(document.querySelector('.canvas canvas')).cursor"), "ew-resize", "cursor at an edge");
      await r.page.mouse("mousePressed", x + width * from + 2, y + 10);
      for (const part of [(from + to) / 2, to]) await r.page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + width * part, y: y + 10, button: "left", buttons: 1 });
      await r.page.mouse("mouseReleased", x + width * to, y + 10);
    };
    const chosen = await r.chosen(), [from] = /time=(0\.05\d*)-/.exec(await r.run("location.hash")).slice(1);
    await pull(0.5, 0.75);
    await r.wait(`location.hash.includes("time=${from}-0.17")`, "the last edge at three quarters of 0.228 s");
    await pull(0.25, 0.9); // beyond the other one
    await r.wait(`/time=0\\.17\\d*-0\\.20\\d*/.test(location.hash)`, "from the last edge on");
    await r.run("history.go(-2)");
    await r.wait(`document.getElementById("chosen").innerText === ${JSON.stringify(chosen)}`, "what was before edges moved");
    await r.page.click(x + width * 0.5, y + 10); // a click at an edge changes nothing
    equal(await r.chosen(), chosen, "after a click");
    await r.page.mouse("mouseMoved", x + width * 0.4, y + 10);
    equal(await r.run("getComputedStyle(document.querySelector('.canvas canvas')).cursor") === "ew-resize", false, "cursor elsewhere");
    await r.run("history.back()");
    await r.wait(`document.getElementById("chosen").innerText === ${JSON.stringify(all)}`, "what was before the drag");
  },
  async keys_choose_time(r) {
    await r.open("plain.html", "#view=timeline");
    await r.run("document.querySelector('#view canvas').focus()");
    await r.page.key("ArrowRight");
    await r.page.key("ArrowRight", 8);
    await r.wait("location.hash.includes('time=')");
    if (!/ at 0\.0\d+ s: /.test(await r.text("#view .status"))) throw new Error(await r.text("#view .status"));
    await r.page.key("+");
    await r.wait("location.hash.includes('window=')");
    await r.page.key("t");
    await r.wait("/[pt]id=\\d+/.test(location.hash)");
    await r.page.key("Escape");
    await r.wait("!location.hash.includes('time=')");
  },
  async states(r) {
    const cells = (line) => line.split(","), [head, ...lines] = fs.readFileSync(path.join(folder, "threads.csv"), "utf8").trim().split("\n").map(cells);
    const threads = lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]]))).filter((thread) => Number(thread.max_wait));
    for (const scheme of ["light", "dark"]) {
      await r.page.scheme(scheme);
      await r.open("states.html", "#view=timeline");
      const legend = await r.run("Array.from(document.querySelectorAll('.legend .swatch'), (mark) => getComputedStyle(mark).backgroundColor)");
      equal(legend.pop(), "rgba(0, 0, 0, 0)", "what is not known, which has no colour");
      equal(new Set(legend).size, 7, "colours of states, " + scheme);
      for (const [i, one] of legend.entries())
        for (const [k, other] of legend.entries()) /* sleeps and idle are never in one picture */
          if (i < k && !(i === 2 && k === 6) && leastDifference(one, other) < 15)
            throw new Error(`states ${i} and ${k} differ by ${leastDifference(one, other).toFixed(1)}, ${scheme}`);
      const drawn = await r.run(`(() => {
        const canvas = document.querySelector("#view canvas"), left = Math.round(Math.min(230, canvas.width * 0.34)), found = new Set();
        const { data } = canvas.getContext("2d").getImageData(left, 22, canvas.width - left, canvas.height - 22);
        for (let i = 0; i < data.length; i += 4) if (data[i + 3]) found.add("rgb(" + data.slice(i, i + 3).join(", ") + ")");
        return [...found];
      })()`);
      if (drawn.some((colour) => !legend.includes(colour))) throw new Error(`${drawn} are not only ${legend}`);
      for (const [i, column] of ["on_cpu", "wait", "sleeping"].entries())
        if (!drawn.includes(legend[i])) throw new Error(`nothing has the colour of ${column}, ${scheme}`);
    }
    await r.page.scheme("light");
    await r.run("document.querySelector('#view canvas').focus()");
    for (const key of ["ArrowDown", "ArrowRight", "ArrowRight"]) await r.page.key(key);
    const told = await r.text("#view .status");
    if (!/ \d+ at 0\.\d+ s: (on a CPU|waits for a CPU|sleeps|not known)/.test(told)) throw new Error("by keys: " + told);
    await r.run("scrollTo(0, 200)");
    const { x, y, width, height } = await r.box("#view canvas"), left = Math.round(Math.min(230, width * 0.34));
    const [first, duration] = await r.run("[app.model.about.first, app.model.duration * app.model.about.unit]");
    for (const thread of threads) { /* in the middle of its longest wait */
      const at = Number(BigInt(thread.max_wait_time) - BigInt(first)) + thread.max_wait / 2, ns = Number(thread.max_wait);
      const wanted = `waits for a CPU, wait of ${ns < 1e6 ? (ns / 1e3).toFixed(3) + " us" : (ns / 1e6).toFixed(3) + " ms"},`;
      let text = "";
      for (let row = 22 + 9; row < height && !text.startsWith(`${thread.thread} ${thread.tid} `); row += 18) {
        await r.page.mouse("mouseMoved", x + left + (at / duration) * (width - left), y + row);
        await r.run("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))");
        text = await r.text("#view .status");
      }
      if (!text.includes(wanted)) throw new Error(`thread ${thread.tid}: ${wanted} but ${text}`);
    }
    if (!threads.length) throw new Error("no thread waited");
  },
  async sampled(r) { // where states are shown, what a thread on a CPU was sampled in
    if (!fs.existsSync(path.join(folder, "sampled.html"))) return;
    await r.open("sampled.html", "#view=timeline");
    /* the longest stretches on a CPU with samples, of which one function has most: [thread, begin, end, function] */
    const told = await r.run(`(() => {
      const { model } = app, { time, node, task } = model, event = model.events.find((e) => !e.interval).number, found = [];
      const { tasks, threads } = model.data, tid = (i) => threads.tid[tasks.thread[task[i]]];
      const rows = Array.from(time.keys()), samples = rows.filter((i) => tasks.event[task[i]] === event), on = rows.filter((i) => model.data.samples.what[i] && model.allEvents[tasks.event[task[i]]].name === "on-cpu");
      for (const k of on) {
        const long = model.weight[k] / model.about.unit, end = time[k] + long, counts = {};
        const near = samples.filter((i) => tid(i) === tid(k) && time[i] > time[k] - long / 50 && time[i] < end + long / 50);
        for (const i of near) if (time[i] > time[k] && time[i] < end) counts[model.functionOf[node[i]]] = (counts[model.functionOf[node[i]]] || 0) + 1;
        const [most] = Object.entries(counts).sort((one, other) => other[1] - one[1]);
        if (most && most[1] * 2 > near.length) found.push([tid(k), time[k], end, model.name(most[0])]);
      }
      return found.sort((one, other) => other[2] - other[1] - one[2] + one[1]).slice(0, 3);
    })()`);
    if (!told.length) throw new Error("nothing was sampled");
    const unit = await r.run("app.model.about.unit / 1e9");
    for (const [tid, begin, end, name] of told) {
      const from = Math.max(0, begin - (end - begin)), to = end + (end - begin), seconds = (time) => (time * unit).toFixed(9);
      await r.go(`#view=timeline&window=${seconds(from)}-${seconds(to)}`);
      const { x, y, width, height } = await r.box("#view canvas"), left = Math.round(Math.min(230, width * 0.34));
      let text = "";
      for (let row = 22 + 9; row < height && !RegExp("^[^:]+ " + tid + " at ").test(text); row += 18) {
        await r.page.mouse("mouseMoved", x + left + (((begin + end) / 2 - from) / (to - from)) * (width - left), y + row);
        await r.run("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))");
        text = await r.text("#view .status");
      }
      if (!text.includes(": on a CPU, ") || !text.includes(`; sampled mostly in ${name} (`)) throw new Error(`thread ${tid}: ${name} but ${text}`);
    }
  },
  async lines(r) {
    await r.open("lines.html", "#view=lines");
    if (!(await r.run("document.querySelectorAll('#view tbody tr').length > 5"))) throw new Error("few lines and addresses");
  },
  async compared(r) {
    const shown = () => r.text("#view .status");
    for (const width of [360, 1200])
      for (const view of ["summary", "changes", "flame", "functions", "callers"]) {
        await r.page.size(width, 800);
        await r.open("compared.html", "#view=" + view);
        equal(await r.run("[document.querySelectorAll('nav a').length, document.querySelectorAll('nav a[aria-current]').length]"), [6, 1], "links in " + view);
        const wide = await r.run("document.documentElement.scrollWidth");
        if (wide > width) throw new Error(`${view} is ${wide} wide in ${width}`);
      }
    await r.open("compared.html"); /* begins with what changed */
    equal((await r.cells(2))[0], "[total]", "first row");
    await r.page.key("3");
    await r.wait("document.querySelector('#view canvas')", "the flame graph");
    await r.run("document.querySelector('#view canvas').focus()");
    const now = await shown();
    if (!/^all [\d.]+ ms, base [\d.]+ ms, change [-+][\d.]+ %, 100.00 %$/.test(now)) throw new Error(now);
    await r.run(`Array.from(document.querySelectorAll('#view button')).find((b) => b.textContent.startsWith('Width')).click()`);
    await r.wait("location.hash.includes('side=base')");
    const swapped = / ([\d.]+ ms), base ([\d.]+ ms), (change [-+][\d.]+ %)/.exec(now);
    equal(await shown(), `all ${swapped[2]}, new ${swapped[1]}, ${swapped[3]}, 100.00 %`, "the width of the base side");
    await r.go("#view=lines&time=1-2&window=1-2&tid=5");
    equal(await r.run("document.querySelector('nav a[aria-current]').innerText"), "Changes", "a view that is not there");
  },
  async hostile(r) {
    await r.open("hostile.html", "#view=functions");
    const names = await r.cells(1);
    for (const name of ["<script>window.bad=1</script>", "\\xe2\\x80\\xaelive"]) if (!names.includes(name)) throw new Error("no " + name + " in " + names);
    for (const view of VIEWS) await r.go("#view=" + view + "&find=%3Cscript%3E&text=%22%3E%3Cimg%20src=x%20onerror=bad()%3E&stack=%3Cimg%20src=x%20onerror=bad()%3E&processes=1");
    equal(await r.run("[typeof bad, document.querySelectorAll('main script, main img').length]"), ["undefined", 0], "what names did");
    for (const view of VIEWS) await r.go("#view=" + view + "&side=base"); /* of what is no comparison */
    await r.go("#view=nonsense&event=%&time=--&pid=x&path=1,2,3&function=%F0&window=9-1&sort=none");
    if (!/^Chosen/.test(await r.chosen())) throw new Error("a wrong address");
  },
  async schemes(r) {
    for (const scheme of ["light", "dark"]) {
      await r.page.scheme(scheme);
      await r.open("plain.html");
      equal(await r.run("getComputedStyle(document.body).backgroundColor"), scheme === "dark" ? "rgb(27, 28, 32)" : "rgb(255, 255, 255)", scheme);
    }
    await r.page.scheme("light");
  },
  async printed(r) { // what is on the screen in dark colours and with bars to scroll is on paper in light ones, and whole
    for (const scheme of ["light", "dark"]) {
      await r.page.scheme(scheme);
      for (const [name, views] of [["plain.html", VIEWS], ["states.html", ["timeline", "tree"]], ["compared.html", ["changes", "flame", "functions"]]])
        for (const view of views) {
          await r.open(name, "#view=" + view);
          await r.run(`printed = {}; addEventListener("beforeprint", () => { printed.ink = colour("ink"); });
            matchMedia("print").addEventListener("change", (media) => {
              const right = (what) => Math.max(0, ...Array.from(document.querySelectorAll(what), (e) => e.getBoundingClientRect().right));
              if (!media.matches) return;
              printed.paper = document.body.clientWidth;
              Object.assign(printed, { canvas: right("canvas"), cell: right("td"), text: getComputedStyle(document.body).color, buttons: right("nav, .tools button"),
                cut: Array.from(document.querySelectorAll(".canvas .spacer"), (e) => parseFloat(e.style.height)).filter((height) => height > 0).length });
            })`);
          await r.page.send("Page.printToPDF", {});
          const { ink, text, paper, canvas, cell, buttons, cut } = await r.run("printed");
          equal([ink, text, cut, buttons], ["#1d1d22", "rgb(29, 29, 34)", 0, 0], `${name} ${view}, ${scheme}: colours, what is cut off, buttons`);
          if (!(canvas <= paper)) throw new Error(`${name} ${view}: a picture is ${canvas} wide on paper of ${paper}`);
          if (!(cell <= 1.33 * paper)) throw new Error(`${name} ${view}: a table is ${cell} wide on paper of ${paper}, which Chrome cuts off`);
          equal(await r.run(`[document.documentElement.classList.contains("paper"), colour("ink"), Array.from(document.querySelectorAll("canvas")).every((c) => !c.offsetParent || c.clientWidth > 1100)]`),
            [false, scheme === "dark" ? "#e6e6ea" : "#1d1d22", true], "afterwards");
        }
    }
    await r.page.scheme("light");
  },
  async reduced_motion(r) {
    for (const [value, behaviour] of [["reduce", "auto"], ["no-preference", "smooth"]]) {
      await r.page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value }] });
      await r.open("plain.html");
      equal(await r.run("getComputedStyle(document.documentElement).scrollBehavior"), behaviour, value);
      equal(await r.run("document.getAnimations().length"), 0, "animations");
    }
    await r.page.send("Emulation.setEmulatedMedia", { features: [] });
  },
  async zoomed(r) { // to 200 %
    await r.page.send("Emulation.setDeviceMetricsOverride", { width: 600, height: 400, deviceScaleFactor: 2, mobile: false });
    for (const view of VIEWS) {
      await r.open("plain.html", "#view=" + view);
      if (await r.run("document.documentElement.scrollWidth > 600")) throw new Error(view + " is too wide");
      const sharp = await r.run(`Array.from(document.querySelectorAll("canvas")).every((c) => Math.abs(c.width - 2 * c.clientWidth) < 2 && c.getBoundingClientRect().right <= 600)`);
      equal(sharp, true, "canvases of " + view);
    }
  },
  async keyboard(r) { // reaches everything, and what it reaches is seen to be
    const focused = () => r.run(`(({ tagName, innerText, placeholder, ariaLabel }) => tagName + " " + (placeholder || ariaLabel || innerText || "").slice(0, 30))(document.activeElement)`);
    for (const view of VIEWS) {
      await r.open("plain.html", "#view=" + view);
      for (let i = 0; i < 400; i++) {
        await r.page.key("Tab");
        const [tag, outline, inView, again] = await r.run(`(() => {
          const e = document.activeElement, { top, bottom } = e.getBoundingClientRect(), again = e.dataset.seen;
          e.dataset.seen = "yes";
          return [e.tagName, getComputedStyle(e).outlineStyle, bottom > 0 && top < innerHeight, again];
        })()`);
        if (tag === "BODY" || again) break;
        if (outline === "none" || !inView) throw new Error(`${view}: ${await focused()} has outline ${outline}, in view: ${inView}`);
      }
      const left = await r.run(`Array.from(document.querySelectorAll("main a, main button, main input, main select, main canvas")).filter((e) => e.offsetParent && !e.dataset.seen).map((e) => e.outerHTML)`);
      equal(left, [], "what Tab does not reach in " + view);
    }
  },
  async without_scripts(r) {
    await withoutScripts(r.page, async () => {
      await r.page.open("file://" + path.resolve(folder, "plain.html"));
      const text = await r.text("main");
      for (const part of ["cpu-clock", "spin_right", "Warnings", "Flame graph"]) if (!text.includes(part)) throw new Error("no " + part);
      if (!(await r.run("document.querySelectorAll('svg rect').length > 5"))) throw new Error("no flame graph");
      await r.page.open("file://" + path.resolve(folder, "long.html")); /* a name of 60,000 characters */
      if (await r.run("Math.max(...Array.from(document.querySelectorAll('tr'), (row) => row.offsetHeight)) > 300")) throw new Error("a high row");
      await r.page.size(700, 800);
      await r.page.open("file://" + path.resolve(folder, "compared.html"));
      if (await r.run("Math.max(...Array.from(document.querySelectorAll('tr'), (row) => row.offsetHeight)) > 150")) throw new Error("a high row of a comparison");
      const compared = await r.text("main");
      for (const part of ["Rules", "not met", "Runs", "Changes: cpu-clock", "go_deeper"]) if (!compared.includes(part)) throw new Error("no " + part);
      if (!(await r.run("document.querySelectorAll('svg rect[fill=\"#ff5555\"]').length > 0"))) throw new Error("nothing is red");
    });
  },
  async namesakes(r) { // two functions of one name in one binary, of different files
    await r.open("namesakes.html", "#view=functions");
    const rows = await r.run(`Array.from(document.querySelectorAll("#view tbody tr")).filter((row) => row.children[1].innerText === "header_mix")
      .map((row) => [row.children[2].innerText, row.querySelector("a").hash])`);
    equal(rows.length, 2, "functions of that name");
    for (const [self, hash] of rows) {
      await r.go(hash);
      if (!(await r.text("#view .status")).includes(" self " + self)) throw new Error(`${self} but ${await r.text("#view .status")}`);
    }
  },
  async without(r) { // stacks without two functions, one after the other
    await r.open("compared.html", "#view=callers&function=go_deeper");
    const cost = async () => parseFloat(/New: ([\d.]+ ms)/.exec(await r.chosen())[1]), all = await cost();
    const press = () => r.run(`Array.from(document.querySelectorAll("#view button")).find((b) => b.innerText === "Only those without").click()`);
    const total = parseFloat(/ total ([\d.]+) ms/.exec(await r.text("#view .status"))[1]);
    if (!total) throw new Error("go_deeper costs nothing");
    await press();
    if (Math.abs(await cost() - (all - total)) > 0.002) throw new Error(`${await cost()} are left of ${all}, without ${total}`);
    await r.go((await r.run("location.hash")) + "&function=spin&binary=");
    const other = parseFloat(/ total ([\d.]+) ms/.exec(await r.text("#view .status"))[1]);
    await press();
    if (!other || Math.abs(await cost() - (all - total - other)) > 0.003) throw new Error(`${await cost()} are left of ${all}, without ${total} and ${other}`);
  },
  async fields(r) { // what is typed, as names, ranges and mistakes
    await r.open("plain.html", "#view=functions");
    const all = await r.chosen();
    const type = (name, text) => r.run(`(() => {
      const input = Array.from(document.querySelectorAll("#choice label")).find((l) => l.textContent.startsWith("${name}")).querySelector("input");
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event("change"));
      return [input.getAttribute("aria-invalid"), location.hash];
    })()`);
    for (const [name, text] of [["Time", "half"], ["Threads", "none such"], ["CPUs", "x"], ["Processes", "1-2"]]) {
      const [invalid, hash] = await type(name, text);
      equal([invalid, hash], ["true", "#view=functions"], `${name}: ${text}`);
      if (!(await r.chosen()).includes(text)) throw new Error("nothing is said about " + text);
      await type(name, "");
      equal(await r.chosen(), all, "after " + text);
    }
    await type("Processes", "prim*");
    equal(await r.run("/pid=[0-9]+$/.test(location.hash)"), true, "a process by its name");
    if (await r.chosen() === all) throw new Error("a name chose nothing");
  },
  async sorted(r) {
    await r.open("lines.html", "#view=lines");
    const first = await r.cells(3);
    await r.run(`Array.from(document.querySelectorAll("#view th button")).filter((b) => b.innerText === "address")[0].click()`);
    await r.run(`document.activeElement.click()`);
    const second = await r.cells(3), from = second.findIndex((text) => text.startsWith("0x"));
    const addresses = second.slice(from), order = addresses.slice().sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    if (addresses.length < 3) throw new Error("few addresses: " + first);
    equal([addresses, addresses.slice().reverse()].map(String).includes(String(order)), true, "order of " + addresses);
    equal(await r.run("document.activeElement.parentElement.ariaSort !== null"), true, "focus");
  },
  async help(r) {
    await r.open("plain.html", "#view=functions");
    await r.page.size(360, 700);
    await r.page.key("?");
    await r.wait("document.querySelector('dialog[open]')", "the keys");
    equal(await r.run("document.documentElement.scrollWidth <= 360 && document.querySelector('dialog').scrollWidth <= 360"), true, "width");
    await r.page.key("1");
    equal(await r.run("location.hash"), "#view=functions", "keys behind it");
    await r.page.key("Escape");
    await r.wait("!document.querySelector('dialog')", "its end");
  },
  async long_names(r) { // of 60,000 characters
    await r.open("long.html", "#view=functions");
    for (const view of ["functions", "callers", "tree", "flame"]) {
      await r.go("#view=" + view);
      const { height } = await r.box("#view"), wide = await r.run("Math.max(...Array.from(document.querySelectorAll('#view table'), (t) => t.offsetWidth), 0)");
      if (height > 3000 || wide > 3000) throw new Error(`${view} is ${wide} wide and ${height} high`);
    }
  },
  async contrast(r) { // of texts, as WCAG measures it
    const failed = `(() => {
      const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
      const back = (e) => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
      const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
      const seen = [];
      for (const e of document.querySelectorAll("body *")) {
        const text = Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
        if (e.closest("svg, option") || !e.offsetParent) continue;
        const styles = (text ? [getComputedStyle(e)] : []).concat(e.placeholder && !e.value ? [getComputedStyle(e, "::placeholder")] : []);
        for (const style of styles) if (ratio(numbers(style.color), back(e)) < 4.5) seen.push(e.tagName + "." + e.className + " " + ratio(numbers(style.color), back(e)).toFixed(2));
      }
      return seen.slice(0, 3);
    })()`;
    for (const scheme of ["light", "dark"]) {
      await r.page.scheme(scheme);
      for (const [name, views] of [["plain.html", VIEWS], ["compared.html", ["summary", "changes", "flame", "callers"]]])
        for (const view of views) {
          await r.open(name, "#view=" + view + "&find=spin");
          equal(await r.run(failed), [], `${name} ${view}, ${scheme}`);
        }
    }
    await r.page.scheme("light");
  },
  async under_policy(r) {
    const answer = (url) => ({ file: path.join(folder, "plain.html"), type: "text/html",
      policy: "default-src 'none'" + (url === "/inline" ? "; script-src 'unsafe-inline'; style-src 'unsafe-inline'" : "") });
    await serve(answer, async (address) => {
      await r.page.open(address + "/none");
      if (!(await r.text("main")).includes("spin_right")) throw new Error("nothing is shown without scripts");
      await r.page.open(address + "/inline");
      await r.wait("document.documentElement.classList.contains('live')", "life without any network");
    });
  },
};

test(program, "page", tests, (page) => new Report(page), 300);
