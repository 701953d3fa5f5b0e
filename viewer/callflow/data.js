// The run: decoded from the JSON in the page.
const KIND = { FUNCTION: 0, UNMARKED: 1, INTERRUPT: 2, SLEEP: 3, LOST: 4 };
const KIND_NAMES = ["functions", "unmarked code", "interrupts", "sleep", "lost"];
const FLAG_NAMES = [[1, "entered by a tail jump"], [2, "left by a jump"], [4, "ended without an exit"],
  [8, "had not ended"], [16, "recursive"]];

function readVarints(base64, each) {
  const bytes = atob(base64);
  let at = 0;
  const next = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = bytes.charCodeAt(at++);
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  while (at < bytes.length)
    each(next);
}

function decodeSpans(raw) {
  const spans = [];
  let begin = 0;
  readVarints(raw.spans, (next) => {
    const span = { index: spans.length, function: next() };
    begin += next();
    span.begin = begin;
    span.end = begin + next();
    span.self = next();
    span.total = span.self + next();
    const up = next();
    span.parent = up === 0 ? null : spans[span.index - up];
    span.flags = next();
    span.stack = next();
    span.depth = span.parent ? span.parent.depth + 1 : 0;
    spans.push(span);
  });
  return spans;
}

// Rows of pieces, by depth, in order of time: what the timeline draws. A call
// on a stack that is switched away has several.
function decodeRows(raw, spans) {
  const rows = [];
  const put = (span, begin, end) => {
    while (rows.length <= span.depth)
      rows.push([]);
    rows[span.depth].push({ span, begin, end });
  };
  if (raw.pieces === undefined) {
    spans.forEach((span) => put(span, span.begin, span.end));
  } else {
    let begin = 0;
    readVarints(raw.pieces, (next) => {
      const span = spans[next()], step = next();
      begin += step % 2 ? -(step + 1) / 2 : step / 2;
      put(span, begin, begin + next());
    });
    rows.forEach((row) => row.sort((a, b) => a.begin - b.begin));
  }
  return rows;
}

function decodeNodes(raw) {
  const nodes = raw.nodes.map(([parent, fn, calls, self], index) =>
    ({ index, parent: parent - 1, function: fn, calls, self, total: self, children: [] }));
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (nodes[i].parent >= 0)
      nodes[nodes[i].parent].total += nodes[i].total;
  }
  const roots = [];
  nodes.forEach((node) => (node.parent >= 0 ? nodes[node.parent].children : roots).push(node));
  const heavier = (a, b) => b.total - a.total;
  roots.sort(heavier);
  nodes.forEach((node) => node.children.sort(heavier));
  return { nodes, roots };
}

function decodeRun(raw) {
  const functions = raw.functions.map(([name, kind, address, calls, self, total, sum, min, p95, max,
    stack, unwound], index) => ({ index, name, kind, address, calls, self, total, min, p95, max, stack,
    unwound, mean: calls > 0 ? sum / calls : 0, spans: [] }));
  const spans = decodeSpans(raw);
  spans.forEach((span) => functions[span.function].spans.push(span));
  const edges = raw.edges.map(([caller, callee, calls, total]) => ({ caller, callee, calls, total }));
  const run = { ...raw, functions, spans, edges, ...decodeNodes(raw) };
  run.rows = decodeRows(raw, spans);
  return run;
}

// Colours: functions by rank along the golden angle; the rest by kind.
function colorOf(run, fn, dark) {
  const lightness = dark ? 62 : 70;
  switch (fn.kind) {
    case KIND.UNMARKED: return dark ? "#7b8794" : "#b4bdc9";
    case KIND.INTERRUPT: return dark ? "#ff8a4c" : "#f2884b";
    case KIND.SLEEP: return dark ? "#3d4754" : "#dfe4ea";
    case KIND.LOST: return dark ? "#e05666" : "#ef8f9a";
    default: return `hsl(${(205 + fn.rank * 137.508) % 360} 58% ${lightness}%)`;
  }
}

function rankFunctions(run) {
  [...run.functions].filter((fn) => fn.kind === KIND.FUNCTION).sort((a, b) => b.self - a.self)
    .forEach((fn, rank) => { fn.rank = rank; });
}

// The root of a task's stack stands for the task.
function labelOf(run, span) {
  const fn = run.functions[span.function];
  return fn.kind === KIND.UNMARKED && span.stack > 0 ? `task ${span.stack}` : fn.name;
}

const plain = new Intl.NumberFormat("en-US");
const formatCycles = (n) => plain.format(Math.round(n));
const formatMean = (n) => (Number.isInteger(n) ? plain.format(n)
  : new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(n));
const formatShare = (n, of) => (of > 0 ? (100 * n / of).toFixed(2) : "0.00") + " %";
