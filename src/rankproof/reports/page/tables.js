// ---- tables that sort by their columns ----------------------------------------------------------
const cellValue = (row, column, numeric) => {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim();
  const value = cell.dataset.value;
  return value === undefined || value === "" || !Number.isFinite(Number(value)) ? null : Number(value);
};
// What has no value comes last, both ways.
const compared = (a, b, numeric, sign) => {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (numeric ? a - b : words.compare(a, b));
};
const nextDirection = (header) => {
  const first = header.dataset.sort === "number" ? "descending" : "ascending";
  return { ascending: "descending", descending: "ascending", none: first }[header.getAttribute("aria-sort")];
};
const markSorted = (table, header, direction) => {
  for (const other of all("thead th[data-sort]", table)) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", direction);
};
const sortRows = (table, header, direction) => {
  const numeric = header.dataset.sort === "number";
  const sign = direction === "ascending" ? 1 : -1;
  const rows = all("tbody > tr", table).map((row) => [cellValue(row, header.cellIndex, numeric), row]);
  rows.sort(([a], [b]) => compared(a, b, numeric, sign));
  table.tBodies[0].append(...rows.map(([, row]) => row));
  markSorted(table, header, direction);
};

// ---- CSV of any table, made here ----------------------------------------------------------------
// A spreadsheet takes a text that begins with one of these for a formula: a ' before it keeps it a text.
const FORMULA = /^[=+\-@\t\r\n']/;
const isNumber = (text) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?$/i.test(text);
const csvCell = (text) => {
  const plain = text.replace(/\u2212/g, "-").trim();
  const safe = FORMULA.test(plain) && !isNumber(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};
const csv = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
// A smaller line below a value, and a place to break a name, are no part of one word.
const cellText = (cell) => {
  const small = all("small", cell).map((line) => line.textContent);
  const whole = cell.textContent;
  return small.reduce((text, line) => text.replace(line, ` (${line.trim()})`), whole);
};
const tableRows = (table) => [
  all("thead th", table).map((header) => header.textContent),
  ...all("tbody > tr:not(.detail)", table).map((row) => [...row.cells].map(cellText)),
];
const fileName = (text) => {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return `${plain || "table"}.csv`;
};
const download = (name, text) => {
  // A byte order mark: spreadsheets take a file without one for the machine's own encoding.
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = element("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
const offerCsv = (table, rowsOf) => {
  const caption = one("caption", table).textContent;
  const button = element("button", { type: "button", class: "csv", "aria-label": `CSV: ${caption}` }, "CSV");
  button.addEventListener("click", () => download(fileName(one("caption", table).textContent), csv(rowsOf(table))));
  table.closest(".scroll").before(button);
};

// ---- tables that are long: a page of rows at a time, and a search over all ----------------------
const PAGE_ROWS = 20;
// `show(first, last)` draws these rows; the answer tells the bar that the number of rows changed, or goes to a row.
const pager = (bar, show) => {
  let first = 0, total = 0;
  const status = element("span", { role: "status" });
  const button = (name, step) => {
    const made = element("button", { type: "button" }, name);
    made.addEventListener("click", () => go(first + step));
    return made;
  };
  const before = button("Previous", -PAGE_ROWS);
  const after = button("Next", PAGE_ROWS);
  const go = (row) => {
    first = Math.min(Math.max(0, Math.floor(row / PAGE_ROWS) * PAGE_ROWS), Math.max(0, total - 1));
    first -= first % PAGE_ROWS;
    const last = Math.min(first + PAGE_ROWS, total);
    before.disabled = first === 0;
    after.disabled = last >= total;
    status.textContent = total ? `${first + 1} to ${last} of ${total}` : "none";
    bar.hidden = total <= PAGE_ROWS;
    show(first, last);
  };
  bar.replaceChildren(before, status, after);
  return { go, rows: (count) => { total = count; go(0); } };
};
const longTable = (table) => {
  const bar = element("nav", { class: "pages", "aria-label": `Pages of ${one("caption", table).textContent}` });
  table.closest(".scroll").after(bar);
  const section = table.closest("section");
  const field = table.id === "query-table" ? one("#search", section) : null;
  let rows = [];
  const pages = pager(bar, (first, last) => rows.forEach((row, i) => { row.hidden = i < first || i >= last; }));
  const select = () => {
    const wanted = field ? field.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    const every = all("tbody > tr", table);
    rows = every.filter((row) => {
      // Names and words, not numbers: who looks for 42 means a query.
      const named = [...row.cells].filter((cell) => !cell.classList.contains("num"));
      const text = wanted.length ? named.map((cell) => cell.textContent).join(" ").toLowerCase() : "";
      row.hidden = !wanted.every((word) => text.includes(word));
      return !row.hidden;
    });
    if (field) one("output", field.closest(".tools")).textContent = `${rows.length} of ${every.length} rows`;
    pages.rows(rows.length);
  };
  if (field) {
    field.closest(".tools").hidden = false;
    field.addEventListener("input", select);
  }
  addEventListener("beforeprint", () => { for (const row of rows) row.hidden = false; });
  addEventListener("afterprint", () => pages.go(0));
  select();
  return select;
};
for (const table of all("table:not(.drawn)")) {
  offerCsv(table, tableRows);
  const many = all("tbody > tr", table).length > PAGE_ROWS * 2;
  const arrange = many ? longTable(table) : () => {};
  for (const header of all("thead th[data-sort]", table)) {
    one("button", header).addEventListener("click", () => {
      sortRows(table, header, nextDirection(header));
      arrange();
    });
  }
}

