// The designs of an exploration: what is known of each, the one that is kept, and a table to sort and search.
const designs = JSON.parse(document.getElementById("designs-data")?.textContent ?? "null");
const SHOWN = 50;

const html = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// A row as an object.
function read([name, family, levels, fragmentation, footprint, accesses, p99, max, tokens, note]) {
  const is_design = typeof name === "number";
  return {
    name, fragmentation, footprint, accesses, p99, max, note,
    title: is_design ? String(name) : name,
    spec: tokens.map((token) => designs.tokens[token]).join(" "),
    words: is_design
      ? (designs.words.length > 1 ? `${designs.families[family]}: ` : "") + levels.map((level, factor) => designs.words[family][factor][level]).join(", ")
      : "allocator of the catalogue",
  };
}

const rows = designs ? designs.rows.map(read) : [];
const byName = new Map(rows.map((row) => [row.name, row]));

const number = (value, digits) => value.toLocaleString("en", { maximumFractionDigits: digits });
const percent = (value) => `${value.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })}%`;
const bytes = (value) => `${number(value, 0)} bytes`;

// A spec whose lists of sizes are shortened in the middle.
function short(spec) {
  return spec.replace(/\((\d+(?:,\d+){8,})/g, (_, sizes) => {
    const all = sizes.split(",");
    return `(${all.slice(0, 6).join(",")},… ${all.length - 6} more`;
  });
}

// What the pointer says of a design.
function describe(name) {
  const row = byName.get(name);
  const title = `<b>design ${name}</b>`;
  if (!row) return `${title}<br>not in the table, which holds the designs nearest to the front`;
  const pick = name === designs.pick ? "<b>the pick</b>, " : "";
  return `${pick}${title}<br>${html(row.words)}<br>fragmentation ${percent(row.fragmentation)} · ${number(row.accesses, 2)} accesses · ` +
    `p99 ${number(row.p99, 0)} · max ${number(row.max, 0)}<br><code>${html(short(row.spec))}</code>`;
}

// Shows a design with its spec and its commands.
function keep(name) {
  const row = byName.get(name), place = document.getElementById("pinned");
  if (!row || !place) return;
  const quoted = `'${row.spec}'`;
  const copied = (id, text) => `<span class="copied"><code id="${id}">${html(text)}</code><button type="button" data-copy="${id}">copy</button></span>`;
  const commands = [["Spec", "pinned-spec", row.spec], ["C11", "pinned-c", `heapsmith emit ${quoted} --lang c -o OUT`],
    ["Rust", "pinned-rust", `heapsmith emit ${quoted} --lang rust -o OUT`]];
  if (designs.malloc) commands.push(["Run a program on it", "pinned-run", `heapsmith run --heap ${quoted} -- PROGRAM`]);
  const facts = [["fragmentation", percent(row.fragmentation)], ["footprint", bytes(row.footprint)],
    ["accesses per operation", number(row.accesses, 2)], ["p99", number(row.p99, 0)], ["max", number(row.max, 0)]];
  place.innerHTML = `<h3>${typeof name === "number" ? "Design " : ""}${html(row.title)}${name === designs.pick ? ", the pick" : ""}</h3><p>${html(row.words)}</p>` +
    `<dl class="cards">${facts.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join("")}</dl>` +
    `<dl class="commands">${commands.map(([term, id, text]) => `<div><dt>${term}</dt><dd>${copied(id, text)}</dd></div>`).join("")}</dl>`;
  place.hidden = false;
  draw();
}

// The table.
const COLUMNS = [["design", "title"], ["fragmentation", "fragmentation", percent], ["footprint", "footprint", (value) => number(value, 0)],
  ["accesses", "accesses", (value) => number(value, 2)], ["p99", "p99", (value) => number(value, 0)], ["max", "max", (value) => number(value, 0)], ["what", "words"]];
const table = { key: "fragmentation", up: true, words: "", shown: SHOWN };

function draw() {
  const place = document.getElementById("all-rows");
  if (!place) return;
  const words = table.words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (row) => `${row.title} ${row.words} ${row.spec} ${row.note}`.toLowerCase();
  const found = rows.filter((row) => words.every((word) => text(row).includes(word)));
  const sign = table.up ? 1 : -1, { key } = table;
  found.sort((a, b) => sign * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  const pinned = document.querySelector("#pinned h3")?.textContent ?? "";
  place.innerHTML = found.slice(0, table.shown).map((row) => {
    const cells = COLUMNS.slice(1, -1).map(([, key, shown]) => `<td class="n">${shown(row[key])}</td>`).join("");
    const kind = row.name === designs.pick ? "pick" : pinned.includes(` ${row.title}`) ? "kept" : "";
    return `<tr class="${kind}"><td><button type="button" data-keep="${html(row.title)}">${html(row.title)}</button>${row.note ? ` <span class="note">${row.note}</span>` : ""}</td>` +
      `${cells}<td class="s">${html(row.words)}<br><code>${html(short(row.spec))}</code></td></tr>`;
  }).join("");
  document.getElementById("all-count").textContent = `${number(Math.min(table.shown, found.length), 0)} of ${number(found.length, 0)} rows`;
  document.getElementById("all-more").hidden = found.length <= table.shown;
  for (const heading of document.querySelectorAll("#all-table th")) {
    const own = heading.dataset.key === key;
    if (own) heading.setAttribute("aria-sort", table.up ? "ascending" : "descending");
    else heading.removeAttribute("aria-sort");
  }
}

if (designs) {
  document.getElementById("all-table").hidden = false;
  document.getElementById("all-filter").addEventListener("input", (event) => {
    Object.assign(table, { words: event.target.value, shown: SHOWN });
    draw();
  });
  document.getElementById("all-more").addEventListener("click", () => {
    table.shown += 4 * SHOWN;
    draw();
  });
  document.getElementById("all-table").addEventListener("click", (event) => {
    const heading = event.target.closest("th"), row = event.target.closest("[data-keep]");
    if (heading) {
      const { key } = heading.dataset;
      Object.assign(table, { up: table.key !== key || !table.up, key });
      draw();
    }
    if (row) {
      keep(rows.find((one) => one.title === row.dataset.keep).name);
      document.getElementById("pinned").scrollIntoView({ block: "center" });
    }
  });
  draw();
}
