/* The page: the choice that all views share, and which view is shown. */
"use strict";

const app = {
  model: null, state: null, sums: null, key: "", found: null,
  clock: () => app.event().clock,
  event: () => app.model.allEvents[app.state.event],
  functionSums() { return app.byFunction || (app.byFunction = sumFunctions(app.model, app.sums)); },
  /* the function that callers and lines are about: the chosen one, else the most expensive */
  focus() {
    const { self } = app.functionSums();
    if (app.state.function >= 0) return app.state.function;
    return self.reduce((best, value, f) => (value > (best < 0 ? 0 : self[best]) ? f : best), -1);
  },
  /* the period of most samples of a clock, in ns: how long a stretch must be to be compared with all of it */
  usualPeriod: () => usualPeriod(app.event()),
  address: (change) => formatState(app.model, { ...app.state, ...change }),
  /*
   * Changes what is shown, as a step that "back" undoes. how: "replace": without such a step, as there would be many; the
   * address follows a little later, for browsers limit how often it may change. "live": only for now, until keep().
   */
  go(change, how) {
    const address = app.address(change);
    if (!how && address !== location.hash) location.hash = address;
    show(address); /* at once: what follows, a key that was typed, changes this state and not the one before */
    if (how === "replace") app.timer = setTimeout(() => app.replace(address), 300);
  },
  replace(address) { try { history.replaceState(null, "", address); } catch (e) { location.hash = address; } },
  keep: () => app.go({}),
};

const allViews = [summaryView, changesView, timelineView, flameView, treeView, functionsView, callersView, linesView];
const made = {};
let views = []; /* that the page has */

/* The controls of the choice. */
function makeChoice() {
  const { model } = app;
  const event = make("select", { onchange: () => app.go({ event: Number(event.value), path: [] }) },
    ...model.events.map((e) => make("option", { value: e.number }, shown(e.name) + (model.events.length > 1 ? " (" + formatCount(e.samples) + ")" : ""))));
  /* apply(text): false if the text means nothing; then what was chosen stays, and the field says so. */
  const field = (label, hint, apply) => {
    const input = make("input", { type: "text", placeholder: hint, spellcheck: "false", autocomplete: "off", onchange() {
      const wrong = apply(input.value) === false;
      input.setAttribute("aria-invalid", wrong);
      if (wrong) chosen.textContent = label + ": nothing is " + shown(input.value) + "; as in " + hint;
    } });
    return { input, label: make("label", null, label, input) };
  };
  const time = field("Time, s", "1.5-2", (text) => {
    const [from, to] = parseTime(text, model.about.unit);
    return from === null && to === null && !/^\s*-?\s*$/.test(text) ? false : app.go({ from, to });
  });
  const numbers = (label, key, hint, known, names) => field(label, hint, (text) => {
    const found = chosenNumbers(text, known, names);
    return found === undefined ? false : app.go({ [key]: found });
  });
  const { threads, tasks } = model.data;
  const pids = numbers("Processes", "pids", "pid, name*", threads.pid, model.processName);
  const tids = numbers("Threads", "tids", "tid, name*", threads.tid, model.threadName);
  const cpus = numbers("CPUs", "cpus", "0,2-3", tasks.cpu, null);
  const text = field("Samples in", "name, glob*, !not", (value) => app.go({ text: value, path: [] }));
  const stack = field("Stacks with", "name, glob*, !not", (value) => app.go({ stack: value, path: [] }));
  const find = field("Find", "name or /regexp/", (value) => app.go({ find: value }));
  find.input.addEventListener("input", () => app.go({ find: find.input.value }, "replace"));
  find.input.id = "find";
  const chosen = make("p", { class: "status", id: "chosen", role: "status" });
  const form = make("form", { id: "choice", "aria-label": "Choice", onsubmit: (e) => e.preventDefault() },
    make("label", null, "Event", event), ...(model.compared ? [] : [model.about.timed ? time.label : null, pids.label, tids.label, cpus.label]), text.label, ...(model.about.chains ? [stack.label] : []), find.label,
    button("All", () => app.go({ from: null, to: null, pids: null, tids: null, cpus: null, text: "", stack: "", find: "", path: [] })));
  const set = (input, value) => {
    if (document.activeElement === input && input.value !== "") return;
    input.value = value;
    input.removeAttribute("aria-invalid");
  };
  return {
    element: make("div", null, form, chosen),
    update() {
      const { state, sums } = app, e = app.event();
      event.value = state.event;
      set(time.input, state.from === null && state.to === null ? "" : formatTime(state.from, state.to, model.about.unit));
      set(pids.input, (state.pids || []).join(","));
      set(tids.input, (state.tids || []).join(","));
      set(cpus.input, (state.cpus || []).join(","));
      set(text.input, state.text);
      set(stack.input, state.stack);
      set(find.input, state.find);
      if (model.compared) {
        chosen.textContent = "New: " + formatPeriod(sums.period, e.clock) + ", base: " + formatPeriod(sums.base, e.clock) +
          (sums.base ? " (" + formatChange((100 * (sums.period - sums.base)) / sums.base) + ")" : "") + ", means of the runs, scaled";
      } else chosen.textContent = "Chosen: " + formatCount(sums.count) + " of " + formatSamples(e.samples) + ", " +
        formatPeriod(sums.period, e.clock) + " of " + formatPeriod(e.period, e.clock) + " (" + formatShare(sums.period, e.period) + ")";
    },
  };
}

