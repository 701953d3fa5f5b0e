// All calls with the same callers in one box, the heaviest on the left.
class Flame {
  constructor(app, canvas) {
    this.app = app;
    this.run = app.run;
    this.root = null; // the node that fills the width, null = the run
    this.node = null; // selected
    this.boxes = [];
    this.scroll = 0;
    this.drawing = new Drawing(canvas, (...all) => this.draw(...all));
    this.drawing.fit(Math.max(...this.layout().map((box) => box.depth), 0) + 1, 0);
    this.listen(canvas);
  }

  refresh() { this.drawing.refresh(); }

  // Boxes with the share of the width that they take: { node, depth, left, width }.
  layout() {
    const boxes = [], run = this.run;
    const place = (nodes, depth, left, whole) => {
      // An explicit list: paths may be as deep as the firmware's stack.
      const work = [{ nodes, depth, left }];
      while (work.length > 0) {
        const { nodes: row, depth: level, left: start } = work.pop();
        let x = start;
        for (const node of row) {
          const width = node.total / whole;
          if (width > 0) {
            boxes.push({ node, depth: level, left: x, width });
            if (width > 0.0002)
              work.push({ nodes: node.children, depth: level + 1, left: x });
          }
          x += width;
        }
      }
    };
    if (this.root === null) {
      place(run.roots, 0, 0, Math.max(run.cycles, 1));
      return boxes;
    }
    const path = [];
    for (let node = this.root; node; node = node.parent >= 0 ? run.nodes[node.parent] : null)
      path.unshift(node);
    path.forEach((node, depth) => boxes.push({ node, depth, left: 0, width: 1 }));
    place(this.root.children, path.length, 0, Math.max(this.root.total, 1));
    return boxes;
  }

  zoomTo(node) {
    this.root = node;
    this.scroll = 0;
    this.refresh();
  }

  draw(context, width) {
    this.boxes = this.layout();
    for (const box of this.boxes) {
      const fn = this.run.functions[box.node.function];
      if (box.width * width < 0.3)
        continue;
      this.drawing.box(box.left * width, box.depth * ROW - this.scroll, box.width * width, fn.name,
        this.app.color(fn), { pale: this.app.isPale(fn), ink: this.app.ink(fn),
          ring: box.node === this.node ? this.app.style("--text") : null });
    }
  }

  boxAt(x, y) {
    const depth = Math.floor((y + this.scroll) / ROW), share = x / this.drawing.width;
    return this.boxes.find((box) => box.depth === depth && share >= box.left && share < box.left + box.width) || null;
  }

  select(node) {
    this.node = node;
    this.app.selectNode(node);
    this.refresh();
  }

  // Keys go to the caller, the heaviest callee, and the brothers of a path.
  move(key) {
    if (this.node === null) {
      this.select(this.run.roots[0] || null);
      return;
    }
    const parent = this.node.parent >= 0 ? this.run.nodes[this.node.parent] : null;
    const row = parent ? parent.children : this.run.roots, at = row.indexOf(this.node);
    const to = { ArrowUp: parent, ArrowDown: this.node.children[0], ArrowLeft: row[at - 1], ArrowRight: row[at + 1] }[key];
    if (to)
      this.select(to);
  }

  listen(canvas) {
    canvas.addEventListener("click", (event) => {
      const box = this.boxAt(event.offsetX, event.offsetY);
      this.select(box ? box.node : null);
    });
    canvas.addEventListener("dblclick", (event) => {
      const box = this.boxAt(event.offsetX, event.offsetY);
      this.zoomTo(box ? box.node : null);
    });
    canvas.addEventListener("pointermove", (event) => {
      const box = this.boxAt(event.offsetX, event.offsetY);
      this.app.tipNode(box ? box.node : null, event);
    });
    canvas.addEventListener("pointerleave", () => this.app.tip(null));
    canvas.addEventListener("wheel", (event) => {
      const deepest = Math.max(...this.boxes.map((box) => box.depth), 0) + 1;
      const most = Math.max(deepest * ROW - this.drawing.height, 0);
      if (most === 0)
        return;
      event.preventDefault();
      this.scroll = Math.min(Math.max(this.scroll + event.deltaY, 0), most);
      this.refresh();
    }, { passive: false });
  }
}
