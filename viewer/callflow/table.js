// The table of functions and the details of what is selected.
const COLUMNS = [
  { key: "name", title: "Function", text: true, help: "Name" },
  { key: "calls", title: "Calls", help: "How often it was entered" },
  { key: "self", title: "Self", bar: true, help: "Its own cycles" },
  { key: "total", title: "Total", bar: true, help: "Cycles with callees, without interrupts and sleep" },
  { key: "min", title: "Min", help: "The shortest call" },
  { key: "mean", title: "Mean", help: "A call in the mean" },
  { key: "p95", title: "P95", help: "95 of 100 calls take no longer" },
  { key: "max", title: "Max", help: "The longest call" },
  { key: "stack", title: "Stack", help: "Bytes below its return address at most, as seen at events" },
];

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "role")
      made.setAttribute(key, value);
    else
      made[key] = value;
  }
  made.append(...children);
  return made;
}

class FunctionTable {
  constructor(app, table) {
    this.app = app;
    this.table = table;
    this.sort = { key: "self", up: false };
    this.rows = new Map();
    this.head();
    this.fill();
  }

  head() {
    const row = element("tr");
    for (const column of COLUMNS) {
      const button = element("button", { type: "button", title: column.help, textContent: column.title });
      button.addEventListener("click", () => this.sortBy(column.key));
      row.append(element("th", { scope: "col" }, button));
    }
    this.table.tHead.replaceChildren(row);
  }

  sortBy(key) {
    const text = key === "name";
    this.sort = { key, up: this.sort.key === key ? !this.sort.up : text };
    this.fill();
  }

  sorted() {
    const { key, up } = this.sort, sign = up ? 1 : -1;
    return this.app.run.functions.filter((fn) => fn.calls > 0).sort((a, b) =>
      sign * (key === "name" ? a.name.localeCompare(b.name) : a[key] - b[key]) || a.index - b.index);
  }

  fill() {
    const cycles = this.app.run.cycles, body = this.table.tBodies[0];
    [...this.table.tHead.rows[0].cells].forEach((cell, i) => {
      const on = COLUMNS[i].key === this.sort.key;
      cell.setAttribute("aria-sort", on ? (this.sort.up ? "ascending" : "descending") : "none");
      cell.firstChild.textContent = COLUMNS[i].title + (on ? (this.sort.up ? " ▴" : " ▾") : "");
    });
    this.rows.clear();
    body.replaceChildren(...this.sorted().map((fn) => this.row(fn, cycles)));
    this.mark();
  }

  row(fn, cycles) {
    const row = element("tr", { tabIndex: 0 });
    for (const column of COLUMNS) {
      const cell = element("td");
      if (column.text) {
        const swatch = element("span", { className: "swatch" });
        swatch.style.background = this.app.color(fn);
        cell.append(swatch, fn.name);
        cell.title = fn.name;
      } else {
        cell.textContent = column.key === "mean" ? formatMean(fn.mean) : formatCycles(fn[column.key]);
      }
      if (column.bar && cycles > 0) {
        cell.className = "bar";
        cell.style.backgroundSize = `${(100 * fn[column.key] / cycles).toFixed(1)}% 70%`;
        cell.title = formatShare(fn[column.key], cycles);
      }
      row.append(cell);
    }
    row.addEventListener("click", () => this.app.selectFunction(fn));
    row.addEventListener("keydown", (event) => this.key(event, fn, row));
    this.rows.set(fn, row);
    return row;
  }

  key(event, fn, row) {
    const other = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (event.key === "Enter" || event.key === " ")
      this.app.selectFunction(fn);
    else if (other)
      other.focus();
    else
      return;
    event.preventDefault();
    event.stopPropagation();
  }

  mark() {
    for (const [fn, row] of this.rows) {
      row.setAttribute("aria-selected", String(fn === this.app.function));
      row.classList.toggle("pale", this.app.isPale(fn));
    }
  }
}

function facts(pairs) {
  return element("dl", {}, ...pairs.map(([name, value]) =>
    element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))));
}

function link(app, fn, text = fn.name) {
  const button = element("button", { type: "button", textContent: text });
  button.addEventListener("click", () => app.selectFunction(fn));
  return button;
}

function edgeList(app, title, edges, other) {
  if (edges.length === 0)
    return [];
  const items = [...edges].sort((a, b) => b.total - a.total || b.calls - a.calls).map((edge) =>
    element("li", {}, link(app, app.run.functions[edge[other]]),
      element("span", { textContent: `${formatCycles(edge.calls)} × · ${formatCycles(edge.total)}` })));
  return [element("h4", { textContent: title }), element("ul", { className: "links" }, ...items)];
}

function functionDetails(app, fn) {
  const run = app.run;
  const hex = "0x" + fn.address.toString(16).padStart(4, "0");
  const parts = [facts([
    [fn.kind === KIND.INTERRUPT ? "vector" : "address", fn.kind === KIND.FUNCTION || fn.kind === KIND.INTERRUPT ? hex : "–"],
    ["calls", formatCycles(fn.calls)],
    ["self", `${formatCycles(fn.self)} cycles · ${formatShare(fn.self, run.cycles)}`],
    ["total", `${formatCycles(fn.total)} cycles · ${formatShare(fn.total, run.cycles)}`],
    ["min · mean", `${formatCycles(fn.min)} · ${formatMean(fn.mean)}`],
    ["p95 · max", `${formatCycles(fn.p95)} · ${formatCycles(fn.max)}`],
    ["stack", `${formatCycles(fn.stack)} bytes`],
    ...(fn.unwound > 0 ? [["ended without an exit", formatCycles(fn.unwound)]] : []),
  ])];
  parts.push(...edgeList(app, "Callers", run.edges.filter((edge) => edge.callee === fn.index), "caller"));
  parts.push(...edgeList(app, "Callees", run.edges.filter((edge) => edge.caller === fn.index), "callee"));
  return parts;
}

function spanDetails(app, span) {
  const run = app.run, path = [];
  for (let at = span; at; at = at.parent)
    path.unshift(at);
  const chain = element("div", { className: "path" });
  path.forEach((at, i) => {
    const button = element("button", { type: "button", textContent: labelOf(run, at) });
    button.addEventListener("click", () => app.selectSpan(at, true));
    chain.append(i > 0 ? " › " : "", button);
  });
  const notes = FLAG_NAMES.filter(([flag]) => span.flags & flag).map(([, name]) => name);
  const number = run.functions[span.function].spans.indexOf(span) + 1;
  return [facts([
    ["call", `${formatCycles(number)} of ${formatCycles(run.functions[span.function].spans.length)}`],
    ["cycles", `${formatCycles(span.begin)} – ${formatCycles(span.end)}`],
    ["this call", `${formatCycles(span.total)}, self ${formatCycles(span.self)}`],
    ...(run.stacks > 1 ? [["stack", span.stack === 0 ? "main" : `task ${span.stack}`]] : []),
    ...(notes.length > 0 ? [["notes", notes.join(", ")]] : []),
  ]), element("h4", { textContent: "Path" }), chain];
}
