// The page tests itself when it is opened with #selftest: what it shows is
// put into the document, for a test that drives a browser to read.
function pressKey(target, key) {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

function inkOf(drawing) {
  drawing.now();
  const { width, height } = drawing.canvas;
  const pixels = drawing.context.getImageData(0, 0, width, height).data, colors = new Set();
  for (let i = 0; i < pixels.length; i += 4)
    colors.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  return colors.size;
}

function rangeOf(timeline) {
  return [Math.round(timeline.begin), Math.round(timeline.end)];
}

function testTimeline(app, result) {
  const timeline = app.timeline;
  result.timelineColors = inkOf(timeline.drawing);
  result.overviewColors = inkOf(timeline.overview);
  result.whole = rangeOf(timeline);
  pressKey(document.body, "+");
  result.zoomed = rangeOf(timeline);
  pressKey(document.body, "ArrowRight");
  result.moved = rangeOf(timeline);
  for (let i = 0; i < 60; i++)
    pressKey(document.body, "+");
  result.closest = rangeOf(timeline);
  timeline.drawing.now();
  result.closestDrawn = timeline.drawn;
  pressKey(document.body, "0");
  result.back = rangeOf(timeline);
  timeline.drawing.now();
  result.drawn = timeline.drawn;
  const span = app.run.spans.reduce((a, b) => (b.depth > 0 && (a.depth === 0 || b.end - b.begin > a.end - a.begin) ? b : a));
  const scale = timeline.drawing.width / (timeline.end - timeline.begin);
  const hit = timeline.spanAt(((span.begin + span.end) / 2 - timeline.begin) * scale, RULER + span.depth * ROW + 5 - timeline.scroll);
  result.target = [app.run.functions[span.function].name, span.begin, span.end];
  result.hit = hit ? [app.run.functions[hit.function].name, hit.begin, hit.end] : null;
}

function testTables(app, result) {
  const body = document.querySelector("#functions tbody");
  const names = () => [...body.rows].map((row) => row.cells[0].textContent);
  result.rows = [...body.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  document.querySelector("#functions thead th:nth-child(1) button").click();
  result.byName = names();
  document.querySelector("#functions thead th:nth-child(3) button").click();
  result.bySelf = names();
  pressKey(body.rows[0], "Enter");
  result.details = document.getElementById("details").innerText;
  pressKey(document.body, "]");
  result.call = app.span && [app.span.begin, app.span.end, app.span.self, app.span.total];
  pressKey(document.body, "Enter");
  result.callRange = rangeOf(app.timeline);
  pressKey(document.body, "Escape");
}

function testSearch(app, result) {
  const search = document.getElementById("search");
  search.value = result.bySelf[0];
  search.dispatchEvent(new Event("input"));
  result.matches = document.getElementById("matches").textContent;
  result.pale = document.querySelectorAll("#functions tr.pale").length;
  pressKey(document.body, "n");
  result.matched = app.function && app.function.name;
  pressKey(document.body, "Escape");
  result.paleCleared = document.querySelectorAll("#functions tr.pale").length;
}

function testFlame(app, result) {
  pressKey(document.body, "2");
  result.flameShown = !document.getElementById("panel-flame").hidden;
  result.flameColors = inkOf(app.flame.drawing);
  const boxes = app.flame.layout();
  result.flame = boxes.map((box) => [app.run.functions[box.node.function].name, box.depth, box.node.total, box.node.calls]);
  result.flameTop = boxes.filter((box) => box.depth === 0).reduce((sum, box) => sum + box.width, 0);
  pressKey(document.body, "ArrowDown");
  pressKey(document.body, "ArrowDown");
  pressKey(document.body, "Enter");
  result.flameRoot = app.flame.root && app.run.functions[app.flame.root.function].name;
  pressKey(document.body, "0");
  pressKey(document.body, "Escape");
  pressKey(document.body, "1");
}

function selfTest(app) {
  const result = { title: document.title, notice: document.getElementById("notice").textContent };
  try {
    result.spans = app.run.spans.map((span) => [app.run.functions[span.function].name, span.begin, span.end, span.self,
      span.total, span.depth, span.flags, span.stack]);
    result.selfSum = app.run.functions.reduce((sum, fn) => sum + fn.self, 0);
    result.pieces = app.run.rows.flat().length;
    testTimeline(app, result);
    testTables(app, result);
    testSearch(app, result);
    testFlame(app, result);
    pressKey(document.body, "t");
    result.theme = document.documentElement.dataset.theme;
    pressKey(document.body, "t");
    result.requests = performance.getEntriesByType("resource").length;
  } catch (error) {
    result.error = `${error.message}\n${error.stack}`;
  }
  document.body.append(element("pre", { id: "selftest", textContent: JSON.stringify(result) }));
}
