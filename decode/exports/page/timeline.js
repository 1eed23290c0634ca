/*
 * Time: a strip above all views, and rows of threads or CPUs, darker where more time was spent. Dragging in either chooses
 * a stretch of time.
 */
"use strict";

const AXIS = 22, STRIP = 56, GRIP = 5; /* pixels; GRIP: at most so far from an edge of what is chosen, a pointer takes it */

/* Draws the ticks of a stretch of time, in units, between two places. */
function drawAxis(context, app, { left, width, from, to, y }) {
  const unit = app.model.about.unit, step = roundStep(Math.max(1, ((to - from) * unit) / Math.max(1, width / 110))); /* ns */
  context.fillStyle = colour("quiet");
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  context.beginPath();
  for (let ns = Math.ceil((from * unit) / step) * step; ns <= to * unit; ns += step) {
    const x = Math.round(left + ((ns / unit - from) / (to - from)) * width) + 0.5;
    context.moveTo(x, y);
    context.lineTo(x, y + 6);
    if (x < left + width - 50) context.fillText(formatTick(ns, step), x + 3, y + AXIS / 2);
  }
  context.stroke();
}

/* Draws what is chosen of a stretch of time: the rest is covered. */
function drawChoice(context, app, { left, width, from, to, height }) {
  const { state } = app, place = (time) => left + Math.max(0, Math.min(1, (time - from) / (to - from))) * width;
  if (state.from === null && state.to === null) return;
  const start = state.from === null ? left : place(state.from), end = state.to === null ? left + width : place(state.to);
  context.fillStyle = colour("cover");
  context.fillRect(left, 0, start - left, height);
  context.fillRect(end, 0, left + width - end, height);
  context.fillStyle = colour("chosen");
  context.fillRect(start - 1, 0, 2, height);
  context.fillRect(end - 1, 0, 2, height);
}

/*
 * Lets a pointer and keys choose time on a canvas. span(): { left, width, from, to }. onwindow(from, to): another stretch is
 * to be seen; null: it is always all. oncursor(time): the keys moved it. Returns { cursor } in units.
 */
function chooseTime(app, pane, { span, onwindow, oncursor }) {
  const self = { cursor: null }, { model } = app;
  let start = null;
  const clamp = (time) => Math.max(0, Math.min(model.duration, Math.round(time)));
  const timeAt = (x) => {
    const { left, width, from, to } = span();
    return clamp(from + ((x - left) / width) * (to - from));
  };
  const choose = (a, b, how) => app.go({ from: Math.min(a, b), to: Math.max(a, b) }, how);
  const zoom = (factor, around) => {
    const { from, to } = span(), size = Math.max(10, Math.min(model.duration, Math.round((to - from) * factor)));
    const at = Math.max(0, Math.min(model.duration - size, Math.round(around - ((around - from) / (to - from)) * size)));
    onwindow(at, at + size);
  };
  /* Where the pointer takes an edge of what is chosen: the other one, which stays; else null. */
  const otherEdge = (x) => {
    const { left, width, from, to } = span(), { state } = app, ends = [state.from === null ? 0 : state.from, state.to === null ? model.duration : state.to];
    if (state.from === null && state.to === null) return null;
    const [first, last] = ends.map((time) => Math.abs(left + ((time - from) / (to - from)) * width - x));
    return Math.min(first, last) > GRIP ? null : first < last ? ends[1] : ends[0];
  };
  pane.canvas.addEventListener("pointerdown", (event) => {
    const { left } = span(), { x } = pane.place(event), other = otherEdge(x);
    if (event.button !== 0 || x < left) return;
    start = other === null ? timeAt(x) : other;
    pane.canvas.setPointerCapture(event.pointerId);
  });
  pane.canvas.addEventListener("pointermove", (event) => {
    if (start === null) pane.canvas.style.cursor = pane.place(event).x >= span().left && otherEdge(pane.place(event).x) !== null ? "ew-resize" : "";
    if (start !== null && Math.abs(timeAt(pane.place(event).x) - start) > 0) choose(start, timeAt(pane.place(event).x), "live");
  });
  pane.canvas.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const end = timeAt(pane.place(event).x), first = start;
    start = null;
    if (end !== first) app.keep(); /* "back" leads to before the drag */
    else if (app.state.from !== null || app.state.to !== null) app.go({ from: null, to: null });
  });
  pane.canvas.addEventListener("pointercancel", () => { start = null; });
  pane.canvas.addEventListener("wheel", (event) => {
    const { left, from, to } = span(), { x } = pane.place(event);
    if (!onwindow || x < left) return;
    const move = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = clamp(from + (Math.sign(move) * (to - from)) / 10) - from, most = model.duration - to;
      onwindow(from + Math.min(by, most), to + Math.min(by, most));
    } else if (event.deltaY < 0 || to - from < model.duration) zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(x));
    else return; /* all is seen: the page scrolls */
    event.preventDefault();
  }, { passive: false });
  function keys(event) {
    const { from, to } = span(), { state } = app, step = Math.max(1, Math.round((to - from) / 50));
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const before = self.cursor === null ? (state.from === null ? from : state.from) : self.cursor;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const now = clamp(before + (event.key === "ArrowLeft" ? -step : step));
      self.cursor = now;
      if (event.shiftKey) {
        const fixed = state.from === null || state.to === null ? before : Math.abs(before - state.from) <= Math.abs(before - state.to) ? state.to : state.from;
        if (fixed !== now) choose(fixed, now, "replace");
      }
      oncursor(now);
    } else if (event.key === "Escape") app.go({ from: null, to: null });
    else if (onwindow && (event.key === "+" || event.key === "=")) zoom(0.5, before);
    else if (onwindow && event.key === "-") zoom(2, before);
    else if (onwindow && event.key === "Home") onwindow(0, model.duration);
    else if (onwindow && event.key === "Enter" && state.from !== null && state.to !== null) onwindow(state.from, state.to);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  pane.canvas.addEventListener("keydown", keys);
  return self;
}

