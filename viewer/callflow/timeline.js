// Calls by cycle, callees below their callers, with an overview above.
const RULER = 22;

class Timeline {
  constructor(app, canvas, overview) {
    this.app = app;
    this.run = app.run;
    this.begin = 0;
    this.end = Math.max(this.run.cycles, 1);
    this.scroll = 0;
    this.drawing = new Drawing(canvas, (...all) => this.draw(...all));
    this.drawing.fit(this.run.rows.length, RULER);
    this.overview = new Drawing(overview, (...all) => this.drawOverview(...all));
    this.listen(canvas);
    this.listenOverview(overview);
  }

  refresh() {
    this.drawing.refresh();
    this.overview.refresh();
    this.app.showRange(this.begin, this.end);
  }

  // Show cycles begin to end, within the run and at least 20 of them.
  show(begin, end) {
    const most = Math.max(this.run.cycles, 1);
    const length = Math.min(Math.max(end - begin, Math.min(20, most)), most);
    this.begin = Math.min(Math.max((begin + end - length) / 2, 0), most - length);
    this.end = this.begin + length;
    this.refresh();
  }

  zoom(factor, at = 0.5) {
    const length = (this.end - this.begin) * factor, center = this.begin + (this.end - this.begin) * at;
    this.show(center - length * at, center + length * (1 - at));
  }

  pan(share) {
    const by = (this.end - this.begin) * share;
    const move = Math.min(Math.max(by, -this.begin), this.run.cycles - this.end);
    this.show(this.begin + move, this.end + move);
  }

  scrollRows(rows) {
    const most = Math.max(this.run.rows.length * ROW + RULER - this.drawing.height, 0);
    this.scroll = Math.min(Math.max(this.scroll + rows * ROW, 0), most);
    this.refresh();
  }

  showAll() {
    this.scroll = 0;
    this.show(0, this.run.cycles);
  }

  // Bring a call into view; with `zoom`, let it fill most of the width.
  reveal(span, zoom) {
    const length = span.end - span.begin;
    if (zoom || length > this.end - this.begin)
      this.show(span.begin - length * 0.08, span.end + length * 0.08);
    else if (span.begin < this.begin || span.end > this.end)
      this.show((span.begin + span.end - this.end + this.begin) / 2,
        (span.begin + span.end + this.end - this.begin) / 2);
    const top = span.depth * ROW;
    if (top < this.scroll || top + ROW > this.scroll + this.drawing.height - RULER)
      this.scroll = Math.max(0, top - (this.drawing.height - RULER) / 2);
    this.refresh();
  }

  draw(context, width, height) {
    const scale = width / (this.end - this.begin);
    this.drawn = 0;
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    this.run.rows.forEach((row, depth) => {
      const y = RULER + depth * ROW - this.scroll;
      if (y > -ROW && y < height)
        this.drawRow(row, y, scale);
    });
    context.restore();
    this.drawRuler(context, width, scale);
  }

  drawRow(row, y, scale) {
    let at = firstBehind(row, this.begin);
    while (at < row.length && row[at].begin < this.end) {
      const piece = row[at], x = (piece.begin - this.begin) * scale;
      const w = (piece.end - piece.begin) * scale, fn = this.run.functions[piece.span.function];
      this.drawing.box(x, y, w, labelOf(this.run, piece.span), this.app.color(fn), {
        pale: this.app.isPale(fn), ink: this.app.ink(fn),
        ring: piece.span === this.app.span ? this.app.style("--text") : null });
      this.drawn++;
      // What is narrower than a pixel stands for all that share it.
      at = w < 0.7 ? Math.max(at + 1, firstBehind(row, this.begin + (x + 0.7) / scale)) : at + 1;
    }
  }

