/*
 * The call tree as a table whose rows open: what functions call below them; inverted, below the sampled functions who
 * calls them. Siblings with most come first.
 */
"use strict";

const TREE_ROWS = 100; /* at once */

/* The frames next to one, with most first. */
const sortedChildren = (tree, frame) =>
  frame.sorted || (frame.sorted = tree.children(frame).slice().sort((a, b) => b.period - a.period || b.samples - a.samples || a.label - b.label));

/* What a frame is called in the set of those that are open. */
const openKey = (frame) => (frame.parent ? openKey(frame.parent) + "," + frame.label : "");

/* The frames to be seen, at most so many: those below the root, and below each that is open. */
function openRows(tree, opened, most) {
  const rows = [], waiting = sortedChildren(tree, tree.root).slice().reverse();
  while (waiting.length && rows.length < most) {
    const frame = waiting.pop();
    rows.push(frame);
    if (opened.has(openKey(frame))) waiting.push(...sortedChildren(tree, frame).slice().reverse());
  }
  return { rows, more: waiting.length > 0 };
}

/* Opens the path that costs most, as long as it has at least half of the frame outside of it. */
function openHottest(tree, opened, frame) {
  for (let next = sortedChildren(tree, frame)[0]; next && next.period * 2 >= frame.period; next = sortedChildren(tree, frame)[0]) {
    opened.add(openKey(frame));
    frame = next;
  }
  return frame;
}