/* The strip above all views: how much of what is chosen, without the time, was when. */
function makeStrip(app) {
  const { model } = app;
  let sums = new Float64Array(1), key = "";
  const span = () => ({ left: 0, width: pane.width, from: 0, to: model.duration });
  const pane = makeCanvas("All of the time. Drag, or Shift and arrows: choose time, Escape: all", { height: () => STRIP, draw });
  const chooser = chooseTime(app, pane, { span, onwindow: null, oncursor: () => pane.draw() });
  function draw(context) {
    const { width } = pane, now = app.key + width, most = () => sums.reduce((a, b) => Math.max(a, b), 0);
    if (!model.about.timed) return;
    const rest = JSON.stringify([app.state.event, app.state.pids, app.state.tids, app.state.cpus, app.state.text, app.state.stack, width]);
    if (rest !== key) {
      sums = sumSlices(model, app.state, { rowsOf: new Int32Array(2 * model.data.tasks.event.length).map((_, i) => (i % 2 ? -1 : 0)),
        first: 0, count: 1, ...span(), width, cut: true });
      key = rest;
    }
    const scale = (STRIP - AXIS) / (most() || 1);
    context.clearRect(0, 0, width, STRIP);
    context.fillStyle = `rgb(${colour("busy")})`;
    for (let x = 0; x < width; x++) if (sums[x]) context.fillRect(x, STRIP - AXIS, 1, -Math.max(2, sums[x] * scale));
    drawAxis(context, app, { ...span(), y: STRIP - AXIS });
    drawChoice(context, app, { ...span(), height: STRIP - AXIS });
    if (chooser.cursor !== null && now) {
      context.fillStyle = colour("ink");
      context.fillRect((chooser.cursor / model.duration) * width, 0, 1, STRIP - AXIS);
    }
  }
  if (!model.about.timed) pane.element.hidden = true;
  return { element: pane.element, update: () => pane.draw() };
}

