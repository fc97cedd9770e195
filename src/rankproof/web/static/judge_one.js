// Judge, one document at a time: the next ones are here before they are needed, so that a key press shows the next one
// at once. What was said waits in the outbox until it is saved.
"use strict";

(() => {
  const { send, say } = window.rankproof;
  const j = window.rankproof.judging;
  const WANTED = 6; // pairs at hand, with the one on the page
  const place = document.getElementById("item");
  const nothing = document.getElementById("nothing");
  const form = document.getElementById("act");
  const note = document.getElementById("note");
  const noting = form.querySelector(".noting");
  const done = []; // what was said on this page: the pair and the key of the act
  const queue = [];
  let acted = new Set(); // pairs said while an answer is on its way: it does not know of them yet
  let uncounted = 0; // and how many they are
  let asking = false;
  let failures = 0;

  const id = (one) => JSON.stringify([one.query_id, one.doc_id]);
  const pair = () => place.querySelector(".pair");

  // ---- showing ---------------------------------------------------------------------------------

  function read() {
    const node = pair();
    return node && { ...j.pairOf(node), name: node.dataset.name, html: place.innerHTML };
  }

  function show(item, focus = true) {
    place.innerHTML = item ? item.html : ""; // made by the server, which escapes everything
    nothing.hidden = Boolean(item);
    form.hidden = !item && done.length === 0;
    for (const node of form.querySelectorAll("[data-needs-item]")) node.hidden = !item;
    note.value = "";
    noting.open = false;
    const node = pair();
    for (const kind of ["flag", "pick"]) {
      form.querySelector(`[value=${kind}]`).setAttribute("aria-pressed", String(Boolean(node?.dataset[kind])));
    }
    window.scrollTo(0, 0);
    if (focus) (node ? node.querySelector(".document") : nothing.querySelector("a")).focus({ preventScroll: true });
  }

  function next() {
    const item = queue.shift() ?? null;
    if (item === null) wait();
    else show(item);
    refill();
  }

  // Nothing is at hand: it may be that nothing is left, or that the server has not answered yet.
  function wait() {
    place.innerHTML = '<p class="nothing muted" role="status">Fetching the next one.</p>';
    nothing.hidden = true;
    for (const node of form.querySelectorAll("[data-needs-item]")) node.hidden = true;
  }

  // ---- fetching --------------------------------------------------------------------------------

  async function refill() {
    if (asking || queue.length >= WANTED / 2 || j.outbox.size()) return; // what is on its way would come again
    asking = true;
    acted = new Set();
    uncounted = 0;
    try {
      const response = await fetch(`${j.here}/items?n=${WANTED}&day=${j.day}`, { headers: { Accept: "application/json" } });
      if (!response.ok || response.redirected) throw new Error(String(response.status));
      take(await response.json());
      failures = 0;
      asking = false;
      if (acted.size && queue.length < WANTED / 2) refill();
    } catch {
      failures += 1;
      setTimeout(() => { asking = false; refill(); }, Math.min(15000, 500 * 2 ** Math.min(failures, 5)));
      if (!pair() && nothing.hidden) say("The server cannot be reached. Trying again.", 3);
    }
  }

  function take(answer) {
    document.getElementById("progress").innerHTML = answer.progress;
    if (uncounted) j.counted(uncounted);
    const here = pair() ? [id(j.pairOf(pair()))] : [];
    const known = new Set([...here, ...queue.map(id), ...acted, ...j.outbox.waiting().map((act) => id(act.body))]);
    for (const item of answer.items) {
      if (known.has(id(item))) continue;
      queue.push(item);
      if (item.image) new Image().src = item.image;
    }
    if (!pair()) {
      if (queue.length) show(queue.shift());
      else if (!acted.size && !j.outbox.size()) show(null);
    }
  }

  // ---- judging ---------------------------------------------------------------------------------

  function judge(said, label) {
    const item = read();
    if (!item) return;
    const key = j.judge(pair(), said, note.value.trim(), label);
    done.push({ item, key, settles: said.reason !== "later" });
    acted.add(id(item));
    if (said.reason !== "later") count(1);
    next();
  }

  function count(by) {
    uncounted += by;
    j.counted(by);
  }

  async function undo() {
    const before = done.pop();
    const item = read();
    if (before) {
      if (item) queue.unshift(item);
      show(before.item);
      j.takeBack(pair(), before.key);
      if (before.settles) count(-1);
      j.tellUndone(before.item.name);
      return;
    }
    if (j.outbox.size()) { say("Wait until everything is saved.", 2); return; }
    try {
      const answer = await fetchUndo();
      if (!answer.item) { say("There is nothing to undo.", 2); return; }
      if (item && id(item) !== id(answer.item)) queue.unshift(item);
      show(answer.item);
      count(-1);
      j.tellUndone(answer.item.name);
    } catch (error) {
      j.warn(error.message);
    }
  }

  const fetchUndo = () => send(`${j.here}/undo`, {}, "POST");

  // ---- hands -----------------------------------------------------------------------------------

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (!button) return;
    if (button.name === "grade") judge({ grade: Number(button.value) }, `${button.value} ${button.dataset.label}`);
    else if (button.name === "reason") judge({ reason: button.value }, button.dataset.label);
    else if (button.name === "kind") mark(button.value);
    else if (button.name === "undo") undo();
  });
  // The second click of a double click would judge a document that nobody has seen.
  form.addEventListener("click", (event) => { if (event.detail > 1) event.preventDefault(); });

  async function mark(kind) {
    const node = pair();
    if (!node) return;
    await j.toggle(kind, node, form.querySelector(`[value=${kind}]`));
    node.querySelector(".document").focus({ preventScroll: true });
  }

  const handlers = {
    u: undo,
    f: () => mark("flag"),
    p: () => mark("pick"),
    n: () => { if (pair()) { noting.open = true; note.focus(); } },
  };
  for (const button of form.querySelectorAll("[data-key]")) {
    if (button.dataset.key) handlers[button.dataset.key] = () => button.click();
  }
  j.listen(handlers);
  note.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); note.blur(); }
  });
  note.addEventListener("blur", () => { if (!note.value.trim()) noting.open = false; });

  j.listeners.empty = refill;
  j.listeners.refused = (act) => {
    const at = done.findIndex((one) => one.key === act.body.key);
    if (at >= 0) queue.unshift(done.splice(at, 1)[0].item);
  };

  // What the server showed may be what waits to be saved from before.
  const waiting = j.outbox.waiting().some((act) => act.kind === "judgments" && pair() && id(act.body) === id(j.pairOf(pair())));
  if (waiting) wait();
  else if (pair()) pair().querySelector(".document").focus({ preventScroll: true });
  refill();
})();
