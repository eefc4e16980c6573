// Maps of heaps on canvases: all show the same stretch of time and of addresses.
class HeapMap {
  constructor(figure) {
    this.canvas = figure.querySelector("canvas");
    this.facts = JSON.parse(figure.querySelector("script").textContent);
    this.blocks = this.facts.rows ? fromRows(this.facts) : fromWords(this.facts);
    this.tip = this.canvas.parentElement.appendChild(Object.assign(document.createElement("div"), { className: "tip", hidden: true }));
    this.whole = { x0: 0, x1: this.facts.events, y0: 0, y1: this.facts.top * 1.02 };
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") this.from = this.at(event);
    });
    this.canvas.addEventListener("dblclick", () => showMaps(null));
    addEventListener("pointerup", (event) => this.from && this.release(event));
  }

  at({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect(), { x0, x1, y0, y1 } = this.view;
    const px = clientX - box.left, py = clientY - box.top;
    return { px, py, x: x0 + (px / box.width) * (x1 - x0), y: y1 - (py / box.height) * (y1 - y0) };
  }

  release(event) {
    const { from } = this, at = this.at(event);
    this.from = null;
    if (Math.abs(at.px - from.px) < 6 || Math.abs(at.py - from.py) < 6) return;
    showMaps({ x0: Math.min(at.x, from.x), x1: Math.max(at.x, from.x), y0: Math.min(at.y, from.y), y1: Math.max(at.y, from.y) });
  }

  hover(event) {
    const at = this.at(event), { count, begin, end, offset, size, kind } = this.blocks;
    let found = -1;
    for (let index = 0; index < count; index += 1) {
      if (begin[index] <= at.x && at.x < end[index] && offset[index] <= at.y && at.y < offset[index] + size[index]) found = index;
    }
    const lines = [`event ${plain(Math.floor(at.x))}, address ${plain(Math.floor(at.y))}`];
    if (found >= 0 && this.facts.rows) lines.push(`a block of ${plain(2 ** kind[found])} to ${plain(2 ** (kind[found] + 1) - 1)} bytes`);
    else if (found >= 0) lines.push(`block of ${plain(size[found])} bytes at ${plain(offset[found])}, events ${plain(begin[found])} to ${plain(end[found])}`);
    else lines.push(at.y < this.footprint(at.x) ? "free" : "above the footprint");
    this.tip.innerHTML = lines.join("<br>");
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(at.px + 12, this.canvas.clientWidth - this.tip.offsetWidth - 2)}px`;
    this.tip.style.top = `${at.py > this.canvas.clientHeight / 2 ? at.py - this.tip.offsetHeight - 8 : at.py + 14}px`;
  }

  // The last known footprint, by halving.
  footprint(x) {
    const all = this.facts.footprint;
    let low = 0, high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle][0] <= x) low = middle + 1;
      else high = middle;
    }
    return low ? all[low - 1][1] : 0;
  }

  draw(view) {
    this.view = view ?? this.whole;
    const { canvas } = this, style = getComputedStyle(canvas), { x0, x1, y0, y1 } = this.view;
    const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    Object.assign(canvas, { width: width * scale, height: height * scale });
    const paint = canvas.getContext("2d");
    paint.scale(scale, scale);
    canvas.closest(".map").querySelector(".ends").textContent =
      `events ${plain(Math.round(x0))} to ${plain(Math.round(x1))}, addresses ${plain(Math.round(y0))} to ${plain(Math.round(y1))}`;
    const px = (x) => ((x - x0) / (x1 - x0)) * width, py = (y) => ((y1 - y) / (y1 - y0)) * height;
    paint.fillStyle = style.getPropertyValue("--hole");
    paint.beginPath();
    paint.moveTo(0, height);
    let last = 0;
    for (const [event, bytes] of this.facts.footprint) {
      paint.lineTo(px(event), py(last));
      paint.lineTo(px(event), py(bytes));
      last = bytes;
    }
    paint.lineTo(px(this.facts.events), py(last));
    paint.lineTo(px(this.facts.events), py(0));
    paint.lineTo(px(0), py(0));
    paint.fill();
    const { count, begin, end, offset, size, kind } = this.blocks;
    let colour = -1;
    for (let index = 0; index < count; index += 1) {
      if (end[index] < x0 || begin[index] > x1 || offset[index] > y1 || offset[index] + size[index] < y0) continue;
      if (kind[index] !== colour) {
        colour = kind[index];
        paint.fillStyle = classColour(colour);
      }
      const left = px(begin[index]), top = py(offset[index] + size[index]);
      paint.fillRect(left, top, Math.max(px(end[index]) - left, 0.4), Math.max(py(offset[index]) - top, 0.4));
    }
  }
}

const classColour = (kind) => `hsl(${(250 + (kind - 4) * 29) % 360} 62% ${46 + 8 * (kind % 2)}%)`;

function fromWords({ blocks, unit }) {
  const bytes = Uint8Array.from(atob(blocks), (c) => c.charCodeAt(0));
  const words = new Uint32Array(bytes.buffer), count = words.length / 4;
  const column = (place, by) => Float64Array.from({ length: count }, (_, index) => words[4 * index + place] * by);
  const size = column(3, unit);
  const kind = Uint8Array.from(size, (bytes) => Math.min(25, Math.floor(Math.log2(Math.max(bytes, 1)))));
  return { count, begin: column(0, 1), end: column(1, 1), offset: column(2, unit), size, kind };
}

function fromRows({ rows, columns, events, top }) {
  const found = [];
  rows.forEach((row, place) => {
    let at = 0;
    for (const [, letter, length] of row.matchAll(/([a-z.])(\d*)/g)) {
      const next = at + Number(length || 1);
      if (letter !== ".") found.push([at, next, place, letter.charCodeAt(0) - 97]);
      at = next;
    }
  });
  const height = top / rows.length, wide = events / columns;
  const column = (value) => Float64Array.from(found, value);
  return {
    count: found.length, begin: column(([from]) => from * wide), end: column(([, to]) => to * wide),
    offset: column(([, , row]) => row * height), size: column(() => height), kind: Uint8Array.from(found, ([, , , kind]) => kind),
  };
}

const heapMaps = [...document.querySelectorAll(".map")].map((figure) => new HeapMap(figure));
const showMaps = (view) => heapMaps.forEach((map) => map.draw(view));
const known = new Set(heapMaps.flatMap((map) => [...new Set(map.blocks.kind)]));
for (const list of document.querySelectorAll(".classes")) {
  list.innerHTML = [...known].sort((a, b) => a - b).map((kind) =>
    `<li><svg viewBox="-10 -8 20 16" aria-hidden="true"><rect x="-5" y="-5" width="10" height="10" style="fill:${classColour(kind)}"/></svg>${plain(2 ** kind)}–${plain(2 ** (kind + 1) - 1)} bytes</li>`).join("");
}
showMaps(null);
addEventListener("resize", () => heapMaps.forEach((map) => map.draw(map.view)));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => heapMaps.forEach((map) => map.draw(map.view)));
