"use strict";
(() => {
  const one = (what, within = document) => within.querySelector(what);
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const put = (element, lines) =>
    element.replaceChildren(...lines.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
  const minus = (text) => text.replace("-", "\u2212");
  const number = (value) => (value === null || value === undefined ? "undefined" : minus(value.toFixed(4)));
  const signed = (value) => (value > 0 ? "+" : "") + number(value);

  // ---- light and dark: the system decides until the reader does -------------------------------
  const root = document.documentElement;
  const theme = one("#theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  system.addEventListener("change", name);
  theme.hidden = false;
  name();

  // ---- tables that sort -----------------------------------------------------------------------
  const cellValue = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent.trim();
    const value = cell.dataset.value;
    return value === undefined || value === "" || !Number.isFinite(Number(value)) ? null : Number(value);
  };
  const words = new Intl.Collator(undefined, { numeric: true });
  const sort = (table, header, direction) => {
    const numeric = header.dataset.sort === "number";
    const sign = direction === "ascending" ? 1 : -1;
    const column = header.cellIndex;
    const rows = all("tbody > tr", table).map((row) => [cellValue(row, column, numeric), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);  // what has no value comes last, both ways
      return sign * (numeric ? a - b : words.compare(a, b));
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    for (const other of all("thead th[data-sort]", table)) other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", direction);
  };
  for (const header of all("thead th[data-sort]")) {
    one("button", header).addEventListener("click", () => {
      const first = header.dataset.sort === "number" ? "descending" : "ascending";
      const other = { ascending: "descending", descending: "ascending", none: first };
      sort(header.closest("table"), header, other[header.getAttribute("aria-sort")]);
    });
  }

  // ---- the table of queries: search -----------------------------------------------------------
  const block = one("script.queries");
  const data = block && JSON.parse(block.textContent);
  const table = one("#query-table");
  const field = one("#search");
  const search = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = all("tbody > tr", table).filter((row) => !row.dataset.out);
    let shown = 0;
    for (const row of rows) {
      // Names and words, not numbers: who looks for 42 means a query.
      const named = [...row.cells].filter((cell) => !cell.classList.contains("num"));
      const text = named.map((cell) => cell.textContent).join(" ").toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    one("output", field.closest(".tools")).textContent = `${shown} of ${rows.length} ${data ? "queries" : "rows"}`;
  };
  if (table && field) {
    field.closest(".tools").hidden = false;
    field.addEventListener("input", search);
    search();
  }

  // ---- the table of queries: another contrast -------------------------------------------------
  const picker = one("#pick");
  const tone = (contrast, difference) => {
    if (!difference || contrast.better === "neither") return "";
    return difference > 0 === (contrast.better === "higher") ? "better" : "worse";
  };
  const show = (chosen) => {
    for (const choice of all(".choice")) choice.hidden = Number(choice.dataset.contrast) !== chosen;
  };
  const fill = (chosen) => {
    const contrast = data.contrasts[chosen];
    const headers = all("thead th", table);
    const start = headers.length - 4;
    one("button", headers[start]).textContent = contrast.baseline;
    one("button", headers[start + 1]).textContent = contrast.candidate;
    one("caption", table).textContent = `${contrast.measure} by query: ${contrast.candidate} against ${contrast.baseline}`;
    const place = new Map(contrast.queries.map((query, i) => [query, i]));
    const values = data.values[contrast.measure];
    for (const row of all("tbody > tr", table)) {
      const query = Number(row.dataset.key);
      const at = place.get(query);
      row.dataset.out = at === undefined ? "yes" : "";
      row.hidden = at === undefined;
      const difference = at === undefined ? null : contrast.differences[at];
      const shown = [values[contrast.baseline][query], values[contrast.candidate][query], difference];
      shown.forEach((value, i) => {
        const cell = row.cells[start + i];
        cell.dataset.value = value === null ? "" : value;
        cell.textContent = i === 2 && value !== null ? signed(value) : number(value);
      });
      row.cells[start + 2].className = `num ${tone(contrast, difference)}`;
      // Written by the report with every name escaped, as in the table itself.
      row.cells[start + 3].innerHTML = contrast.moves[query] || "";
    }
    sort(table, headers[start + 2], contrast.better === "lower" ? "descending" : "ascending");
    search();
  };
  if (data) show(0);
  if (picker) {
    picker.closest(".tools").hidden = false;
    picker.value = "0";
    picker.addEventListener("change", () => {
      show(Number(picker.value));
      fill(Number(picker.value));
    });
  }

  // ---- charts tell what is at the pointer, or at the arrow keys --------------------------------
  const tip = one("#tip");
  const queryLines = (figure, row) => {
    const contrast = data.contrasts[Number(figure.dataset.contrast)];
    const query = contrast.queries[row];
    const values = data.values[contrast.measure];
    return [
      data.ids[query],
      ...(data.texts.length && data.texts[query] ? [data.texts[query]] : []),
      `${contrast.baseline} ${number(values[contrast.baseline][query])}`,
      `${contrast.candidate} ${number(values[contrast.candidate][query])}`,
      `difference ${signed(contrast.differences[row])}`,
    ];
  };
  for (const figure of all("figure")) {
    const tips = one("script.tips", figure);
    const lines = tips ? JSON.parse(tips.textContent) : null;
    if (!lines && !(data && figure.dataset.contrast)) continue;
    for (const drawing of all("svg", figure)) {
      const along = drawing.dataset.along;  // where rows follow one another: x, y, or both for dots in a plane
      const marks = all("[data-row]", drawing);
      const rows = [...new Set(marks.map((mark) => Number(mark.dataset.row)))];
      let current = null;
      const leave = () => {
        for (const mark of marks) mark.classList.remove("on");
        tip.hidden = true;
        current = null;
      };
      const tell = (row, x, y) => {
        current = row;
        for (const mark of marks) mark.classList.toggle("on", Number(mark.dataset.row) === row);
        const more = marks.find((mark) => Number(mark.dataset.row) === row).dataset.more;
        put(tip, [...(lines ? lines[row] : queryLines(figure, row)), ...(more ? [`and ${more} more in this bar`] : [])]);
        tip.hidden = false;
        const box = tip.getBoundingClientRect();
        const left = Math.min(Math.max(8, x + 14), innerWidth - box.width - 8);
        const top = y + 18 + box.height > innerHeight ? y - box.height - 14 : y + 18;
        tip.style.transform = `translate(${Math.round(left)}px,${Math.round(Math.max(8, top))}px)`;
      };
      const nearest = (x, y) => {
        let best = null, least = Infinity;
        for (const mark of marks) {
          const box = mark.getBoundingClientRect();
          const aside = along === "y" ? 0 : Math.max(box.left - x, x - box.right, 0);
          const apart = along === "x" ? 0 : Math.max(box.top - y, y - box.bottom, 0);
          const away = Math.hypot(aside, apart);
          if (away < least) [best, least] = [Number(mark.dataset.row), away];
        }
        return best;
      };
      const point = (event) => {
        const row = nearest(event.clientX, event.clientY);
        if (row !== null) tell(row, event.clientX, event.clientY);
      };
      drawing.setAttribute("tabindex", "0");
      drawing.addEventListener("pointermove", point);
      drawing.addEventListener("pointerdown", point);
      drawing.addEventListener("pointerleave", leave);
      drawing.addEventListener("blur", leave);
      drawing.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return leave();
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return undefined;
        event.preventDefault();
        const at = current === null ? (step > 0 ? 0 : rows.length - 1) : rows.indexOf(current) + step;
        const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
        const box = marks.find((mark) => Number(mark.dataset.row) === row).getBoundingClientRect();
        tell(row, box.right, box.top);
        return undefined;
      });
      if (figure.dataset.contrast !== undefined) {
        drawing.addEventListener("click", (event) => {
          const row = nearest(event.clientX, event.clientY);
          if (row === null) return;
          const key = data.contrasts[Number(figure.dataset.contrast)].queries[row];
          const found = one(`tr[data-key="${key}"]`, table);
          if (!found) return;
          if (found.hidden) { field.value = ""; search(); }
          for (const row of all("tr.found", table)) row.classList.remove("found");
          found.classList.add("found");
          found.scrollIntoView({ block: "center" });
        });
      }
    }
  }
})();
