// Figures under the pointer: what is there, a closer look, a point to keep.
// Places are in a plane of 10,000 × 10,000 from the lower left corner; a view is a part of it.
const PLANE = 10000;
const NEAR = 18;

class Figure {
  constructor(element) {
    this.element = element;
    this.svg = element.querySelector(".plane");
    this.facts = JSON.parse(element.querySelector("script").textContent);
    this.tip = element.appendChild(document.createElement("div"));
    this.tip.className = "tip";
    this.tip.setAttribute("role", "status");
    this.tip.hidden = true;
    this.marks = [...this.svg.querySelectorAll(".mark")].map((mark) => ({
      mark, x: parseFloat(mark.getAttribute("x")) * 100, y: PLANE - parseFloat(mark.getAttribute("y")) * 100,
    }));
    this.lines = [...this.svg.querySelectorAll("path[data-name]")].map(readLine);
    this.chosen = -1;
    this.whole = { x0: 0, x1: PLANE, y0: 0, y1: PLANE };
    this.view = this.whole;
    this.listen();
  }

  listen() {
    const { element } = this;
    element.addEventListener("pointermove", (event) => (this.from ? this.stretch(event) : this.hover(event)));
    element.addEventListener("pointerleave", () => this.from || this.say(null));
    element.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button === 0 && this.at(event).inside) this.from = this.at(event);
    });
    addEventListener("pointerup", (event) => this.from && this.release(event));
    element.addEventListener("click", (event) => {
      this.hover(event);
      if (!this.stretched) this.pin();
      this.stretched = false;
    });
    element.addEventListener("dblclick", () => this.show(this.whole));
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("blur", () => this.say(null));
  }

  // The pointer in pixels of the plot, and in the plane.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    const { x0, x1, y0, y1 } = this.view;
    return {
      px, py, width: box.width, height: box.height,
      inside: px >= 0 && py >= 0 && px <= box.width && py <= box.height,
      x: x0 + (px / box.width) * (x1 - x0), y: y1 - (py / box.height) * (y1 - y0),
    };
  }

  pixel(x, y, { width, height }) {
    const { x0, x1, y0, y1 } = this.view;
    return [((x - x0) / (x1 - x0)) * width, ((y1 - y) / (y1 - y0)) * height];
  }

  hover(event) {
    const at = this.at(event);
    if (!at.inside) return this.say(null);
    if (this.facts.hover === "column") return this.column(at);
    let best = null;
    this.facts.points.forEach(([x, y, radius], index) => {
      const [px, py] = this.pixel(x, y, at);
      const far = Math.hypot(px - at.px, py - at.py);
      // Inside a symbol it is the one on top; outside the nearest edge.
      const rank = Math.max(far - radius - 2, 0);
      if (rank < NEAR && (best === null || rank <= best.rank)) best = { rank, index, px, py };
    });
    this.chosen = best ? best.index : -1;
    this.say(best && this.about(best.index), best && best.px, best && best.py);
  }

  about(index) {
    const said = this.facts.points[index][3];
    return typeof said === "number" ? describe(said) : said;
  }

  // Every line at a place.
  column(at) {
    const rows = this.lines.map(({ name, colour, second, at: value }) => {
      const y = value(at.x);
      return y === null ? "" : `<br><i class="${colour}"></i> ${name}: ${shown(second ? this.facts.y2 : this.facts.y, y)}`;
    });
    const { x } = this.facts;
    const head = x.names.length ? x.names[Math.round(invert(x, at.x))] ?? "" : `${x.title}: ${shown(x, at.x)}`;
    this.say(`<b>${head}</b>${rows.join("")}`, at.px, at.py);
  }

  say(html, px, py) {
    this.tip.hidden = !html;
    this.element.classList.toggle("pointed", Boolean(html) && this.chosen >= 0);
    if (!html) return;
    this.tip.innerHTML = html;
    const left = this.svg.getBoundingClientRect().left - this.element.getBoundingClientRect().left;
    const room = this.element.clientWidth - this.tip.offsetWidth - 4;
    const right = left + px + 14;
    this.tip.style.left = `${Math.max(2, right <= room ? right : Math.min(room, left + px - this.tip.offsetWidth - 14))}px`;
    this.tip.style.top = `${Math.max(0, py + 34 + (py > this.element.clientHeight / 2 ? -this.tip.offsetHeight - 20 : 10))}px`;
  }

  pin() {
    const point = this.facts.points[this.chosen];
    if (point && typeof point[3] === "number") keep(point[3]);
  }

  key(event) {
    const order = this.facts.points.map((_, index) => index).sort((a, b) => this.facts.points[a][0] - this.facts.points[b][0]);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") return this.show(this.whole);
    if (event.key === "Enter") return this.pin();
    if (!step || order.length === 0) return;
    event.preventDefault();
    const next = Math.min(Math.max(order.indexOf(this.chosen) + step, 0), order.length - 1);
    this.chosen = order[next];
    const [x, y] = this.facts.points[this.chosen];
    const box = this.svg.getBoundingClientRect();
    this.say(this.about(this.chosen), ...this.pixel(x, y, box));
  }

  // A rectangle from where the button went down.
  stretch(event) {
    const at = this.at(event);
    if (Math.hypot(at.px - this.from.px, at.py - this.from.py) < 6) return;
    this.say(null);
    this.frame ??= this.element.appendChild(Object.assign(document.createElement("div"), { className: "frame" }));
    const left = this.svg.getBoundingClientRect().left - this.element.getBoundingClientRect().left;
    const top = this.svg.getBoundingClientRect().top - this.element.getBoundingClientRect().top;
    Object.assign(this.frame.style, {
      left: `${left + Math.min(at.px, this.from.px)}px`, width: `${Math.abs(at.px - this.from.px)}px`,
      top: `${top + Math.min(at.py, this.from.py)}px`, height: `${Math.abs(at.py - this.from.py)}px`,
    });
  }

  release(event) {
    const at = this.at(event), { from } = this;
    this.from = null;
    if (!this.frame) return;
    this.frame.remove();
    this.frame = null;
    this.stretched = true;
    const sides = (a, b) => [Math.min(a, b), Math.max(a, b)];
    const [x0, x1] = sides(at.x, from.x), [y0, y1] = sides(at.y, from.y);
    if (x1 - x0 > 20 && y1 - y0 > 20) this.show({ x0, x1, y0, y1 });
  }

  show(view) {
    this.view = view;
    const zoomed = view !== this.whole;
    this.element.classList.toggle("zoomed", zoomed);
    const { x0, x1, y0, y1 } = view;
    for (const data of this.svg.querySelectorAll(".data")) {
      data.setAttribute("viewBox", `${x0} ${PLANE - y1} ${x1 - x0} ${y1 - y0}`);
    }
    for (const { mark, x, y } of this.marks) {
      const [px, py] = this.pixel(x, y, { width: 100, height: 100 });
      mark.setAttribute("x", `${px}%`);
      mark.setAttribute("y", `${py}%`);
      mark.style.display = px < 0 || py < 0 || px > 100 || py > 100 ? "none" : "";
    }
    this.ticks ??= this.svg.querySelector(".axes").innerHTML;
    const axes = this.svg.querySelector(".axes");
    axes.innerHTML = this.ticks;
    if (zoomed) this.retick(axes);
  }

  // New ticks on axes of numbers; names move.
  retick(axes) {
    const { x0, x1, y0, y1 } = this.view;
    const replace = (kind, axis, low, high, place) => {
      if (!axis) return;
      const old = [...axes.querySelectorAll(kind)];
      const values = axis.names.length ? axis.names.map((_, index) => index) : ticks(invert(axis, low), invert(axis, high), axis.log);
      for (const value of values) {
        const share = (locate(axis, value) - low) / (high - low);
        const made = old[Math.min(value, old.length - 1)]?.cloneNode(true) ?? old[0]?.cloneNode(true);
        if (!made || share < 0 || share > 1) continue;
        made.setAttribute(place, `${100 * (place === "x" ? share : 1 - share)}%`);
        made.querySelector("text").textContent = axis.names.length ? axis.names[value] : plain(value);
        axes.append(made);
      }
      for (const tick of old) tick.remove();
    };
    replace(".tx", this.facts.x, x0, x1, "x");
    replace(".ty", this.facts.y, y0, y1, "y");
    replace(".t2", this.facts.y2, y0, y1, "y");
  }
}

