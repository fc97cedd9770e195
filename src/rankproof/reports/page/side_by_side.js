// ---- one query: two rankings side by side, and what each measure makes of it ---------------------
const block = one("script.queries");
const data = block && JSON.parse(block.textContent);
const ROW = 44;  // pixels of a document's line, as the style sheet has it
const GAP = 72;
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
const gradeMark = (grade) => {
  if (grade === null) return element("span", { class: "grade unjudged" }, "unjudged");
  return element("span", { class: `grade ${grade > 0 ? "relevant" : "other"}` }, `grade ${minus(String(grade))}`);
};
// How a document moved, from the place it has here and the place it has on the other side (0: none).
const movedWords = (here, there, isAfter) => {
  if (!there) return isAfter ? "new" : "left";
  if (here === there) return "same place";
  if (!isAfter) return `to ${there}`;
  return here < there ? `\u2191 from ${there}` : `\u2193 from ${there}`;
};
const ranking = (name, documents, other, ranked, isAfter) => {
  const places = new Map(other.map((doc, i) => [doc, i + 1]));
  const items = documents.map((doc, i) => {
    const id = data.rankings.documents[ranked[0][doc]];
    const title = data.rankings.titles[ranked[0][doc]] || "";
    const label = element("span", { class: "document", title: title ? `${id}: ${title}` : id });
    if (title) label.append(element("span", { class: "title", dir: "auto" }, title));
    label.append(element("span", { class: title ? "id" : "id alone", dir: "auto" }, id));
    const moved = movedWords(i + 1, places.get(doc) || 0, isAfter);
    const tone = ranked[1][doc] > 0 && isAfter ? { "\u2191": "better", "\u2193": "worse" }[moved[0]] || "" : "";
    return element("li", { "data-document": doc }, element("span", { class: "rank" }, String(i + 1)), label,
      element("span", { class: "marks" }, gradeMark(ranked[1][doc]), element("span", { class: `moved ${tone}` }, moved)));
  });
  const list = items.length ? element("ol", { class: "ranking" }, ...items)
    : element("p", { class: "note" }, "No document was returned for this query.");
  return element("div", { class: "side" }, element("h3", {}, name), list);
};
// Lines from a place at the left to the place of the same document at the right; relevant documents stand out.
const lines = (left, right, ranked) => {
  const tall = Math.max(left.length, right.length, 1) * ROW;
  const drawn = svg("svg", { viewBox: `0 0 ${GAP} ${tall}`, width: GAP, height: tall, "aria-hidden": "true", class: "joins" });
  left.forEach((doc, i) => {
    const at = right.indexOf(doc);
    if (at < 0) return;
    const [from, to] = [(i + 0.5) * ROW, (at + 0.5) * ROW];
    const path = `M0 ${from}C${GAP / 2} ${from} ${GAP / 2} ${to} ${GAP} ${to}`;
    const kind = ranked[1][doc] > 0 ? (at < i ? "better" : at > i ? "worse" : "still") : "other";
    drawn.append(svg("path", { d: path, class: kind, fill: "none" }));
  });
  return drawn;
};
const sideBySide = (query, before, after) => {
  const ranked = data.rankings.queries[query];
  if (!ranked) return element("p", { class: "note" }, "The rankings of this query are not in the page: see the note below.");
  const [left, right] = [ranked[2][before], ranked[2][after]];
  return element("div", { class: "sides" }, ranking(data.systems[before], left, right, ranked, false),
    lines(left, right, ranked), ranking(data.systems[after], right, left, ranked, true));
};
// null: undefined, or not in the page, where that would be too heavy with the values of every system.
const valueOf = (m, side, query) => (data.values[m][side] ? data.values[m][side][query] : null);
// The difference as it was compared, where this pair was: rounded once, and with what undefined values count as.
const comparedGap = (m, query, before, after) => {
  for (const contrast of data.contrasts) {
    const turned = contrast.baseline === after && contrast.candidate === before;
    if (contrast.measure !== m || !(turned || (contrast.baseline === before && contrast.candidate === after))) continue;
    const at = contrast.queries ? contrast.queries.indexOf(query) : query;
    if (at >= 0 && contrast.differences[at] !== null) return (turned ? -1 : 1) * contrast.differences[at];
  }
  const [was, is] = [valueOf(m, before, query), valueOf(m, after, query)];
  return was === null || is === null ? null : is - was;
};
const measureTable = (query, before, after) => {
  const names = [data.systems[before], data.systems[after]];
  const head = ["Measure", ...names, "Difference"].map((name, i) =>
    element("th", { scope: "col", class: i ? "num" : "name" }, name));
  const rows = data.measures.map((measure, m) => {
    const [was, is] = [before, after].map((side) => (data.values[m][side] ? number(valueOf(m, side, query)) : "not here"));
    const gap = comparedGap(m, query, before, after);
    const tone = toneOf(data.better[measure], gap && Math.abs(gap) >= 0.00005 ? gap : 0);
    const cells = [was, is, gap === null ? "none" : signed(gap)].map((text, i) =>
      element("td", { class: `num ${i === 2 ? tone : ""}`, "data-label": [...names, "Difference"][i] }, text));
    return element("tr", {}, element("th", { scope: "row", class: "name" }, measure), ...cells);
  });
  const table = element("table", { class: "measures" },
    element("caption", {}, "What each measure makes of it"), element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows));
  return element("div", { class: "scroll" }, table);
};
// The inside of an opened row. With several systems any two can be chosen.
const queryDetail = (query, contrast) => {
  let [before, after] = [contrast.baseline, contrast.candidate];
  const body = element("div", { class: "opened" });
  const draw = () => {
    const moves = contrast.moves[query] || [];
    body.replaceChildren(
      data.rankings ? sideBySide(query, before, after)
        : element("ul", { class: "fine" }, ...moves.map((line) => element("li", {}, line))),
      measureTable(query, before, after));
  };
  draw();
  if (!data.rankings || data.systems.length < 3) return body;
  const chooser = (name, chosen, take) => {
    const options = data.systems.map((system, i) => element("option", { value: i, selected: i === chosen }, system));
    const field = element("select", {}, ...options);
    field.addEventListener("change", () => { take(Number(field.value)); draw(); });
    return element("label", {}, `${name} `, field);
  };
  const tools = element("p", { class: "tools" }, chooser("Left", before, (i) => { before = i; }),
    chooser("Right", after, (i) => { after = i; }));
  return element("div", {}, tools, body);
};

