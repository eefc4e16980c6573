// Copies the text of the element that a button names.
for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  getSelection().selectAllChildren(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    document.execCommand("copy");
  }
  button.textContent = "copied";
});
// A click on a heading sorts the table by that column, a second click backwards.
for (const heading of document.querySelectorAll("table.sortable th")) {
  const button = document.createElement("button");
  button.append(...heading.childNodes);
  heading.append(button);
  button.addEventListener("click", () => {
    const body = heading.closest("table").tBodies[0];
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    const key = (row) => {
      const cell = row.cells[heading.cellIndex];
      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    };
    const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    body.append(...[...body.rows].sort((a, b) => (ascending ? compare(a, b) : compare(b, a))));
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  });
}
// Choices above the register leave the rows that have every chosen value.
const choices = [...document.querySelectorAll("select[data-filter]")];
for (const choice of choices) {
  choice.addEventListener("input", () => {
    const rows = [...document.querySelectorAll("table.claims > tbody > tr")];
    for (const row of rows) row.hidden = choices.some(({ dataset, value }) => value && row.dataset[dataset.filter] !== value);
    document.querySelector("[data-shown]").textContent = `${rows.filter((row) => !row.hidden).length} rows`;
  });
}
// The contents show where the reader is.
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.getAttribute("href").slice(1), link]));
const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    for (const [id, link] of links) link.toggleAttribute("aria-current", id === target.id);
  }
}, { rootMargin: "-10% 0px -80% 0px" });
for (const id of links.keys()) watcher.observe(document.getElementById(id));