// A place of the plane as a value of an axis, and back.
function invert({ low, high, log }, at) {
  const share = at / PLANE;
  return log ? low * (high / low) ** share : low + (high - low) * share;
}

function locate({ low, high, log }, value) {
  return PLANE * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
}

function plain(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function shown(axis, at) {
  return plain(invert(axis, at)) + (axis.unit ? ` ${axis.unit}` : "");
}

function ticks(low, high, log) {
  if (log && high / low > 8) {
    const steps = high / low > 1e4 ? [1] : [1, 2, 5];
    const values = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      values.push(...steps.map((step) => step * 10 ** power));
    }
    return values.filter((value) => value >= low && value <= high);
  }
  const raw = (high - low) / 7, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
  const count = Math.floor(high / step) - Math.ceil(low / step) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, index) => (Math.ceil(low / step) + index) * step);
}

// The height of a line at a place: of its last step, or of its nearest corner.
function readLine(path) {
  const corners = [];
  let x = 0, y = 0;
  for (const [, letter, numbers] of path.getAttribute("d").matchAll(/([MLHV])([-\d ]+)/g)) {
    const [first, second] = numbers.trim().split(" ").map(Number);
    if (letter === "H") x = first;
    else if (letter === "V") y = first;
    else [x, y] = [first, second];
    corners.push([x, y]);
  }
  const straight = path.classList.contains("straight");
  const at = (place) => {
    let found = null;
    for (const corner of corners) {
      if (straight ? found === null || Math.abs(corner[0] - place) < Math.abs(found[0] - place) : corner[0] <= place) found = corner;
    }
    return found && PLANE - found[1];
  };
  return { name: path.dataset.name, second: "second" in path.dataset, colour: path.getAttribute("class").split(" ")[0], at };
}

for (const element of document.querySelectorAll(".plot")) new Figure(element);
