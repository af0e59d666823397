// Tables are sorted by their column heads; without this script they stay in their own order.
function prepare() {
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head));
    }
  }
}

prepare();
document.addEventListener("replaced", prepare); // live.js has put a new page in place

function sort(table, head) {
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => {
    const cell = row.cells[head.cellIndex];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
  };
  const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => (down ? -1 : 1) * order(key(a), key(b)));
  table.tBodies[0].append(...rows);
}
