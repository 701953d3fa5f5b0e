// What both drawings share: a canvas in device pixels, boxes with text.
const ROW = 20;

class Drawing {
  constructor(canvas, draw) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.draw = draw;
    this.pending = false;
    new ResizeObserver(() => this.refresh()).observe(canvas);
  }

  // As tall as `rows` need, within bounds that leave room for the tables.
  fit(rows, above) {
    const height = Math.min(Math.max(rows * ROW + above + 4, 130), Math.max(window.innerHeight * 0.5, 200));
    this.canvas.style.height = `${Math.round(height)}px`;
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  // Draw soon, once however often it is asked for.
  refresh() {
    if (this.pending)
      return;
    this.pending = true;
    requestAnimationFrame(() => this.now());
  }

  now() {
    this.pending = false;
    const scale = window.devicePixelRatio || 1;
    const width = Math.round(this.width * scale), height = Math.round(this.height * scale);
    if (width === 0 || height === 0)
      return;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.context.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    this.context.textBaseline = "middle";
    this.draw(this.context, this.width, this.height);
  }

  box(x, y, width, text, fill, { pale = false, ring = null, ink = "#10141a" } = {}) {
    const context = this.context;
    context.globalAlpha = pale ? 0.25 : 1;
    context.fillStyle = fill;
    context.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), 0.6), ROW - 2);
    if (ring) {
      context.globalAlpha = 1;
      context.strokeStyle = ring;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 4);
    }
    const left = Math.max(x, 0), room = Math.min(x + width, this.width) - left - 9;
    const shown = room > 20 ? fitText(context, text, room) : "";
    // Two letters and dots tell nothing.
    if (shown.length > 3 || shown === text) {
      context.fillStyle = ink;
      context.fillText(shown, left + 4, y + ROW / 2 - 0.5);
    }
    context.globalAlpha = 1;
  }
}

function fitText(context, text, room) {
  if (context.measureText(text).width <= room)
    return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= room)
      low = middle;
    else
      high = middle - 1;
  }
  return low > 0 ? text.slice(0, low) + "…" : "";
}

// Round steps for a ruler: 1, 2 or 5 times a power of ten.
function rulerStep(span, marks) {
  const raw = Math.max(span / marks, 1), power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
}

// The first element of a row that ends behind `cycle`.
function firstBehind(row, cycle) {
  let low = 0, high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle].end <= cycle)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
