// Judge, the list of a query: each document has its buttons; keys go to the current one, and on to the next.
"use strict";

(() => {
  const { send, say, listen, reading } = window.rankproof;
  const j = window.rankproof.judging;
  const rows = [...document.querySelectorAll(".row")];
  const done = [];
  let current = null;

  const isSaid = (row) => Boolean(row.dataset.said);
  const buttonOf = (row, name, value) => row.querySelector(`[name="${name}"][value="${value}"]`);

  function go(row, focus = true) {
    if (!row) return;
    current?.classList.remove("current");
    current = row;
    row.classList.add("current");
    if (focus) row.focus({ preventScroll: true });
    // As far up as the question above and the buttons below leave room.
    row.scrollIntoView({ block: "center" });
  }

  function press(row, wanted) {
    for (const button of row.querySelectorAll("[name=grade],[name=reason]")) {
      button.setAttribute("aria-pressed", String(button === wanted));
    }
  }

  function judge(row, button) {
    if (j.dwell.early()) return;
    const said = button.name === "grade" ? { grade: Number(button.value) } : { reason: button.value };
    const label = button.name === "grade" ? `${button.value} ${button.dataset.label}` : button.dataset.label;
    const key = j.judge(row, said, row.querySelector("textarea").value.trim(), label);
    const pressed = row.querySelector("[name=grade][aria-pressed=true],[name=reason][aria-pressed=true]");
    done.push({ row, key, said: row.dataset.said, pressed });
    if (!isSaid(row)) j.counted(1);
    row.dataset.said = key;
    row.classList.add("said");
    press(row, button);
    const at = rows.indexOf(row);
    go([...rows.slice(at + 1), ...rows.slice(0, at)].find((one) => !isSaid(one)) ?? row, row === current);
    j.dwell.begin();
  }

  async function undo() {
    const before = done.pop();
    if (before) {
      const { row, key, said, pressed } = before;
      j.takeBack(row, key);
      row.dataset.said = said;
      row.classList.toggle("said", Boolean(said));
      press(row, pressed);
      if (!said) j.counted(-1);
      j.tellUndone(row.dataset.name);
      go(row);
      return;
    }
    if (j.outbox.size()) { say("Wait until everything is saved.", 2); return; }
    try {
      const answer = await send(`${j.here}/undo`, {}, "POST");
      if (!answer.item) { say("There is nothing to undo.", 2); return; }
      location.reload();
    } catch (error) {
      j.warn(error.message);
    }
  }

  for (const row of rows) {
    row.classList.toggle("said", isSaid(row));
    row.addEventListener("focusin", () => { if (current !== row) { current?.classList.remove("current"); current = row; row.classList.add("current"); } });
    row.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const button = event.submitter;
      if (button?.name === "kind") j.toggle(button.value, row, button);
      else if (button) judge(row, button);
    });
  }
  document.querySelector("form.foot").addEventListener("submit", (event) => { event.preventDefault(); undo(); });

  const step = (by) => () => go(rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(current) + by))]);
  const handlers = { u: undo, j: step(1), k: step(-1), ArrowDown: step(1), ArrowUp: step(-1) };
  const at = (name, value) => () => { if (current) buttonOf(current, name, value)?.click(); };
  for (const button of rows[0]?.querySelectorAll("[name=grade]") ?? []) {
    const key = button.querySelector("kbd")?.textContent;
    if (key) handlers[key] = at("grade", button.value);
  }
  Object.assign(handlers, {
    c: at("reason", "cannot_tell"), l: at("reason", "later"), f: at("kind", "flag"), p: at("kind", "pick"),
    n: () => { if (current) { const box = current.querySelector(".noting"); box.open = true; box.querySelector("textarea").focus(); } },
  });
  listen(handlers);
  const turn = (rel) => () => document.querySelector(`.foot [rel=${rel}]`)?.click();
  listen({
    "]": turn("next"), "[": turn("prev"),
    m: () => { if (current) reading.step(current, 1); }, M: () => { if (current) reading.step(current, -1); },
  });
  go(rows.find((row) => !isSaid(row)) ?? rows[0], false);
  window.scrollTo(0, 0);
})();
