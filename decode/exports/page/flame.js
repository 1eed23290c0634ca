/* The flame graph and its inverse, on a canvas: a row for each depth, the root at the bottom or (icicle) at the top. */
"use strict";

const frameName = (model, frame) => shown(frame.label >= 0 ? model.name(Math.floor(frame.label / KINDS)) : frame.parent ? model.texts[PROCESS - frame.label] : "all");

/* Puts processes next to the root; where there is one alone, or callers are, it is not there. */
function processButton(app) {
  const { data, compared } = app.model, several = new Set(data.threads.comm).size > 1 && !compared;
  const element = button("By process", () => app.go({ processes: !app.state.processes, path: [] }));
  return {
    element,
    update() {
      element.hidden = !several || app.state.inverted;
      element.setAttribute("aria-pressed", app.state.processes);
    },
  };
}

const flameView = {
  name: "flame", title: "Flame graph",
  make(app) {
    let tree, top, boxes = [], rows = 1, held = null, hovered = null, key = "";
    const model = app.model, colours = []; /* by label */
    const status = make("p", { class: "status", role: "status" });
    const matched = make("span", { class: "matched" });
    const actions = make("span", { class: "actions" });
    const pane = makeCanvas("Flame graph. Arrows: move, Enter: zoom, Escape: back to all, I: invert, O: turn over, F: callers", {
      height: () => rows * ROW, draw,
    });
    const inverted = button("Inverted", () => app.go({ inverted: !app.state.inverted, path: [] }));
    const widths = button("Width: new side", () => app.go({ side: app.state.side === "base" ? "new" : "base", path: [] }));
    const turned = button("Icicle", () => app.go({ icicle: !app.state.icicle }));
    const byProcess = processButton(app);
    const nameOf = (frame) => frameName(model, frame);
    const zoom = (frame) => app.go({ path: pathOf(frame) });
    const yOf = (frame) => (app.state.icicle ? frame.depth : rows - 1 - frame.depth) * ROW;

    /* Of a frame in a comparison: what it was on the other side. */
    function changeText(frame) {
      const [now, base] = sidesOf(frame);
      return (app.state.side === "base" ? "new " : "base ") + formatPeriod(frame.base, app.clock()) + ", change " + (changeOf(now, base) || "none");
    }
    const sidesOf = (frame) => (app.state.side === "base" ? [frame.base, frame.period] : [frame.period, frame.base]);

    function say(frame) {
      const f = Math.floor(frame.label / KINDS), binary = frame.label < 0 ? "" : model.binary(f);
      let text = nameOf(frame) + (binary ? " (" + shown(binary) + ")" : "") + "  " + formatPeriod(frame.period, app.clock()) + ", " +
        (model.compared ? changeText(frame) : formatSamples(frame.samples)) + ", " + formatShare(frame.period, tree.root.period);
      if (top.parent && frame.depth >= top.depth) text += ", " + formatShare(frame.period, top.period) + " of zoom";
      if (frame.label >= 0) text += ", " + KIND_WORDS[frame.label % KINDS];
      status.textContent = text;
      actions.replaceChildren(...(f < 0 || frame.label % KINDS === REMARK ? [] : [
        button("Callers and callees", () => app.go({ view: "callers", function: f })),
        ...(model.compared ? [] : [button("Lines", () => app.go({ view: "lines", function: f }))]),
        ...stackButtons(app, f),
        button("Copy", () => copyText(text)),
      ]));
    }

    function drawFrame(context, box, offset, look) {
      const { frame, x, width } = box, y = yOf(frame) - offset;
      if (y < -ROW || y > pane.height) return;
      const f = Math.floor(frame.label / KINDS), found = app.found && frame.label >= 0 && app.found[f];
      const room = Math.floor((width - 5) / CHAR);
      context.globalAlpha = box.dim ? 0.5 : 1;
      context.fillStyle = found ? look.found : model.compared ? changeColour(frame.period, sidesOf(frame)[0] - sidesOf(frame)[1])
        : frame.label < 0 ? (frame.parent ? look.process : look.all) : colours[frame.label] || (colours[frame.label] = frameColour(nameOf(frame), frame.label % KINDS));
      context.fillRect(x, y, Math.max(width - 0.4, 0.3), ROW - 1);
      context.globalAlpha = 1;
      if (room > 2) {
        context.fillStyle = found ? "#fff" : "#000";
        context.fillText(fit(nameOf(frame), room), x + 3, y + ROW / 2);
      }
      if (frame === held) {
        context.strokeStyle = look.line;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, Math.max(width - 2, 1), ROW - 3);
      }
    }

    function draw(context) {
      const look = { found: "#7a1fa2", all: "#bdbdbd", process: "#d5d0c4", line: colour("focus") };
      context.clearRect(0, 0, pane.width, pane.height);
      const { top } = pane;
      for (const box of boxes) drawFrame(context, box, top, look);
    }

    function update() {
      const state = app.state, before = key;
      key = app.key + state.inverted + state.processes + state.side;
      if (key !== before) tree = chosenTree(model, app.sums, state, state.side);
      top = followPath(tree, state.path);
      pane.width = Math.max(100, pane.element.clientWidth);
      boxes = layOut(tree, top, pane.width, NARROWEST);
      for (let frame = top.parent; frame; frame = frame.parent) boxes.push({ frame, x: 0, width: pane.width, dim: true });
      rows = boxes.reduce((most, box) => Math.max(most, box.frame.depth + 1), 1);
      held = top;
      inverted.setAttribute("aria-pressed", state.inverted);
      byProcess.update();
      turned.setAttribute("aria-pressed", state.icicle);
      widths.hidden = !model.compared;
      widths.textContent = state.side === "base" ? "Width: base side" : "Width: new side";
      pane.size();
      pane.top = state.icicle ? 0 : rows * ROW;
      pane.draw();
      matched.textContent = app.found ? "found in " + formatShare(tree.matched(top, app.found), top.period) : "";
      say(top);
    }

    const boxOf = (frame) => boxes.find((box) => box.frame === frame);
    function hold(frame) {
      const box = frame && boxOf(frame);
      if (!box) return;
      held = frame;
      const y = yOf(frame);
      if (y < pane.top) pane.top = y;
      else if (y + ROW > pane.top + pane.height) pane.top = y + ROW - pane.height;
      pane.draw();
      say(frame);
    }
    const childrenOf = (frame) => boxes.filter((box) => box.frame.parent === frame).map((box) => box.frame);
    function keys(event) {
      const away = app.state.icicle ? "ArrowDown" : "ArrowUp", back = app.state.icicle ? "ArrowUp" : "ArrowDown";
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === away) hold(childrenOf(held).reduce((best, frame) => (!best || frame.period > best.period ? frame : best), null));
      else if (event.key === back) hold(held.parent);
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const beside = held.parent ? childrenOf(held.parent) : [];
        hold(beside[beside.indexOf(held) + (event.key === "ArrowRight" ? 1 : -1)]);
      } else if (event.key === "Enter") zoom(held);
      else if (event.key === "Escape" || event.key === "Home") zoom(tree.root);
      else if (event.key === "i") inverted.click();
      else if (event.key === "o") turned.click();
      else if (event.key === "f" && held.label >= 0) app.go({ view: "callers", function: Math.floor(held.label / KINDS) });
      else if (event.key === "c") copyText(status.textContent);
      else return;
      event.preventDefault();
    }
    function under(event) {
      const { x, y } = pane.place(event);
      return boxes.find((box) => y >= yOf(box.frame) && y < yOf(box.frame) + ROW && x >= box.x && x < box.x + Math.max(box.width, 1));
    }
    pane.canvas.addEventListener("keydown", keys);
    pane.canvas.addEventListener("pointermove", (event) => {
      const box = under(event);
      if (!box || box.frame === hovered) return;
      hovered = box.frame;
      pane.canvas.title = nameOf(hovered);
      say(hovered);
    });
    pane.canvas.addEventListener("click", (event) => {
      const box = under(event);
      if (box) zoom(box.frame);
    });
    return {
      element: make("div", null, make("p", { class: "tools" }, inverted, byProcess.element, turned, widths, button("Reset zoom", () => app.go({ path: [] })), matched),
        make("p", { class: "legend", hidden: !model.compared },
          ...[[2, 1, "costs more"], [1, 2, "costs less"], [1, 1, "the same"]].map(([now, base, text]) => swatch(changeColour(now, now - base), text))),
        pane.element, status, actions),
      update,
    };
  },
};