  drawRuler(context, width, scale) {
    const step = rulerStep(this.end - this.begin, Math.max(width / 110, 1));
    context.fillStyle = this.app.style("--soft");
    context.strokeStyle = this.app.style("--line");
    context.lineWidth = 1;
    context.beginPath();
    for (let cycle = Math.ceil(this.begin / step) * step; cycle <= this.end; cycle += step) {
      const x = Math.round((cycle - this.begin) * scale) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, RULER - 4);
      context.fillText(formatCycles(cycle), x + 4, 9);
    }
    context.moveTo(0, RULER - 3.5);
    context.lineTo(width, RULER - 3.5);
    context.stroke();
  }

  // Busy, asleep, in interrupts: one column a pixel of the whole run.
  drawOverview(context, width, height) {
    const run = this.run, scale = width / Math.max(run.cycles, 1), deepest = run.rows.length;
    const unit = (height - 2) / Math.max(deepest, 1);
    run.rows.forEach((row, depth) => {
      for (let at = 0; at < row.length;) {
        const piece = row[at], x = piece.begin * scale, w = (piece.end - piece.begin) * scale;
        const fn = run.functions[piece.span.function];
        context.globalAlpha = this.app.isPale(fn) ? 0.2 : 1;
        context.fillStyle = this.app.color(fn);
        context.fillRect(x, 1 + depth * unit, Math.max(w, 0.6), Math.max(unit, 1));
        at = w < 0.7 ? Math.max(at + 1, firstBehind(row, (x + 0.7) / scale)) : at + 1;
      }
    });
    context.globalAlpha = 1;
    const left = this.begin * scale, right = Math.max(this.end * scale, left + 2);
    context.fillStyle = this.app.dark ? "rgba(0,0,0,0.55)" : "rgba(246,247,249,0.7)";
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = this.app.style("--accent");
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(right - left - 2, 1), height - 2);
  }

  spanAt(x, y) {
    const row = this.run.rows[Math.floor((y - RULER + this.scroll) / ROW)];
    if (y < RULER || !row)
      return null;
    const scale = this.drawing.width / (this.end - this.begin), cycle = this.begin + x / scale;
    const at = firstBehind(row, cycle), near = 2 / scale;
    // Calls narrower than the pointer are found a little beside it.
    const hit = [row[at - 1], row[at]].find((piece) => piece && piece.begin - near <= cycle && piece.end + near >= cycle);
    return at < row.length && row[at].begin <= cycle ? row[at].span : hit ? hit.span : null;
  }

  listen(canvas) {
    let drag = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const size = event.deltaMode === 1 ? 20 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        this.pan(((event.deltaX || event.deltaY) * size) / this.drawing.width);
      else
        this.zoom(1.0018 ** (event.deltaY * size), event.offsetX / this.drawing.width);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, begin: this.begin, scroll: this.scroll, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        this.app.tip(this.spanAt(event.offsetX, event.offsetY), event);
        return;
      }
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      drag.moved = drag.moved || Math.abs(dx) + Math.abs(dy) > 4;
      if (!drag.moved)
        return;
      const length = this.end - this.begin;
      const begin = Math.min(Math.max(drag.begin - dx * length / this.drawing.width, 0), this.run.cycles - length);
      this.scroll = drag.scroll;
      this.show(begin, begin + length);
      this.scrollRows(-dy / ROW);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved)
        this.app.selectSpan(this.spanAt(event.offsetX, event.offsetY));
      drag = null;
    });
    canvas.addEventListener("pointercancel", () => { drag = null; });
    canvas.addEventListener("pointerleave", () => this.app.tip(null));
    canvas.addEventListener("dblclick", (event) => {
      const span = this.spanAt(event.offsetX, event.offsetY);
      if (span)
        this.reveal(span, true);
    });
  }

  listenOverview(canvas) {
    let from = null;
    const cycleAt = (event) => event.offsetX / this.overview.width * this.run.cycles;
    canvas.addEventListener("pointerdown", (event) => {
      from = cycleAt(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from !== null && Math.abs(cycleAt(event) - from) > this.run.cycles / this.overview.width * 3)
        this.show(Math.min(from, cycleAt(event)), Math.max(from, cycleAt(event)));
    });
    canvas.addEventListener("pointerup", (event) => {
      const half = (this.end - this.begin) / 2, at = cycleAt(event);
      if (from !== null && Math.abs(at - from) <= this.run.cycles / this.overview.width * 3)
        this.show(at - half, at + half);
      from = null;
    });
    canvas.addEventListener("dblclick", () => this.showAll());
  }
}
