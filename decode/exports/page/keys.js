/* What keys do, in a window above the page. */
"use strict";

const KEYS = [
  ["1, 2, ...", "the views, in their order"], ["/", "find: marks functions, and leaves out other rows of tables"], ["?", "this list"],
  ["Tab, Enter, Escape", "next control; use it; leave it"],
  ["In the flame graph", ""],
  ["arrows, Enter, Escape", "move; zoom; back to all"], ["i, o", "invert it; turn it over"], ["f, c", "callers and callees; copy"],
  ["In the call tree", ""],
  ["arrows, Enter", "move, open, close"], ["*", "open the path that costs most"],
  ["In the timeline", ""],
  ["arrows", "move; with Shift, choose time"], ["+, -, Home", "zoom; see all"], ["Enter", "zoom to what is chosen"],
  ["Escape, t", "choose all of the time; choose the row"],
  ["With the pointer", ""],
  ["drag", "choose time; at its edges, change it"], ["wheel", "zoom the timeline; with Shift, move it"], ["click", "on a frame: zoom; on the name of a row: choose it"],
];

function showKeys() {
  const title = make("h2", { id: "keys-title", tabindex: -1, autofocus: true }, "Keys");
  const rows = KEYS.map(([key, what]) => make("tr", null, ...(what ? [make("th", { scope: "row" }, key), make("td", null, what)]
    : [make("th", { colspan: 2, scope: "rowgroup", class: "part" }, key)])));
  const dialog = make("dialog", { "aria-labelledby": "keys-title", onclose: () => dialog.remove() }, title, make("table", null, make("tbody", null, ...rows)),
    make("p", null, button("Close", () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}
