// The page: what is selected, searched and shown.
class App {
  constructor(raw) {
    this.run = decodeRun(raw);
    rankFunctions(this.run);
    this.function = null;
    this.span = null;
    this.query = "";
    this.view = "timeline";
    this.colors = new Map();
    this.setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
    this.heading();
    this.table = new FunctionTable(this, document.getElementById("functions"));
    this.timeline = new Timeline(this, document.getElementById("timeline"), document.getElementById("overview"));
    this.flame = new Flame(this, document.getElementById("flame"));
    this.controls();
    this.timeline.refresh();
  }

  get byId() { return (id) => document.getElementById(id); }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.colors.clear();
    this.styles = getComputedStyle(document.documentElement);
    this.cache = {};
    if (this.table) {
      this.breakdown();
      this.table.fill();
      this.refresh();
    }
  }

  style(name) { return this.cache[name] ??= this.styles.getPropertyValue(name).trim(); }

  color(fn) {
    if (!this.colors.has(fn))
      this.colors.set(fn, colorOf(this.run, fn, this.dark));
    return this.colors.get(fn);
  }

  ink(fn) { return this.dark && fn.kind === KIND.SLEEP ? "#dbe1e8" : "#10141a"; }

  isMatch(fn) { return this.query !== "" && fn.name.toLowerCase().includes(this.query); }

  isPale(fn) { return this.query !== "" && !this.isMatch(fn); }

  heading() {
    const run = this.run;
    document.title = `${run.title} – call flow`;
    this.byId("title").textContent = run.title;
    this.byId("subtitle").textContent = `${run.device} · ${formatCycles(run.cycles)} cycles · ` +
      (run.end ?? "cut off") + ` · main stack ${formatCycles(run.peakStack)} bytes` +
      (run.stacks > 1 ? ` · ${run.stacks} stacks` : "");
    const notes = [];
    if (run.end === null)
      notes.push("The recording was cut off; what follows it is missing.");
    if (run.lost > 0)
      notes.push(`${formatCycles(run.lost)} events were lost.`);
    if (run.orphans > 0)
      notes.push(`${formatCycles(run.orphans)} exits belong to no call that was seen.`);
    if (run.leftOut > 0)
      notes.push(`The timeline leaves out ${formatCycles(run.leftOut)} calls: the shortest, or what the ` +
        "export's filter leaves out. All sums count them.");
    this.byId("notice").textContent = notes.join(" ");
    this.byId("notice").hidden = notes.length === 0;
    this.breakdown();
  }

  breakdown() {
    const run = this.run, bar = this.byId("breakdown"), legend = this.byId("legend");
    const colors = [this.style("--accent"), ...[1, 2, 3, 4].map((kind) => colorOf(run, { kind }, this.dark))];
    bar.replaceChildren();
    legend.replaceChildren();
    run.kinds.forEach((cycles, kind) => {
      if (cycles === 0)
        return;
      const part = element("span");
      part.style.background = colors[kind];
      part.style.flexGrow = String(cycles / run.cycles * 1000);
      bar.append(part);
      const dot = element("i");
      dot.style.background = colors[kind];
      legend.append(element("li", {}, dot, `${KIND_NAMES[kind]} `, element("b", { textContent: formatCycles(cycles) }),
        ` · ${formatShare(cycles, run.cycles)}`));
    });
    bar.setAttribute("aria-label", legend.textContent);
  }

  refresh() {
    this.timeline.refresh();
    this.flame.refresh();
    this.table.mark();
  }

  showRange(begin, end) {
    this.byId("range").textContent = this.view === "timeline"
      ? `${formatCycles(begin)} – ${formatCycles(end)} · ${formatCycles(end - begin)} cycles` : "";
  }

  selectFunction(fn) {
    this.function = fn;
    this.span = fn && this.span && this.span.function === fn.index ? this.span : null;
    this.details();
  }

  selectSpan(span, reveal = false) {
    this.span = span;
    this.function = span ? this.run.functions[span.function] : null;
    if (span && reveal)
      this.timeline.reveal(span, false);
    this.details();
  }

  selectNode(node) {
    this.span = null;
    this.function = node ? this.run.functions[node.function] : null;
    this.details();
  }

  details() {
    const panel = this.byId("details"), fn = this.function;
    if (!fn) {
      panel.replaceChildren(element("p", { className: "hint", textContent: "Select a call or a function." }));
    } else {
      const dot = element("span", { className: "swatch" });
      dot.style.background = this.color(fn);
      const walk = element("div", { className: "walk" });
      [["‹ Previous call", -1], ["Next call ›", 1]].forEach(([text, step]) => {
        const button = element("button", { type: "button", textContent: text });
        button.addEventListener("click", () => this.stepCall(step));
        walk.append(button);
      });
      panel.replaceChildren(element("h3", {}, dot, fn.name),
        ...(this.span ? spanDetails(this, this.span) : []), walk,
        ...(this.span ? [element("h4", { textContent: "Function" })] : []), ...functionDetails(this, fn));
    }
    this.refresh();
  }

  stepCall(step) {
    const spans = this.function ? this.function.spans : [];
    if (spans.length === 0)
      return;
    const at = this.span ? spans.indexOf(this.span) : step > 0 ? -1 : 0;
    this.selectSpan(spans[(at + step + spans.length) % spans.length], true);
  }

  search(text) {
    this.query = text.trim().toLowerCase();
    const found = this.run.functions.filter((fn) => fn.calls > 0 && this.isMatch(fn));
    const cycles = found.reduce((sum, fn) => sum + fn.self, 0);
    this.byId("matches").textContent = this.query === "" ? ""
      : `${found.length} found, self ${formatShare(cycles, this.run.cycles)}`;
    this.found = found;
    this.refresh();
  }

  stepMatch(step) {
    if (!this.found || this.found.length === 0)
      return;
    const at = this.found.indexOf(this.function);
    const next = this.found[at < 0 ? (step > 0 ? 0 : this.found.length - 1) : (at + step + this.found.length) % this.found.length];
    this.selectFunction(next);
    this.table.rows.get(next)?.scrollIntoView({ block: "nearest" });
    this.stepCall(1);
  }

  showView(view) {
    this.view = view;
    for (const name of ["timeline", "flame"]) {
      const on = name === view, tab = this.byId("tab-" + name);
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      this.byId("panel-" + name).hidden = !on;
    }
    this.refresh();
  }

  tipText(text, event) {
    const tip = this.byId("tip");
    tip.hidden = !text;
    if (!text)
      return;
    tip.textContent = text;
    const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(x, 4)}px`;
    tip.style.top = `${Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
  }

  tip(span, event) {
    this.tipText(span && `${labelOf(this.run, span)}\ntotal ${formatCycles(span.total)} · self ${formatCycles(span.self)} cycles\n` +
      `from ${formatCycles(span.begin)} to ${formatCycles(span.end)}`, event);
  }

  tipNode(node, event) {
    const fn = node && this.run.functions[node.function];
    this.tipText(node && `${fn.name}\n${formatCycles(node.calls)} calls · total ${formatCycles(node.total)} ` +
      `(${formatShare(node.total, this.run.cycles)}) · self ${formatCycles(node.self)}`, event);
  }

  zoom(factor) {
    if (this.view === "timeline")
      this.timeline.zoom(factor);
    else
      this.flame.zoomTo(factor < 1 ? this.flame.node : null);
  }

  showAll() {
    this.timeline.showAll();
    this.flame.zoomTo(null);
  }

  controls() {
    const search = this.byId("search"), help = this.byId("help");
    search.addEventListener("input", () => this.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter")
        this.stepMatch(event.shiftKey ? -1 : 1);
      if (event.key === "Escape")
        search.blur();
    });
    this.byId("theme").addEventListener("click", () => this.setTheme(!this.dark));
    this.byId("help-button").addEventListener("click", () => help.showModal());
    this.byId("zoom-in").addEventListener("click", () => this.zoom(0.5));
    this.byId("zoom-out").addEventListener("click", () => this.zoom(2));
    this.byId("zoom-all").addEventListener("click", () => this.showAll());
    for (const name of ["timeline", "flame"]) {
      const tab = this.byId("tab-" + name), other = this.byId(name === "flame" ? "tab-timeline" : "tab-flame");
      tab.addEventListener("click", () => this.showView(name));
      tab.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight")
          return;
        event.stopPropagation();
        this.showView(name === "flame" ? "timeline" : "flame");
        other.focus();
      });
    }
    document.addEventListener("keydown", (event) => this.key(event));
  }

  clear() {
    this.byId("search").value = "";
    this.flame.node = null;
    this.search("");
    this.selectSpan(null);
  }

  moveKey(key) {
    if (this.view === "flame")
      return () => this.flame.move(key);
    return { ArrowLeft: () => this.timeline.pan(-0.15), ArrowRight: () => this.timeline.pan(0.15),
      ArrowUp: () => this.timeline.scrollRows(-2), ArrowDown: () => this.timeline.scrollRows(2) }[key];
  }

  enter() {
    if (this.view === "flame")
      this.flame.zoomTo(this.flame.node);
    else if (this.span)
      this.timeline.reveal(this.span, true);
  }

  firstCallee() {
    const callee = this.span && this.run.spans.slice(this.span.index + 1).find((span) => span.parent === this.span);
    if (callee)
      this.selectSpan(callee, true);
  }

  key(event) {
    const typing = event.target.matches && event.target.matches("input, dialog *");
    const pressed = event.target.matches && event.target.matches("button") && (event.key === "Enter" || event.key === " ");
    if (typing || pressed || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const actions = {
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.showAll(),
      "1": () => this.showView("timeline"), "2": () => this.showView("flame"),
      "/": () => this.byId("search").focus(), "n": () => this.stepMatch(1), "N": () => this.stepMatch(-1),
      "[": () => this.stepCall(-1), "]": () => this.stepCall(1), "t": () => this.setTheme(!this.dark),
      "p": () => this.span && this.span.parent && this.selectSpan(this.span.parent, true),
      "c": () => this.firstCallee(), "?": () => this.byId("help").showModal(),
      "Enter": () => this.enter(), "Escape": () => this.clear(),
    };
    const action = event.key.startsWith("Arrow") ? this.moveKey(event.key) : actions[event.key];
    if (!action)
      return;
    event.preventDefault();
    action();
  }
}

// A link may say what to show: #view=flame&theme=dark&function=main&from=0&to=100
function followLink(app, link) {
  if (link.get("theme"))
    app.setTheme(link.get("theme") === "dark");
  if (link.get("view") === "flame")
    app.showView("flame");
  const fn = app.run.functions.find((each) => each.name === link.get("function"));
  if (fn) {
    app.selectFunction(fn);
    app.stepCall(1);
  }
  if (link.get("search")) {
    app.byId("search").value = link.get("search");
    app.search(link.get("search"));
  }
  if (link.has("from") && link.has("to"))
    app.timeline.show(Number(link.get("from")), Number(link.get("to")));
}

const app = new App(JSON.parse(document.getElementById("data").textContent));
followLink(app, new URLSearchParams(location.hash.slice(1)));
if (location.hash === "#selftest")
  selfTest(app);
