// The index of gotchas: choices above the table. Without this script, all rows are shown.
// `gotchaFilter` comes from filter-data.js, which docs/build_site.py writes.

const COLUMNS = ["gotcha", "family", "linter", "sanitizer", "trainer", "fix"];

function gotchaTable() {
  for (const table of document.querySelectorAll("article table")) {
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    if (COLUMNS.every((name) => heads.includes(name))) return { table, heads };
  }
  return undefined;
}

function rowsOf({ table, heads }) {
  const column = (row, name) => row.cells[heads.indexOf(name)].textContent.trim();
  return [...table.tBodies[0].rows].map((row) => {
    const name = column(row, "gotcha");
    const known = window.gotchaFilter[name] || { symptoms: [], libraries: [] };
    const tools = [];
    if (column(row, "linter")) tools.push("linter");
    if (column(row, "linter") === "high") tools.push("linter, high confidence");
    if (column(row, "sanitizer") === "run") tools.push("sanitizer, while it runs");
    if (column(row, "sanitizer")) tools.push("sanitizer, after a crash");
    if (column(row, "trainer")) tools.push("shown in the trainer");
    if (column(row, "fix")) tools.push("has a fix");
    return {
      row,
      text: row.textContent.toLowerCase(),
      values: {
        symptom: known.symptoms,
        family: [column(row, "family")],
        library: known.libraries,
        tool: tools,
      },
    };
  });
}

function setUpFilter() {
  const found = gotchaTable();
  if (!found || document.querySelector(".gotcha-filter") || !window.gotchaFilter) return;
  const rows = rowsOf(found);
  const form = document.createElement("form");
  form.className = "gotcha-filter";
  const controls = ["symptom", "family", "library", "tool"].map((name) => {
    const select = document.createElement("select");
    select.name = name;
    select.append(new Option(`any ${name}`, ""));
    const values = [...new Set(rows.flatMap((each) => each.values[name]))];
    if (name !== "symptom") values.sort();
    for (const value of values) select.append(new Option(value, value));
    select.setAttribute("aria-label", name);
    return select;
  });
  const words = document.createElement("input");
  words.name = "words";
  words.type = "search";
  words.placeholder = "words";
  words.setAttribute("aria-label", "words");
  const count = document.createElement("output");
  form.append(...controls, words, count);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);

  function show() {
    let left = 0;
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { row, text, values } of rows) {
      const fits = controls.every(({ name, value }) => !value || values[name].includes(value));
      row.hidden = !(fits && wanted.every((word) => text.includes(word)));
      left += !row.hidden;
    }
    count.textContent = `${left} of ${rows.length}`;
    const chosen = [...controls, words].filter((each) => each.value);
    const query = new URLSearchParams(chosen.map((each) => [each.name, each.value]));
    history.replaceState(null, "", chosen.length ? `#?${query}` : location.pathname + location.search);
  }

  // An address with choices in it can be shared.
  if (location.hash.startsWith("#?")) {
    for (const [name, value] of new URLSearchParams(location.hash.slice(2))) {
      const control = form.elements[name];
      if (control) control.value = value;
      if (control && control.selectedIndex === -1) control.value = ""; // no such choice
    }
  }
  found.table.before(form);
  show();
}

// The theme may replace the page without loading it again.
if (window.document$) window.document$.subscribe(setUpFilter);
else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", setUpFilter);
else setUpFilter();
