/* Of a comparison: the verdicts of diff.csv. */
"use strict";

const VERDICTS = ["regressed", "improved", "new", "gone", "moved", "noise", "same", "small", "untested"];
const formatChange = (percent) => (percent >= 0 ? "+" : "") + percent.toFixed(1) + " %";
/* Of two costs; nothing if there is none to compare with. */
const changeOf = (now, base) => (base ? formatChange((100 * (now - base)) / base) : now ? "new" : "");

/* A column of diff.csv. cell: of its text; number: sorted as one. */
function diffColumn(name, head, { number = true, cell = (text) => text, value } = {}) {
  const given = (row) => row[name];
  return {
    key: name, head, number, raw: given, csv: name,
    value: value || (number ? (row) => (given(row) === "" ? -Infinity : Number(given(row))) : given),
    cell: (row) => (given(row) === "" ? "" : cell(given(row), row)),
  };
}

const changesView = {
  name: "changes", title: "Changes",
  make(app) {
    const { model } = app, links = new Map();
    for (let f = 0; f < model.functionCount; f++) links.set(model.name(f) + "\n" + model.binary(f), f);
    const cost = (text) => (model.about.share ? Number(text).toFixed(2) + " %" : formatPeriod(Math.round(text), app.clock()));
    const name = (text, row) => {
      const f = links.get(text + "\n" + row.binary);
      return f === undefined ? make("span", { class: "name" }, shown(text)) : functionLink(app, f);
    };
    const text = { number: false, cell: shown }, fixed = (digits) => ({ cell: (value) => Number(value).toFixed(digits) });
    const all = {
      verdict: diffColumn("verdict", "verdict", {
        number: false, value: (row) => VERDICTS.indexOf(row.verdict),
        cell: (verdict, row) => make("span", { class: verdict }, verdict + (row.match ? " with " + shown(row.match) : "")),
      }),
      function: diffColumn("function", "function", { number: false, cell: name }), binary: diffColumn("binary", "binary", text),
      source_file: diffColumn("source_file", "source file", text), event: diffColumn("event", "", text),
      base_cost: diffColumn("base_cost", "base", { cell: cost }), new_cost: diffColumn("new_cost", "new", { cell: cost }),
      change_percent: diffColumn("change_percent", "change", { cell: (value) => formatChange(Number(value)) }),
      low_percent: diffColumn("low_percent", "95 % from", { cell: (value) => formatChange(Number(value)) }),
      high_percent: diffColumn("high_percent", "to", { cell: (value) => formatChange(Number(value)) }),
      p: diffColumn("p", ""), p_adjusted: diffColumn("p_adjusted", "p", { cell: (value) => (value < 0.001 ? "<.001" : Number(value).toFixed(3)) }),
      detectable_percent: diffColumn("detectable_percent", "detectable %", fixed(1)),
      base_share: diffColumn("base_share", "base %", fixed(2)), new_share: diffColumn("new_share", "new %", fixed(2)),
      base_samples: diffColumn("base_samples", "base samples", { cell: (value) => formatCount(Number(value)) }),
      new_samples: diffColumn("new_samples", "new samples", { cell: (value) => formatCount(Number(value)) }),
      base_runs: diffColumn("base_runs", ""), new_runs: diffColumn("new_runs", ""), match: diffColumn("match", "", text),
    };
    const order = ["verdict", "change_percent", "function", "base_cost", "new_cost", "low_percent", "high_percent", "p_adjusted", "base_share",
      "new_share", "base_samples", "new_samples", "detectable_percent", "binary", "source_file"];
    const rest = Object.keys(all).filter((key) => !order.includes(key));
    const table = makeTable([...order, ...rest].map((key) => all[key]), "Changes", (sort, up) => app.go({ sort, up }), Object.keys(all));
    const count = make("p", { class: "status", role: "status" });
    return {
      element: make("div", null, make("p", { class: "tools" }, button("Save as CSV", () => saveFile("diff.csv", table.csv()))), count, table.element),
      update() {
        const { state, event } = app, chosen = nameMatcher(state.text), found = findMatcher(state.find);
        const rows = model.diff.filter((row) => row.event === event().name && (!chosen || chosen(row.function)) &&
          (!found || [row.function, row.binary, row.source_file].some(found)));
        const changed = rows.filter((row) => row.function !== "[total]" && VERDICTS.indexOf(row.verdict) < 5);
        count.textContent = formatCount(rows.length) + " rows, " + formatCount(changed.length) + (changed.length === 1 ? " function" : " functions") + " changed";
        table.show(rows, [state.sort, state.up]);
      },
    };
  },
};