const treeView = {
  name: "tree", title: "Call tree",
  make(app) {
    const { model } = app, opened = { false: new Set(), true: new Set() }; /* by whether it is inverted */
    let tree, key = "", shownRows = [], held = "", most = TREE_ROWS;
    const head = make("tr"), body = make("tbody", { onkeydown: keys, onclick: clicked });
    const table = make("table", { role: "treegrid", "aria-label": "Call tree. Arrows: move, open and close, *: open the path that costs most" },
      make("thead", null, head), body);
    const byProcess = processButton(app), inverted = button("Inverted", () => app.go({ inverted: !app.state.inverted, path: [] }));
    const actions = make("span", { class: "actions" }), more = make("p", { class: "more" });
    const functionOf = (frame) => Math.floor(frame.label / KINDS);
    const isFunction = (frame) => frame.label >= 0 && frame.label % KINDS !== REMARK;
    const openHere = () => opened[app.state.inverted];
    const isOpen = (frame) => openHere().has(openKey(frame));
    const cost = (period) => (period ? formatPeriod(period, app.clock()) : "");
    /* head, text, class; narrow windows have no room for those that are "wide" */
    const columns = () => [
      ["total %", (frame) => formatShare(frame.period, tree.root.period), "n"], ["total", (frame) => cost(frame.period), "n wide"],
      ...(app.state.inverted ? [] : [["self", (frame) => cost(frame.self), "n wide"]]),
      ...(model.compared ? [["base", (frame) => cost(frame.base), "n wide"], ["change", (frame) => changeOf(frame.period, frame.base), "n"]] : []),
      ["samples", (frame) => formatCount(frame.samples), "n wide"],
    ];

    function nameCell(frame) {
      const f = functionOf(frame), below = sortedChildren(tree, frame).length > 0;
      const mark = make("span", { class: "mark", "aria-hidden": "true" }, !below ? "" : isOpen(frame) ? "\u25be" : "\u25b8");
      const name = isFunction(frame) ? functionLink(app, f) : make("span", { class: "name" }, frameName(model, frame));
      const cell = make("td", { class: "path" }, mark, name);
      if (app.found && app.found[f]) name.classList.add("found");
      cell.style.paddingLeft = `min(${0.6 + 0.8 * (frame.depth - 1)}em, 60vw)`;
      return cell;
    }

    function makeRow(frame) {
      const below = sortedChildren(tree, frame).length > 0;
      return make("tr", { "aria-level": frame.depth, "aria-expanded": below ? String(isOpen(frame)) : null, tabindex: openKey(frame) === held ? 0 : -1 },
        ...columns().map(([, text, look]) => make("td", { class: look }, text(frame))), nameCell(frame),
        make("td", { class: "path" }, frame.label < 0 ? "" : shown(model.binary(functionOf(frame)))));
    }

    /* Draws the rows again; the row that is held keeps the focus. */
    function draw(focus) {
      const found = openRows(tree, openHere(), most);
      shownRows = found.rows;
      if (!shownRows.some((frame) => openKey(frame) === held)) held = shownRows.length ? openKey(shownRows[0]) : "";
      head.replaceChildren(...columns().map(([text, , look]) => make("th", { class: look, scope: "col" }, text)), make("th", { scope: "col" }, "function"), make("th", { scope: "col" }, "binary"));
      body.replaceChildren(...shownRows.map(makeRow));
      more.replaceChildren(found.more ? button("Show more rows", () => {
        most += TREE_ROWS;
        draw(false);
      }) : "");
      hold(shownRows.findIndex((frame) => openKey(frame) === held), focus);
    }

    /* Holds a row: keys are about it, and buttons. */
    function hold(i, focus) {
      const frame = shownRows[i], rows = Array.from(body.children);
      if (!frame) return;
      held = openKey(frame);
      rows.forEach((row, k) => { row.tabIndex = k === i ? 0 : -1; });
      if (focus) rows[i].focus();
      actions.replaceChildren(...(isFunction(frame) ? [
        button("Callers and callees of " + fit(frameName(model, frame), 40), () => app.go({ view: "callers", function: functionOf(frame) })),
      ] : []), button("In the flame graph", () => app.go({ view: "flame", path: pathOf(frame) })));
    }

    /* Opens a row or closes it. A row with one below it opens that one, too. */
    function toggle(frame, open) {
      const set = openHere();
      if (!open) set.delete(openKey(frame));
      for (let at = frame; open && at; at = sortedChildren(tree, at).length === 1 ? sortedChildren(tree, at)[0] : null) set.add(openKey(at));
      held = openKey(frame);
      draw(true);
    }

    function clicked(event) {
      const i = Array.from(body.children).indexOf(event.target.closest("tr"));
      if (event.target.closest("a") || i < 0) return;
      toggle(shownRows[i], !isOpen(shownRows[i]));
    }

    function keys(event) {
      const i = shownRows.findIndex((frame) => openKey(frame) === held), frame = shownRows[i];
      if (event.ctrlKey || event.metaKey || event.altKey || !frame) return;
      if (event.key === "ArrowDown") hold(i + 1, true);
      else if (event.key === "ArrowUp") hold(i - 1, true);
      else if (event.key === "Home") hold(0, true);
      else if (event.key === "End") hold(shownRows.length - 1, true);
      else if (event.key === "ArrowRight") {
        if (isOpen(frame) || !sortedChildren(tree, frame).length) hold(i + 1, true);
        else toggle(frame, true);
      } else if (event.key === "ArrowLeft") {
        if (isOpen(frame) && sortedChildren(tree, frame).length) toggle(frame, false);
        else hold(shownRows.indexOf(frame.parent), true);
      } else if (event.key === "*") {
        held = openKey(openHottest(tree, openHere(), frame));
        draw(true);
      } else if (event.key === "Enter" && event.target.tagName === "TR") toggle(frame, !isOpen(frame));
      else return;
      event.preventDefault();
    }

    /* All of the tree, not only what is open. */
    function csv() {
      const rows = [], waiting = sortedChildren(tree, tree.root).slice().reverse();
      while (waiting.length) {
        const frame = waiting.pop(), f = functionOf(frame);
        rows.push([frame.depth - 1, ...(f < 0 ? [frameName(model, frame), "", ""] : [model.name(f), model.binary(f), model.file(f)]), app.event().name,
          ...(app.state.inverted ? [] : [frame.self]), frame.period, frame.samples]);
        waiting.push(...sortedChildren(tree, frame).slice().reverse());
      }
      return csvText(["depth", "function", "binary", "source_file", "event", ...(app.state.inverted ? [] : ["period"]), "total_period", "total_samples"], rows);
    }

    return {
      element: make("div", null, make("p", { class: "tools" }, inverted, byProcess.element,
        button("Close all", () => {
          openHere().clear();
          draw(false);
        }), button("Save as CSV", () => saveFile(app.state.inverted ? "callers-tree.csv" : "calltree.csv", csv()))),
      actions, make("div", { class: "scroll", role: "region", "aria-label": "Call tree", tabindex: 0 }, table), more),
      update() {
        const before = key, focus = body.contains(document.activeElement);
        key = app.key + app.state.inverted + app.state.processes;
        if (key !== before) {
          tree = chosenTree(model, app.sums, app.state, "new");
          most = TREE_ROWS;
          if (!openHere().size) openHottest(tree, openHere(), tree.root);
        }
        inverted.setAttribute("aria-pressed", app.state.inverted);
        byProcess.update();
        draw(focus);
      },
    };
  },
};
