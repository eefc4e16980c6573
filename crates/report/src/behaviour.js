// Copies the text of the element that a button names.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    getSelection().selectAllChildren(source);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      document.execCommand("copy");
    }
    button.textContent = "copied";
  });
}
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
