// Flame graphs in a headless Chromium: clicks, keys, links, colour schemes, policies.
// usage: node browser.js CHROMIUM FOLDER   FOLDER has what tests/exports/make writes: known.svg, 100.svg, ...
"use strict";
const { equal, holds, serve, withoutScripts, test } = require("./devtools.js");
const path = require("path");
const [program, folder] = process.argv.slice(2);
const url = (name) => "file://" + path.resolve(folder, name);

// What the page shows: texts and places of frames as {name, x, y, w, opacity, fill, stroke}.
const SHOWN = `Array.from(document.querySelectorAll("#plot g")).map((g) => {
  const r = g.querySelector("rect"), t = g.querySelector("text"), b = r.getBoundingClientRect();
  return { name: t ? t.textContent : "", x: b.x, y: b.y, w: b.width, h: b.height, opacity: r.getAttribute("opacity"),
    fill: r.getAttribute("fill"), stroke: r.getAttribute("stroke") };
})`;

class Graph {
  constructor(page) { this.page = page; }
  shown() { return this.page.run(SHOWN); }
  text(id) { return this.page.run(`document.getElementById("${id}").textContent`); }
  hash() { return this.page.run("location.hash"); }
  async frame(name, nth) {
    const all = (await this.shown()).filter((f) => f.name === name);
    if (!all[nth || 0]) throw new Error("no frame " + name);
    return all[nth || 0];
  }
  async click(name, nth) {
    const f = await this.frame(name, nth);
    await this.page.click(f.x + f.w / 2, f.y + f.h / 2);
  }
  async keys(...keys) { for (const key of keys) await this.page.key(key); }
  // A document that is loaded anew although only the part behind # differs.
  async open(name, hash) {
    await this.page.open("about:blank");
    await this.page.open(url(name) + (hash || ""));
  }
}

