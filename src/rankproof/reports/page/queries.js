// ---- the table of queries: drawn from the data, a page at a time --------------------------------
const queryTable = data && one("#query-table");
let showContrast = () => {};
let openQuery = () => {};
if (queryTable) {
  const field = one("#search"), outcome = one("#outcome"), segment = one("#segment"), order = one("#order");
  const picker = one("#pick");
  const headers = all("thead th", queryTable);
  const texts = headers.length === 5;
  const body = queryTable.tBodies[0];
  const counted = one("output", field.closest(".tools"));
  let contrast = null, rows = [], place = new Map(), sorted = null, opened = new Set();

  const values = (contrast, side) => data.values[contrast.measure][contrast[side]];
  const queriesOf = (contrast) => contrast.queries || data.ids.map((_, i) => i);
  const outcomeOf = (difference) => {
    if (!difference) return "same";
    return toneOf(contrast.better, difference) || "changed";
  };
  const gap = (query) => contrast.differences[place.get(query)];
  // What a column is sorted by, from the right: difference, candidate, baseline, text, id.
  const keys = () => [
    (query) => data.ids[query],
    ...(texts ? [(query) => data.texts[query]] : []),
    (query) => values(contrast, "baseline")[query],
    (query) => values(contrast, "candidate")[query],
    gap,
  ];

  // Queries that have every word: in the id, in the text, or in a document of one of the rankings.
  const documentWords = data.rankings &&
    data.rankings.documents.map((id, i) => `${id} ${data.rankings.titles[i] || ""}`.toLowerCase());
  const queryWords = data.ids.map((id, i) => `${id} ${data.texts[i] || ""}`.toLowerCase());
  const matching = (queries) => {
    let left = queries;
    for (const word of field.value.toLowerCase().split(/\s+/).filter(Boolean)) {
      const has = documentWords && documentWords.map((text) => text.includes(word));
      const told = (query) => (contrast.moves[query] || []).some((line) => line.toLowerCase().includes(word));
      left = left.filter((query) => queryWords[query].includes(word) || told(query) ||
        (has && (data.rankings.queries[query] || [[]])[0].some((doc) => has[doc])));
    }
    return left;
  };

  const cells = (query) => {
    const difference = gap(query);
    const numbers = [values(contrast, "baseline")[query], values(contrast, "candidate")[query]].map(number);
    const shown = [...(texts ? [data.texts[query]] : []), ...numbers, difference === null ? "undefined" : signed(difference)];
    return shown.map((text, i) => element("td", {
      class: texts && !i ? "words" : `num ${i === shown.length - 1 ? toneOf(contrast.better, difference) : ""}`,
      dir: texts && !i ? "auto" : null,
      "data-label": headers[i + 1].textContent,
    }, text));
  };
  const detailId = (query) => `query-${query}`;
  const toggle = (row, query, open) => {
    const button = one("button", row);
    button.setAttribute("aria-expanded", String(open));
    const next = row.nextElementSibling;
    if (next && next.classList.contains("detail")) next.remove();
    if (!open) return opened.delete(query);
    opened.add(query);
    const inside = element("td", { colspan: headers.length }, queryDetail(query, contrast));
    row.after(element("tr", { class: "detail", id: detailId(query) }, inside));
    return true;
  };
  const rowOf = (query) => {
    const button = element("button", { type: "button", class: "opener", "aria-expanded": "false" },
      element("span", { dir: "auto" }, data.ids[query]));
    const row = element("tr", { "data-key": query }, element("th", { scope: "row", class: "name" }, button), ...cells(query));
    button.addEventListener("click", () => toggle(row, query, button.getAttribute("aria-expanded") !== "true"));
    return row;
  };
  const pages = pager(one("#queries .pages"), (first, last) => {
    opened = new Set();
    body.replaceChildren(...rows.slice(first, last).map(rowOf));
  });

  const arrange = () => {
    const [column, direction] = sorted;
    const key = keys()[column];
    const numeric = headers[column].dataset.sort === "number";
    rows.sort((a, b) => compared(key(a) ?? null, key(b) ?? null, numeric, direction === "ascending" ? 1 : -1));
    markSorted(queryTable, headers[column], direction);
    order.value = `${column} ${direction}`;
    pages.rows(rows.length);
  };
  const select = () => {
    const every = queriesOf(contrast);
    const inside = segment && segment.value ? new Set(data.segments[segment.value]) : null;
    const kept = every.filter((query) => (!inside || inside.has(query)) &&
      (!outcome.value || outcomeOf(gap(query)) === outcome.value));
    rows = matching(kept);
    counted.textContent = `${rows.length} of ${every.length} queries`;
    arrange();
  };
  showContrast = (chosen) => {
    contrast = data.contrasts[chosen];
    place = new Map(queriesOf(contrast).map((query, i) => [query, i]));
    for (const choice of all(".choice")) choice.hidden = Number(choice.dataset.contrast) !== chosen;
    const names = [data.systems[contrast.baseline], data.systems[contrast.candidate]];
    const start = headers.length - 3;
    names.forEach((name, i) => { one("button", headers[start + i]).textContent = name; });
    one("caption", queryTable).textContent = `${data.measures[contrast.measure]} by query: ${names[1]} against ${names[0]}`;
    sorted = [headers.length - 1, contrast.better === "lower" ? "descending" : "ascending"];
    const ways = headers.flatMap((header, i) => ["ascending", "descending"].map((way) =>
      element("option", { value: `${i} ${way}` }, `${header.textContent}, ${way}`)));
    order.replaceChildren(...ways);
    select();
  };
  // A query of a chart: filters that hide it are taken off, its page is drawn, it is opened and brought into view.
  openQuery = (query) => {
    if (!rows.includes(query)) {
      field.value = "";
      outcome.value = "";
      if (segment) segment.value = "";
      select();
    }
    pages.go(rows.indexOf(query));
    const row = one(`tr[data-key="${query}"]`, body);
    if (!row) return;
    for (const other of all("tr.found", body)) other.classList.remove("found");
    row.classList.add("found");
    toggle(row, query, true);
    one("button", row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "start" });
  };

  for (const [i, header] of headers.entries()) {
    one("button", header).addEventListener("click", () => {
      sorted = [i, nextDirection(header)];
      arrange();
    });
  }
  order.addEventListener("change", () => {
    const [column, direction] = order.value.split(" ");
    sorted = [Number(column), direction];
    arrange();
  });
  field.addEventListener("input", select);
  for (const chosen of [outcome, segment]) if (chosen) chosen.addEventListener("change", select);
  for (const tools of all("#queries > .tools, #queries > details > .tools")) tools.hidden = false;
  if (picker) {
    picker.value = "0";
    picker.addEventListener("change", () => showContrast(Number(picker.value)));
  }
  offerCsv(queryTable, () => [
    headers.map((header) => header.textContent),
    ...rows.map((query) => keys().map((key, i) => {
      const value = key(query) ?? "";
      return i < headers.length - 3 ? value : value === "" ? "undefined" : String(value);
    })),
  ]);
  // Paper has every query that is selected.
  addEventListener("beforeprint", () => body.replaceChildren(...rows.map(rowOf)));
  addEventListener("afterprint", () => pages.go(0));
  showContrast(0);
}