const timelineView = {
  name: "timeline", title: "Timeline",
  make(app) {
    const { model } = app;
    let rows = [], rowsOf = null, key = "", cells = null, cellKey = "", row = 0, asked = false;
    const status = make("p", { class: "status", role: "status" });
    const actions = make("span", { class: "actions" });
    const pane = makeCanvas("Timeline. Arrows: move, Shift and arrows: choose time, + and -: zoom, Enter: zoom to what is chosen, " +
      "T: choose the row, Escape: all of the time", { height: () => AXIS + rows.length * ROW + 1, draw });
    const what = button("", () => app.go({ rows: app.state.rows === "cpus" ? "threads" : "cpus" }));
    const painting = button("", () => app.go({ paint: app.state.paint === "states" ? "samples" : "states" }), { hidden: !model.states });
    const legend = make("p", { class: "legend" }, ...(model.states ? [...STATES.map((name, i) => swatch(`var(--${STATE_COLOURS[i]})`, name)), swatch("none", "not known")] : []));
    const left = () => Math.round(Math.min(230, pane.width * 0.34));
    const span = () => {
      const [from, to] = app.state.window || [0, model.duration];
      return { left: left(), width: pane.width - left(), from, to };
    };
    const onwindow = (from, to) => app.go({ window: from <= 0 && to >= model.duration ? null : [from, to] }, "replace");
    const oncursor = (time) => { pane.draw(); tell(row, time); };
    const chooser = chooseTime(app, pane, { span, onwindow, oncursor });
    const isChosen = (r) => (r.cpu !== undefined ? (app.state.cpus || []).includes(r.cpu)
      : (app.state.tids || []).includes(r.tid) || (app.state.pids || []).includes(r.pid));
    const chooses = () => app.state.pids || app.state.tids || app.state.cpus;

    /* Adds a row to the choice, or takes it out. Threads and processes are not mixed: both would have to hold. */
    function chooseRow(r) {
      const toggle = (list, value) => {
        const rest = (list || []).filter((other) => other !== value);
        return list && list.includes(value) ? (rest.length ? rest : null) : rest.concat(value);
      };
      if (r.cpu !== undefined) app.go({ cpus: toggle(app.state.cpus, r.cpu) });
      else if (r.tid !== undefined) app.go({ tids: toggle(app.state.tids, r.tid), pids: null });
      else app.go({ pids: toggle(app.state.pids, r.pid), tids: null });
    }

    /* The colour of a cell, which is all that says what a row was doing: darker where more was spent. Of a clock, of all that one CPU could; else of the largest. */
    function cellColour(value, most, busy) {
      return value ? `rgba(${busy},${0.4 + 0.6 * Math.min(1, value / most)})` : null;
    }

    const paints = () => model.states !== null && app.state.paint === "states";

    /* Where states are known: what each row did most of the time, side by side as one. */
    function drawStates(context, first, count) {
      const { left, width, from, to } = span(), slices = Math.max(1, Math.floor(width));
      const now = JSON.stringify(["states", key, first, count, slices, from, to]);
      if (now !== cellKey) cells = stateSlices(model, rowsOf, { first, count, from, to, width: slices });
      cellKey = now;
      const fills = STATE_COLOURS.map((name) => colour(name));
      for (let r = 0; r < count; r++) {
        const y = AXIS + (first + r) * ROW - pane.top;
        context.globalAlpha = chooses() && !isChosen(rows[first + r]) ? 0.4 : 1;
        for (let x = 0, end; x < slices; x = end) {
          const state = cells[r * slices + x];
          for (end = x + 1; end < slices && cells[r * slices + end] === state;) end++;
          if (!state) continue;
          context.fillStyle = fills[state - 1];
          context.fillRect(left + x, y + 1, end - x, ROW - 2);
        }
      }
      context.globalAlpha = 1;
    }

    function drawCells(context, first, count) {
      const { left, width, from, to } = span(), slices = Math.max(1, Math.floor(width));
      const now = JSON.stringify([key, first, count, slices, from, to]);
      if (now !== cellKey) cells = sumSlices(model, { ...app.state, pids: null, tids: null, cpus: null }, { rowsOf, first, count, from, to, width: slices, cut: true });
      cellKey = now;
      const whole = ((to - from) / slices) * model.about.unit;
      const most = app.clock() && (standsForTime(model, app.state.event) || whole >= 2 * app.usualPeriod()) ? whole : cells.reduce((a, b) => Math.max(a, b), 0) || 1;
      const busy = colour("busy");
      for (let r = 0; r < count; r++) {
        const y = AXIS + (first + r) * ROW - pane.top;
        context.globalAlpha = chooses() && !isChosen(rows[first + r]) ? 0.4 : 1;
        for (let x = 0; x < slices; x++) {
          const fill = cellColour(cells[r * slices + x], most, busy);
          if (!fill) continue;
          context.fillStyle = fill;
          context.fillRect(left + x, y + 1, 1, ROW - 2);
        }
      }
      context.globalAlpha = 1;
    }

    function drawLabels(context, first, count) {
      const room = Math.floor((left() - 12) / CHAR);
      for (let r = first; r < first + count; r++) {
        const y = AXIS + r * ROW - pane.top;
        if (isChosen(rows[r])) {
          context.fillStyle = colour("chosen");
          context.fillRect(0, y, 4, ROW - 1);
        }
        context.fillStyle = colour("ink");
        const indent = rows[r].inner ? 14 : 0;
        context.fillText(fit(shown(rows[r].label), room - indent / 7), 8 + indent, y + ROW / 2);
        if (r === row && document.activeElement === pane.canvas) {
          context.strokeStyle = colour("focus");
          context.strokeRect(1, y, pane.width - 2, ROW - 1);
        }
      }
    }

    function draw(context) {
      const first = Math.max(0, Math.floor((pane.top - AXIS) / ROW));
      const count = Math.max(0, Math.min(rows.length - first, Math.ceil(pane.height / ROW) + 1));
      context.clearRect(0, 0, pane.width, pane.height);
      if (!model.about.timed || !rows.length) return;
      (paints() ? drawStates : drawCells)(context, first, count);
      drawLabels(context, first, count);
      context.clearRect(0, 0, pane.width, AXIS);
      drawAxis(context, app, { ...span(), y: 2 });
      drawChoice(context, app, { ...span(), height: pane.height });
      if (chooser.cursor === null) return;
      const { left, width, from, to } = span(), x = left + ((chooser.cursor - from) / (to - from)) * width;
      context.fillStyle = colour("ink");
      if (x >= left) context.fillRect(x, 0, 1, pane.height);
    }

    /* Says what was going on in a row at a time. */
    function tell(r, time) {
      const { from, to, width } = span(), { state } = app, { unit } = model.about, pixel = (to - from) / width;
      /* a sample that stands for a time is at the end of it */
      const behind = standsForTime(model, state.event) ? Math.max(pixel, app.usualPeriod() / unit) : pixel;
      const start = Math.max(0, Math.floor(time - pixel)), size = Math.max(1, Math.ceil(time + behind) - start);
      if (!rows[r]) return;
      if (paints()) return tellState(r, time);
      const found = hottest(model, { ...state, pids: null, tids: null, cpus: null, from: start, to: start + size }, rowsOf, r);
      let text = shown(rows[r].label) + " at " + formatSeconds(Math.round(time) * unit) + " s: ";
      text += found.function < 0 ? "no sample" : formatPeriod(found.all, app.clock()) + " in " + formatSeconds(size * unit) + " s, most in " +
        shown(model.name(found.function)) + " (" + formatShare(found.period, found.all) + ")";
      text += "; all of the row: " + formatPeriod(rows[r].period, app.clock()) + " (" + formatShare(rows[r].period, app.event().period) + ")";
      status.textContent = text;
      actions.replaceChildren(...(found.function < 0 ? [] : [
        button("Callers and callees", () => app.go({ view: "callers", function: found.function })),
      ]), button(isChosen(rows[r]) ? "Leave out this row" : "Choose this row", () => chooseRow(rows[r])));
      return undefined;
    }

    /* What a row that is on a CPU was sampled in: around a time, and as long as the state lasts. */
    function sampledIn(r, time, i) {
      const { from, to, width } = span(), pixel = (to - from) / width, { states } = model, event = model.events.find((e) => !e.interval && e.clock);
      const row = rows[r], own = row.cpu !== undefined ? { cpus: [row.cpu] } : { pids: [row.pid], tids: row.tid === undefined ? null : [row.tid] };
      return event ? hottest(model, { event: event.number, pids: null, tids: null, cpus: null, ...own,
        from: Math.floor(Math.min(time - pixel, model.time[states.rows[i]])), to: Math.ceil(Math.max(time + pixel, states.end[i])) }, null, 0) : { function: -1 };
    }

    /* The same where states are known: which one, for how long, where, and how to see all that was so. */
    function tellState(r, time) {
      const i = stateAt(model, rowsOf, r, time), { unit } = model.about, { states } = model;
      let text = shown(rows[r].label) + " at " + formatSeconds(Math.round(time) * unit) + " s: ";
      const parts = [button(isChosen(rows[r]) ? "Leave out this row" : "Choose this row", () => chooseRow(rows[r]))];
      if (i < 0) text += "not known";
      else {
        const at = states.rows[i], f = model.functionOf[model.node[at]], event = model.allEvents[model.data.tasks.event[model.task[at]]];
        const comm = model.threadName(model.data.tasks.thread[model.task[at]]);
        text += STATES[states.state[i]] + (rows[r].cpu === undefined ? "" : ", " + shown(comm)) + ", " + event.name + " of " + formatPeriod(model.weight[at], true) +
          (model.whatOf(at) ? ", " + shown(model.whatOf(at)) : "") + ", in " + shown(model.name(f));
        const found = states.state[i] === 0 ? sampledIn(r, time, i) : { function: -1 };
        if (found.function >= 0) {
          text += "; sampled mostly in " + shown(model.name(found.function)) + " (" + formatShare(found.period, found.all) + ")";
          parts.unshift(button("Callers and callees", () => app.go({ view: "callers", function: found.function })));
        }
        parts.unshift(button("Flame graph of " + event.name, () => app.go({ view: "flame", event: event.number, path: [] })));
      }
      status.textContent = text;
      actions.replaceChildren(...parts);
    }

    function keys(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        row = Math.max(0, Math.min(rows.length - 1, row + (event.key === "ArrowUp" ? -1 : 1)));
        const y = AXIS + row * ROW;
        if (y - AXIS < pane.top) pane.top = y - AXIS;
        else if (y + ROW > pane.top + pane.height) pane.top = y + ROW - pane.height;
        oncursor(chooser.cursor === null ? span().from : chooser.cursor);
        pane.draw();
      } else if (event.key === "t" && rows[row]) chooseRow(rows[row]);
      else return;
      event.preventDefault();
    }
    const rowAt = (y) => Math.floor((y - AXIS) / ROW);
    pane.canvas.addEventListener("keydown", keys);
    pane.canvas.addEventListener("focus", () => pane.draw());
    pane.canvas.addEventListener("blur", () => pane.draw());
    pane.canvas.addEventListener("click", (event) => {
      const { x, y } = pane.place(event);
      if (x < left() && rows[rowAt(y)]) chooseRow(rows[rowAt(y)]);
    });
    pane.canvas.addEventListener("pointermove", (event) => {
      const { x, y } = pane.place(event), { left, width, from, to } = span();
      if (asked || event.buttons || x < left || y - pane.top < AXIS || !rows[rowAt(y)]) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        tell(rowAt(y), from + ((x - left) / width) * (to - from));
      });
    });
    pane.element.hidden = !model.about.timed;
    return {
      element: make("div", null, make("p", { class: "tools", hidden: !model.about.timed }, what, painting,
        button("Zoom in", () => zoomBy(0.5)), button("Zoom out", () => zoomBy(2)), button("All of the time", () => app.go({ window: null })),
        button("Zoom to what is chosen", () => app.state.from !== null && app.state.to !== null && app.go({ window: [app.state.from, app.state.to] }))),
      legend, pane.element, status, actions),
      update() {
        const now = JSON.stringify([paints() || app.state.event, paints() || app.state.text, paints() || app.state.stack, app.state.rows]);
        if (now !== key) ({ rows, rowsOf } = timelineRows(model, app.state, app.state.rows, paints() && model.states));
        legend.hidden = !paints();
        painting.textContent = paints() ? "Show samples of the event" : "Show states";
        key = now;
        what.textContent = app.state.rows === "cpus" ? "Show threads" : "Show CPUs";
        if (!model.about.timed) status.textContent = "The samples of this recording have no times.";
        pane.draw();
      },
    };
    function zoomBy(factor) {
      const { from, to } = span(), middle = (from + to) / 2, half = Math.max(5, Math.round(((to - from) * factor) / 2));
      onwindow(Math.max(0, Math.round(middle - half)), Math.min(model.duration, Math.round(middle + half)));
    }
  },
};
