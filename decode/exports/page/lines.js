/* The source lines of a function, and its addresses or instructions, if the page was made with them. */
"use strict";

const linesView = {
  name: "lines", title: "Lines",
  make(app) {
    const { model } = app;
    const title = make("h2"), facts = make("p", { class: "status", role: "status" }), tools = make("p", { class: "tools" });
    const common = [
      ...costColumns(app, "period", "period", (row) => row.period, "period"),
      { key: "samples", head: "samples", number: true, value: (row) => row.samples, cell: (row) => (row.samples ? formatCount(row.samples) : ""), csv: "samples" },
    ];
    const place = [
      { key: "source", head: "source file", value: (row) => row.file, cell: (row) => shown(row.file), csv: "source_file" },
      { key: "line", head: "line", number: true, value: (row) => row.line || "", cell: (row) => (row.line ? String(row.line) : ""), csv: "line" },
    ];
    const lines = makeTable([...common, ...place], "Lines", orderBy(app, "lines"));
    const code = makeTable([
      ...common,
      { key: "address", head: "address", value: (row) => row.address.padStart(18), raw: (row) => row.address, cell: (row) => row.address, csv: "address", class: "code" },
      { key: "instruction", head: model.code ? "instruction" : "", value: (row) => row.text, cell: (row) => shown(row.text), csv: model.code && "instruction", class: "code" },
      ...place,
    ].filter((column) => column.head), "Addresses", orderBy(app, "addresses"));
    const body = make("div", null, tools, make("h3", null, "Lines"), lines.element, make("h3", null, model.code ? "Instructions" : "Addresses"), code.element);
    return {
      element: make("div", null, title, facts, body),
      update() {
        const f = app.focus(), missing = !model.place;
        title.textContent = f < 0 ? "No function is chosen" : shown(model.name(f));
        body.hidden = missing || f < 0;
        if (missing) facts.textContent = "This page was made without lines: make it with -t lines, or with -t instructions.";
        if (missing || f < 0) return;
        const found = sumPlaces(model, app.state, f);
        facts.textContent = shown(model.binary(f)) + ": self " + formatPeriod(found.period, app.clock()) + " (" +
          formatShare(found.period, app.sums.period) + "), " + formatSamples(found.samples);
        tools.replaceChildren(
          button("Callers and callees", () => app.go({ view: "callers" })),
          button("Save lines as CSV", () => saveFile("lines.csv", lines.csv())),
          button("Save addresses as CSV", () => saveFile("addresses.csv", code.csv())));
        lines.show(found.lines, app.state.orders.lines, ["period", false]);
        code.show(found.addresses, app.state.orders.addresses);
      },
    };
  },
};
