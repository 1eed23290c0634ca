/* Draws the frames of flame.svg; it stands behind frames.js. N: names as "function\tbinary\tkind", D: depths, I: indices
   into N, V: periods with children, S: samples or the period of each, E: deltas or null. */
(() => {
  var ns = "http://www.w3.org/2000/svg", svg = document.documentElement, TOP = 98;
  var F = D.length, X = new Float64Array(F), L = new Int32Array(F), P = new Int32Array(F), next = [0], open = [];
  var names = N.map(n => n.split("\t")),
    at = 0, held = -1, query = "", typing, found, flip = true, shapes = [], rows = 0;
  for (var i = 0; i < F; i++) {
    var d = D[i];
    while (open.length > d) L[open.pop()] = i;
    P[i] = d ? open[d - 1] : -1;
    X[i] = next[d]; next[d] += V[i]; next[d + 1] = X[i];
    open.push(i); rows = Math.max(rows, d + 1);
  }
  while (open.length) L[open.pop()] = F;

  function make(tag, attributes, text) {
    var e = document.createElementNS(ns, tag);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    if (text) e.textContent = text;
    return e;
  }
  const colour = i => E ? changeColour(V[i], E[i]) : frameColour(names[I[i]][0], names[I[i]][2]);
  const amount = v => formatPeriod(v, U === "ns");
  function say(i) {
    var n = names[I[i]], t = (n[1] ? " (" + n[1] + ")" : "") + "  " + amount(V[i]) + ", " +
      (typeof S === "number" ? V[i] / S : S[i]).toLocaleString("en") + " samples, " + formatShare(V[i], V[0]);
    if (at && i >= at) t += ", " + formatShare(V[i], V[at]) + " of zoom"; /* not its callers */
    if (E) t += ", " + (E[i] < 0 ? "-" : "+") + amount(Math.abs(E[i]));
    status.textContent = fit(n[0], Math.max(12, Math.floor(width / CHAR) - 3 - t.length)) + t;
  }
  var id = name => document.getElementById(name);
  var plot = id("plot"), status = id("status"), match = id("match"), tip = make("title"), width = 1200, height = 0;

  function frame(i, x, w, dim) {
    var y = TOP + (flip ? D[i] : rows - 1 - D[i]) * ROW, g = make("g", { class: "f" });
    g.appendChild(make("rect", {
      x: x.toFixed(1), y, width: Math.max(w - 0.4, 0.3).toFixed(1), height: ROW - 1, rx: 1,
      fill: found && found[i] ? "#e0e" : colour(i), opacity: dim ? 0.45 : 1, stroke: "none"
    }));
    var chars = Math.floor((w - 5) / CHAR);
    if (chars > 2) g.appendChild(make("text", { x: (x + 3).toFixed(1), y: y + 13, fill: "#000" }, fit(names[I[i]][0], chars)));
    g.n = i; shapes[i] = g; plot.appendChild(g);
  }
  function mark(line) { if (shapes[held]) shapes[held].firstChild.setAttribute("stroke", line); }
  function draw() {
    width = Math.max(320, svg.clientWidth || innerWidth); height = TOP + rows * ROW + 8;
    svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    svg.setAttribute("height", height);
    plot.textContent = ""; shapes = [];
    var scale = width / (V[at] || 1);
    for (var a = P[at]; a >= 0; a = P[a]) frame(a, 0, width, true);
    for (var i = at; i < L[at];) {
      var w = V[i] * scale;
      if (w < NARROWEST) i = L[i];
      else { frame(i, (X[i] - X[at]) * scale, w); i++; }
    }
    mark("#06f"); tell();
  }
  function tell() {
    var text = typing || query ? "search: " + query + (typing ? "_" : "") : "";
    if (found) {
      var sum = 0;
      for (var i = at; i < L[at];) if (found[i]) { sum += V[i]; i = L[i]; } else i++;
      text += "   matched " + formatShare(sum, V[at]);
    }
    match.textContent = text;
  }
  function link() {
    var h = [];
    if (query) h.push("s=" + encodeURIComponent(query));
    if (at) h.push("z=" + at);
    if (!flip) h.push("i=1");
    try { history.replaceState(null, "", "#" + h.join("&")); } catch (e) { }
  }
  function search() {
    found = null;
    if (query) {
      var r, hit;
      try { r = RegExp(query); } catch (e) { draw(); match.textContent += "   " + e.message; return; }
      hit = names.map(n => r.test(n[0]));
      found = Uint8Array.from(I, n => hit[n]);
      found[0] = 0;
    }
    draw();
  }
  function zoom(i) { at = held = i; link(); draw(); say(i); if (!i) root(); }
  function hold(i) {
    if (i < 0) return;
    mark("none"); held = i;
    if (i < L[at] && at < L[i]) mark("#06f"); else { at = 0; link(); draw(); }
    say(i);
    if (shapes[i]) shapes[i].scrollIntoView({ block: "nearest" });
  }
  function widest(i) {
    var best = -1;
    for (var c = i + 1; c < L[i]; c = L[c]) if (best < 0 || V[c] > V[best]) best = c;
    return best;
  }
  function sibling(i, step) {
    if (!i) return -1;
    if (step > 0) return L[i] < L[P[i]] ? L[i] : -1;
    for (var c = P[i] + 1, last = -1; c < i; c = L[c]) last = c;
    return last;
  }
  function copy() {
    if (held < 0) return;
    var n = names[I[held]][0];
    if (navigator.clipboard) navigator.clipboard.writeText(n).catch(() => { });
    status.textContent = n;
    getSelection().selectAllChildren(status);
  }
  function typed(e) {
    var k = e.key;
    if (k === "Enter" || k === "Escape") { typing = false; if (k === "Escape") query = ""; link(); search(); }
    else if (k === "Backspace") { query = query.slice(0, -1); search(); }
    else if (k.length === 1 && !e.ctrlKey && !e.metaKey) { query += k; search(); }
    else return;
    e.preventDefault();
  }
  function begin() { query = ""; typing = true; search(); }
  var root = () => scrollTo(0, flip ? 0 : height);
  function invert() { flip = !flip; link(); draw(); root(); }
  addEventListener("keydown", e => {
    if (typing || (query && e.key === "Escape")) return typed(e);
    var k = e.key, f = held < 0 ? at : held, ctrl = e.ctrlKey || e.metaKey;
    if (k === "/" || (k === "f" && ctrl)) begin();
    else if (ctrl || e.altKey) return;
    else if (k === "Escape" || k === "Home") zoom(0);
    else if (k === "ArrowUp") hold(flip ? P[f] : widest(f));
    else if (k === "ArrowDown") hold(flip ? widest(f) : P[f]);
    else if (k === "ArrowLeft") hold(sibling(f, -1));
    else if (k === "ArrowRight") hold(sibling(f, 1));
    else if (k === "Enter") zoom(f);
    else if (k === "i") invert();
    else if (k === "c") copy();
    else return;
    e.preventDefault();
  });
  plot.onclick = e => { var i = e.target.parentNode.n; if (i >= 0) zoom(i); };
  plot.onmousemove = e => {
    var g = e.target.parentNode;
    if (g.n >= 0) { say(g.n); tip.textContent = names[I[g.n]][0]; g.appendChild(tip); }
  };
  id("reset").onclick = () => { query = ""; found = null; zoom(0); };
  id("search").onclick = begin;
  id("invert").onclick = invert;
  var linked = k => (RegExp("[#&]" + k + "=([^&]*)").exec(location.hash) || [0, ""])[1];
  function read() {
    var z = linked("z") | 0;
    try { query = decodeURIComponent(linked("s")); } catch (e) { query = ""; }
    at = z > 0 && z < F ? z : 0; flip = linked("i") !== "1";
    if (at) held = at;
    search(); say(at); root();
  }
  onhashchange = read;
  onresize = draw;
  onscroll = () => { id("head").setAttribute("transform", "translate(0," + scrollY + ")"); };
  id("tools").setAttribute("visibility", "visible");
  svg.setAttribute("width", "100%");
  read();
})();
