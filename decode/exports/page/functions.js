/* Tables: all functions; the callers and callees of one; its lines and instructions. */
"use strict";

/* A name that leads to the callers and callees of its function. */
const functionLink = (app, f) => {
  const name = shown(app.model.name(f)); /* of very long ones, a part is seen */
  return make("a", { href: app.address({ view: "callers", function: f }), class: "name", title: name.length > 60 ? name.slice(0, 4000) : null }, name);
};

/* Shows a table of state.orders in another order. */
const orderBy = (app, table) => (key, up) => app.go({ orders: { ...app.state.orders, [table]: [key, up] } });

/* Choose stacks by a function in them. Those without it are chosen of those that are: so one after the other is left out. */
function stackButtons(app, f) {
  const name = exactly(app.model.name(f)), { stack } = app.state;
  return app.model.about.chains ? [
    button("Only stacks with it", () => app.go({ stack: name, path: [] })),
    button("Only those without", () => app.go({ stack: (stack.trim() ? stack + "," : "") + "!" + name, path: [] })),
  ] : [];
}

/* Columns that show a period and a share of what is chosen. value(row): the period. */
function costColumns(app, head, key, value, csv) {
  return [
    { key: key + "%", head: head + " %", number: true, value, cell: (row) => (value(row) ? formatShare(value(row), app.sums.period) : "") },
    { key, head, number: true, value, cell: (row) => (value(row) ? formatPeriod(value(row), app.clock()) : ""), csv },
  ];
}

/* Of a comparison: the same on the base side, and the change. */
function baseColumns(app, head, now, base, csv) {
  const change = (row) => (base(row) ? now(row) / base(row) : now(row) ? Infinity : 0);
  return app.model.compared ? [
    { key: "base" + head, head: "base " + head, number: true, value: base, cell: (row) => (base(row) ? formatPeriod(base(row), app.clock()) : ""), csv },
    { key: "change" + head, head: "change", number: true, value: change, cell: (row) => changeOf(now(row), base(row)) },
  ] : [];
}

/* What was recorded: the part of the page that needs no script. */
const summaryView = {
  name: "summary", title: "Summary",
  make(app) { return { element: app.summary, update() {} }; },
};

const functionsView = {
  name: "functions", title: "Functions",
  make(app) {
    const { model } = app, chains = model.about.chains;
    const whole = () => app.event().period;
    const [selfShare, self] = costColumns(app, "self", "self", (row) => row.self, "period");
    const [totalShare, total] = costColumns(app, "total", "total", (row) => row.total, "total_period");
    const samples = (key, head, value, csv) => ({ key, head, number: true, value, cell: (row) => (value(row) ? formatCount(value(row)) : ""), csv });
    const table = makeTable([
      selfShare, ...(chains ? [totalShare] : []),
      { key: "function", head: "function", value: (row) => model.name(row.f), cell: (row) => functionLink(app, row.f), csv: "function" },
      self, ...baseColumns(app, "self", (row) => row.self, (row) => row.base, "base_period"), samples("samples", "samples", (row) => row.samples, "samples"),
      ...(chains ? [total, ...baseColumns(app, "total", (row) => row.total, (row) => row.totalBase, "base_total_period"), samples("totalsamples", "total samples", (row) => row.totalSamples, "total_samples")] : []),
      { key: "binary", head: "binary", class: "path", value: (row) => model.binary(row.f), cell: (row) => shown(model.binary(row.f)), csv: "binary" },
      { key: "source", head: "source file", class: "path", value: (row) => model.file(row.f), cell: (row) => shown(model.file(row.f)), csv: "source_file" },
      { key: "event", head: "", value: () => app.event().name, cell: () => "", csv: "event" },
      { key: "percent", head: "", value: (row) => percent(row.self, whole()).toFixed(4), cell: () => "", csv: "percent" },
    ].filter((column) => column.head || column.csv), "Functions", (sort, up) => app.go({ sort, up }));
    const count = make("p", { class: "status", role: "status" });
    return {
      element: make("div", null, make("p", { class: "tools" }, button("Save as CSV", () => saveFile("functions.csv", table.csv()))), count, table.element),
      update() {
        const sums = app.functionSums(), rows = [];
        for (let f = 0; f < model.functionCount; f++) {
          if (!(sums.totalCount[f] || (sums.totalBase && sums.totalBase[f])) || model.isRemark[f] || (app.found && !app.found[f])) continue;
          rows.push({ f, self: sums.self[f], samples: sums.selfCount[f], total: sums.total[f], totalSamples: sums.totalCount[f],
            base: sums.selfBase && sums.selfBase[f], totalBase: sums.totalBase && sums.totalBase[f] });
        }
        count.textContent = formatCount(rows.length) + (rows.length === 1 ? " function" : " functions");
        table.show(rows, [app.state.sort, app.state.up], [START.sort, START.up]);
      },
    };
  },
};

const callersView = {
  name: "callers", title: "Callers and callees",
  make(app) {
    const { model } = app;
    const title = make("h2"), facts = make("p", { class: "status", role: "status" }), tools = make("p", { class: "tools" });
    const columns = () => {
      const [share, period] = costColumns(app, "period", "period", (row) => row.period, "period");
      return [
        share,
        { key: "function", head: "function", value: (row) => (row.function < 0 ? "" : model.name(row.function)), csv: "function",
          cell: (row) => (row.function < 0 ? "(outermost)" : functionLink(app, row.function)) },
        period, ...baseColumns(app, "period", (row) => row.period, (row) => row.base, "base_period"),
        { key: "samples", head: "samples", number: true, value: (row) => row.samples, cell: (row) => formatCount(row.samples), csv: "samples" },
        { key: "binary", head: "binary", class: "path", value: (row) => (row.function < 0 ? "" : model.binary(row.function)), csv: "binary",
          cell: (row) => (row.function < 0 ? "" : shown(model.binary(row.function))) },
      ];
    };
    const callers = makeTable(columns(), "Callers", orderBy(app, "callers")), callees = makeTable(columns(), "Callees", orderBy(app, "callees"));
    const body = make("div", null, facts, tools, make("h3", null, "Callers"), callers.element, make("h3", null, "Callees"), callees.element);
    return {
      element: make("div", null, title, body),
      update() {
        const f = app.focus();
        body.hidden = f < 0;
        if (f < 0) return title.replaceChildren("No function is chosen");
        const sums = app.functionSums(), found = neighbours(model, app.sums, f);
        title.replaceChildren(shown(model.name(f)));
        facts.textContent = shown(model.binary(f)) + (model.file(f) ? ", " + shown(model.file(f)) : "") + ": self " +
          formatPeriod(sums.self[f], app.clock()) + " (" + formatShare(sums.self[f], app.sums.period) + "), total " +
          formatPeriod(sums.total[f], app.clock()) + " (" + formatShare(sums.total[f], app.sums.period) + "), " +
          formatSamples(sums.totalCount[f]);
        tools.replaceChildren(
          button("Only its own samples", () => app.go({ text: exactly(model.name(f)) })),
          ...stackButtons(app, f),
          ...(model.compared ? [] : [button("Lines", () => app.go({ view: "lines" }))]),
          button("Save callers as CSV", () => saveFile("callers.csv", callers.csv())),
          button("Save callees as CSV", () => saveFile("callees.csv", callees.csv())));
        callers.show(found.callers, app.state.orders.callers, ["period", false]);
        callees.show(found.callees, app.state.orders.callees, ["period", false]);
        return undefined;
      },
    };
  },
};