function makeNavigation() {
  const links = views.map((view) => make("a", null, view.title));
  return {
    element: make("nav", { "aria-label": "Views" }, ...links, button("Keys (?)", showKeys)),
    update() {
      views.forEach((view, i) => {
        links[i].href = app.address({ view: view.name });
        if (view.name === app.state.view) links[i].setAttribute("aria-current", "page");
        else links[i].removeAttribute("aria-current");
      });
    },
  };
}

function show(address) {
  const { model } = app;
  clearTimeout(app.timer); /* what was shown before must not become the address of this */
  app.state = parseState(model, address);
  app.shown = address;
  if (choiceKey(app.state) !== app.key) {
    app.key = choiceKey(app.state);
    app.sums = sumChosen(model, app.state, app.sums);
    app.byFunction = null;
  }
  app.found = findFunctions(model, app.state.find);
  const view = views.find((v) => v.name === app.state.view) || views[0];
  if (!made[view.name]) made[view.name] = view.make(app);
  const host = document.getElementById("view");
  if (host.firstChild !== made[view.name].element) host.replaceChildren(made[view.name].element);
  app.parts.forEach((part) => part.update());
  made[view.name].update();
}

function pageKeys(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && typing) event.target.blur();
  else if (typing) return;
  else if (event.key === "?") showKeys();
  else if (event.key === "/") document.getElementById("find").focus();
  else if (/^[1-9]$/.test(event.key) && views[event.key - 1]) app.go({ view: views[event.key - 1].name });
  else return;
  event.preventDefault();
}

async function start() {
  const main = document.getElementById("main");
  const piece = (id) => {
    const found = document.getElementById(id);
    return found && { text: found.textContent, packed: found.dataset.packed };
  };
  app.model = makeModel(await readData(piece));
  views = app.model.views.map((name) => allViews.find((view) => view.name === name));
  if (!app.model.rows) return; /* what is there without scripts says it all */
  document.getElementById("still").remove();
  app.summary = document.getElementById("summary");
  app.summary.remove();
  app.parts = [makeNavigation(), makeChoice(), makeStrip(app)];
  main.prepend(...app.parts.map((part) => part.element));
  main.append(make("div", { id: "view" }));
  const again = () => show(formatState(app.model, app.state));
  addEventListener("hashchange", () => { if (location.hash !== app.shown) show(location.hash); });
  addEventListener("keydown", pageKeys);
  addEventListener("resize", again);
  for (const when of ["beforeprint", "afterprint"]) addEventListener(when, () => {
    document.documentElement.classList.toggle("paper", when === "beforeprint");
    again(); /* canvases as high as what they show, in the colours of paper */
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  document.documentElement.classList.add("live");
  show(location.hash);
}

start().catch((e) => {
  document.getElementById("main").prepend(make("p", { class: "failed" }, "This browser cannot show more than this: " + e.message));
});
