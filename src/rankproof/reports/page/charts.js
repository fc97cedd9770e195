// ---- charts tell what is at the pointer, or at the arrow keys --------------------------------
const tip = one("#tip");
const queryAt = (figure, row) => {
  const { queries } = data.contrasts[Number(figure.dataset.contrast)];
  return queries ? queries[row] : row;
};
const queryLines = (figure, row) => {
  const contrast = data.contrasts[Number(figure.dataset.contrast)];
  const query = queryAt(figure, row);
  const values = data.values[contrast.measure];
  return [
    data.ids[query],
    ...(data.texts.length && data.texts[query] ? [data.texts[query]] : []),
    `${data.systems[contrast.baseline]} ${number(values[contrast.baseline][query])}`,
    `${data.systems[contrast.candidate]} ${number(values[contrast.candidate][query])}`,
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
      if (event.key === "Enter" && current !== null && queryTable && figure.dataset.contrast !== undefined) {
        return openQuery(queryAt(figure, current));
      }
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return undefined;
      event.preventDefault();
      const at = current === null ? (step > 0 ? 0 : rows.length - 1) : rows.indexOf(current) + step;
      const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
      const box = marks.find((mark) => Number(mark.dataset.row) === row).getBoundingClientRect();
      tell(row, box.right, box.top);
      return undefined;
    });
    if (queryTable && figure.dataset.contrast !== undefined) {
      drawing.addEventListener("click", (event) => {
        const row = nearest(event.clientX, event.clientY);
        if (row !== null) openQuery(queryAt(figure, row));
      });
    }
  }
}