const tests = {
  async hover(g) {
    await g.open("known.svg");
    equal((await g.shown()).length, 11, "frames");
    const f = await g.frame("copy_to_user");
    await g.page.mouse("mouseMoved", f.x + 5, f.y + 5);
    equal(await g.text("status"), "copy_to_user ([kernel.kallsyms])  180.000 ms, 180 samples, 18.00 %", "status");
  },
  async zoom(g) {
    await g.open("known.svg");
    await g.click("do_sys_read");
    const f = await g.frame("do_sys_read");
    equal([Math.round(f.x), Math.round(f.w)], [0, 1200], "place");
    equal((await g.shown()).filter((s) => s.opacity !== "1").map((s) => s.name), ["main", "all"], "dimmed");
    holds(await g.text("status"), "20.00 %, 100.00 % of zoom");
    await g.keys("ArrowDown");
    holds(await g.text("status"), "180 samples, 18.00 %, 90.00 % of zoom");
    // what lies outside of the zoom is no part of it
    await g.keys("ArrowUp", "ArrowUp");
    holds(await g.text("status") + "$", "900 samples, 90.00 %$");
    const caller = await g.frame("all");
    await g.page.mouse("mouseMoved", caller.x + 5, caller.y + 5);
    holds(await g.text("status") + "$", "1,000 samples, 100.00 %$");
    equal(await g.hash(), "#z=7", "link");
    await g.keys("Escape");
    equal((await g.shown()).length, 11, "frames");
    equal(await g.hash(), "", "link");
    await g.click("std::sort");
    await g.page.click(20, 66);
    equal((await g.shown()).length, 11, "frames after Reset");
  },
  async arrows(g) {
    const held = async () => (await g.text("status")).split(" ")[0];
    await g.open("known.svg");
    await g.keys("ArrowDown");
    equal(await held(), "main", "widest child");
    await g.keys("ArrowDown", "ArrowDown", "ArrowDown");
    equal(await held(), "leaf<int>", "widest child");
    await g.keys("ArrowRight");
    holds(await g.text("status"), "walk (/usr/bin/known)  100.000 ms");
    await g.keys("ArrowLeft", "ArrowUp", "ArrowRight");
    equal(await held(), "std::sort", "right sibling of the parent");
    equal((await g.shown()).filter((s) => s.stroke !== "none").map((s) => s.name), ["std::sort"], "held");
    await g.keys("ArrowRight");
    equal(await held(), "std::sort", "no sibling there");
    await g.keys("Enter");
    equal(Math.round((await g.frame("std::sort")).w), 1200, "width");
    await g.keys("Home");
    equal((await g.shown()).length, 11, "frames");
  },
  async outline(g) {
    const kept = "document.querySelectorAll('#plot g.kept').length";
    const held = async () => (await g.shown()).filter((f) => f.stroke !== "none").map((f) => f.name);
    await g.open("known.svg");
    await g.page.run("document.querySelectorAll('#plot g').forEach((shape) => shape.classList.add('kept'))");
    for (const name of ["main", "walk", "main", "all"]) {
      await g.keys(name === "walk" || (await held()).length === 0 ? "ArrowDown" : "ArrowUp");
      equal(await held(), [name], "held");
      equal(await g.page.run(kept), 11, "frames that were not drawn anew");
    }
    // a sibling is outside of the zoom, which ends
    await g.keys("ArrowDown", "ArrowDown", "Enter", "ArrowRight");
    equal([await held(), (await g.shown()).length], [["do_sys_read"], 11], "held outside of the zoom");
    equal(await g.hash(), "", "link");
  },
  async search(g) {
    await g.open("known.svg");
    await g.keys("/");
    await g.page.type("walk");
    // nested matches count once: 600 of 1000
    equal(await g.text("match"), "search: walk_   matched 60.00 %", "matched");
    await g.keys("Enter");
    equal(await g.text("match"), "search: walk   matched 60.00 %", "matched");
    equal((await g.shown()).filter((s) => s.fill === "#e0e").length, 3, "marked");
    equal(await g.hash(), "#s=walk", "link");
    await g.click("main");
    equal(await g.text("match"), "search: walk   matched 66.67 %", "matched of zoom");
    await g.keys("Escape");
    equal(await g.text("match"), "", "after Escape");
    await g.page.key("f", 2);
    await g.page.type("^(leaf|copy)x");
    await g.keys("Backspace", "Enter", "Home");
    equal(await g.text("match"), "search: ^(leaf|copy)   matched 43.00 %", "regular expression");
    // the root is no function
    await g.keys("/");
    await g.page.type("^all$");
    equal(await g.text("match"), "search: ^all$_   matched 0.00 %", "matched");
    await g.keys("Escape", "/");
    await g.page.type("^(all|walk)$");
    equal(await g.text("match"), "search: ^(all|walk)$_   matched 60.00 %", "matched");
    await g.keys("/");
    await g.page.type("(");
    holds(await g.text("match"), "Invalid regular expression");
  },
  async links(g) {
    await g.open("known.svg", "#s=walk&z=2");
    equal(await g.text("match"), "search: walk   matched 100.00 %", "matched");
    equal(Math.round((await g.frame("walk")).w), 1200, "width");
    await g.page.run("location.hash = '#s=%5Estd%3A%3A'");
    await g.page.run("new Promise((resolve) => setTimeout(resolve, 50))");
    equal(await g.text("match"), "search: ^std::   matched 15.00 %", "changed link");
    await g.open("known.svg", "#s=%&z=-1&i=7&z=999999");
    equal((await g.shown()).length, 11, "frames of a wrong link");
  },
  async invert(g) {
    await g.open("known.svg");
    const before = await g.frame("all");
    await g.keys("i");
    if (!((await g.frame("all")).y > (await g.frame("main")).y && before.y < (await g.frame("all")).y))
      throw new Error("the root is not at the bottom");
    equal(await g.hash(), "#i=1", "link");
    await g.keys("ArrowUp", "ArrowUp", "ArrowDown");
    holds(await g.text("status"), "main ");
    await g.page.click(220, 66);
    equal((await g.frame("all")).y, before.y, "place of the root");
  },
  async copy(g) {
    await g.open("known.svg");
    await g.click("std::sort");
    await g.keys("c");
    equal(await g.page.run("String(getSelection())"), "std::sort", "selected text");
  },
  async resize(g) {
    await g.open("known.svg");
    await g.page.size(700, 500);
    await g.page.run("new Promise((resolve) => setTimeout(resolve, 100))");
    equal(Math.round((await g.frame("all")).w), 700, "width");
    await g.page.size(1200, 800);
  },
  async labels(g) {
    await g.open("known.svg");
    await g.page.size(400, 500);
    await g.page.run("new Promise((resolve) => setTimeout(resolve, 100))");
    await g.frame("sort"); // std::sort in 60 pixels
    const f = await g.frame("do_sys_r.."); // in 80
    await g.page.mouse("mouseMoved", f.x + 5, f.y + 5);
    equal((await g.text("status")).slice(-32), "200.000 ms, 200 samples, 20.00 %", "numbers in sight");
    equal(await g.page.run("Array.from(document.querySelectorAll('#plot title')).map((t) => t.textContent)"), ["do_sys_read"], "tip");
    await g.page.size(1200, 800);
  },
  async wide(g) {
    await g.open("wide.svg");
    equal((await g.shown()).map((f) => f.name), ["all", "漢漢漢漢漢..", "🔥🔥🔥🔥🔥..", "a🔥🔥🔥🔥🔥..", "ééééé12345678"], "labels");
  },
  async scrolled(g) {
    const place = "document.getElementById('head').getBoundingClientRect().y";
    await g.open("known.svg");
    await g.page.size(700, 140);
    await g.keys("i");
    await g.page.run("new Promise((resolve) => setTimeout(resolve, 100))");
    if (!(await g.page.run("scrollY") > 0)) throw new Error("the root is out of sight");
    equal(await g.page.run(place), 0, "place of the tools");
    await g.keys("i");
    await g.page.run("new Promise((resolve) => setTimeout(resolve, 100))");
    equal([await g.page.run("scrollY"), await g.page.run(place)], [0, 0], "scrolled back");
    await g.keys("ArrowDown", "ArrowDown", "ArrowDown");
    await g.page.run("new Promise((resolve) => setTimeout(resolve, 100))");
    const held = (await g.shown()).find((f) => f.stroke !== "none");
    if (held.y < 63 || held.y + held.h > 141) throw new Error("the frame that is held is at " + held.y);
    await g.page.size(1200, 800);
  },
  async back_to_root(g) {
    await g.page.size(1200, 140);
    for (const back of ["Escape", "Home", "Reset"]) {
      await g.open("100.svg");
      await g.page.run("scrollTo(0, 1e6)");
      await g.page.run("new Promise((resolve) => setTimeout(resolve, 100))");
      if (!(await g.page.run("scrollY") > 0)) throw new Error("nothing to scroll");
      if (back === "Reset") await g.page.click(20, 66);
      else await g.keys(back);
      equal(await g.page.run("scrollY"), 0, "scrolled after " + back);
      equal((await g.shown()).find((f) => f.stroke !== "none").name, "all", "held after " + back);
    }
    await g.page.size(1200, 800);
  },
  async schemes(g) {
    const colours = `[getComputedStyle(document.documentElement).backgroundColor,
      getComputedStyle(document.getElementById("back")).fill, getComputedStyle(document.getElementById("status")).fill]`;
    for (const scheme of ["light", "dark"]) {
      await g.page.scheme(scheme);
      await g.open("known.svg");
      equal(await g.page.run(colours), scheme === "dark" ? ["rgb(27, 28, 32)", "rgb(27, 28, 32)", "rgb(228, 228, 228)"]
        : ["rgba(0, 0, 0, 0)", "rgb(255, 255, 255)", "rgb(34, 34, 34)"], scheme);
    }
    await g.page.scheme("light");
  },
  async differential(g) {
    await g.open("differential.svg");
    equal((await g.frame("leaf<int>")).fill, "rgb(255,141,141)", "grew");
    equal((await g.frame("std::sort")).fill, "#ddd", "unchanged");
    equal((await g.frame("do_sys_read")).fill, "rgb(190,190,255)", "shrank");
    await g.click("leaf<int>");
    holds(await g.text("status"), "+150.000 ms");
  },
  async hostile(g) {
    await g.open("hostile.svg");
    equal((await g.shown()).length, 8, "frames");
    equal((await g.shown()).filter((f) => f.w > 100).length, 8, "wide frames");
    await g.keys("/");
    await g.page.type("^a & b < c > d ' e$");
    holds(await g.text("match"), "matched 12.50 %");
  },
  async many(g) {
    const begun = Date.now();
    await g.open("100000.svg");
    const opened = Date.now() - begun, drawn = await g.page.run("document.querySelectorAll('rect').length");
    if (drawn > 60000) throw new Error(drawn + " shapes");
    await g.keys("/");
    await g.page.type("insert");
    holds(await g.text("match"), "matched ");
    await g.keys("Enter", "Home", "ArrowDown", "ArrowDown", "Enter");
    holds(await g.text("status"), "of zoom");
    // generous: other work may be going on
    if (opened > 20000) throw new Error("opened after " + opened + " ms");
  },
  async without_scripts(g) {
    await withoutScripts(g.page, async () => {
      await g.open("known.svg");
      equal((await g.shown()).length, 11, "frames");
      holds(await g.page.run("document.querySelector('#plot title').textContent"), "all  1.000000 s, 1000 samples, 100.00 %");
      equal(await g.page.run("document.getElementById('tools').getAttribute('visibility')"), "hidden", "tools");
    });
  },
  async under_policy(g) {
    const known = { file: path.join(folder, "known.svg"), type: "image/svg+xml", policy: "default-src 'none'" };
    await serve(() => known, async (address) => {
      await g.page.open(address + "/");
      equal((await g.shown()).length, 11, "frames");
      equal((await g.frame("do_sys_read")).fill, "#7fb2e0", "colour of the part without scripts");
      equal(await g.page.run("getComputedStyle(document.querySelector('#plot text')).fontFamily"), "monospace", "font");
    });
  },
};

test(program, "exports", tests, (page) => new Graph(page), 180);
