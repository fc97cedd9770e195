// Judge, one document at a time: the next ones are here before they are needed, so that a key press shows the next one
// at once. What was said waits in the outbox until it is saved.
"use strict";

(() => {
  const { send, say, listen, reading } = window.rankproof;
  const j = window.rankproof.judging;
  const WANTED = 6; // pairs at hand, with the one on the page
  const place = document.getElementById("item");
  const nothing = document.getElementById("nothing");
  const form = document.getElementById("act");
  const note = document.getElementById("note");
  const noting = form.querySelector(".noting");
  const match = document.getElementById("match");
  const matches = document.getElementById("match-count");
  const done = []; // what was said on this page: the pair and the key of the act
  const queue = [];
  let acted = new Set(); // pairs said while an answer is on its way: it does not know of them yet
  let uncounted = 0; // and how many they are
  let asking = false;
  let failures = 0;

  const id = (one) => JSON.stringify([one.query_id, one.doc_id]);
  const pair = () => place.querySelector(".pair");
  const doc = () => pair()?.querySelector(".document");

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
    const node = pair();
    note.value = node?.dataset.note ?? "";
    noting.open = Boolean(note.value);
    for (const kind of ["flag", "pick"]) {
      form.querySelector(`[value=${kind}]`).setAttribute("aria-pressed", String(Boolean(node?.dataset[kind])));
    }
    for (const button of form.querySelectorAll("[name=grade],[name=reason]")) {
      const given = button.name === "grade" ? node?.dataset.grade : node?.dataset.reason;
      button.setAttribute("aria-pressed", String(Boolean(given) && button.value === given));
    }
    window.scrollTo(0, 0);
    if (node) lay();
    if (focus) (node ? doc() : nothing.querySelector("a")).focus({ preventScroll: true });
    if (node) j.dwell.begin();
  }

  // Long texts are clamped, the button of matches counts them, and a picture that cannot be had leaves its words.
  function lay() {
    reading.prepare(doc());
    const marks = doc().querySelectorAll("mark").length;
    match.hidden = !marks;
    matches.textContent = marks ? String(marks) : "";
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
    if (!item || j.dwell.early()) return;
    const edited = "edit" in pair().dataset;
    const key = j.judge(pair(), said, note.value.trim(), label);
    const settles = said.reason !== "later" && !edited;
    done.push({ item, key, settles });
    acted.add(id(item));
    if (settles) count(1);
    next();
    fold();
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
    if (!node || j.dwell.early()) return;
    await j.toggle(kind, node, form.querySelector(`[value=${kind}]`));
    doc().focus({ preventScroll: true });
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
  listen(handlers);
  note.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); note.blur(); }
  });
  note.addEventListener("blur", () => { if (!note.value.trim()) noting.open = false; });

  j.listeners.empty = () => { refill(); refresh(); };
  j.listeners.refused = (act) => {
    const at = done.findIndex((one) => one.key === act.body.key);
    if (at >= 0) queue.unshift(done.splice(at, 1)[0].item);
  };

  // ---- matches ---------------------------------------------------------------------------------

  function step(by) {
    const found = doc() && reading.step(doc(), by);
    if (found) matches.textContent = `${found.at}/${found.of}`;
  }
  match.addEventListener("click", () => step(1));
  listen({ m: () => step(1), M: () => step(-1), e: () => { if (doc()) reading.toggle(doc()); } });

  // ---- what the grades mean: shown at first, then folded; as it was left from then on -----------

  const meanings = document.getElementById("meanings");
  const MEANINGS = `rankproof.meanings.${j.root.dataset.slug}`;
  const AFTER = 5; // judgments
  let judged = 0;
  function remembered() { try { return localStorage.getItem(MEANINGS); } catch { return null; } }
  function mean(state) {
    j.root.dataset.meanings = state;
    meanings.setAttribute("aria-expanded", String(state === "shown"));
  }
  function fold() {
    judged += 1;
    if (judged + Number(form.dataset.mine) >= AFTER && !remembered()) mean("folded");
  }
  function toggleMeanings() {
    const state = j.root.dataset.meanings === "shown" ? "folded" : "shown";
    mean(state);
    try { localStorage.setItem(MEANINGS, state); } catch { /* then it holds for this page */ }
    say(state === "shown" ? "What the grades mean is shown." : "What the grades mean is folded.", 2);
  }
  meanings.hidden = !form.querySelector(".meaning");
  mean(remembered() ?? j.root.dataset.meanings);
  meanings.addEventListener("click", toggleMeanings);
  listen({ i: toggleMeanings });

  // ---- the last ten, to be changed --------------------------------------------------------------

  const recent = document.getElementById("recent");
  const list = document.getElementById("recent-list");
  const OPEN = "rankproof.recent";
  const narrow = matchMedia("(max-width:60rem)");

  async function refresh() {
    if (!recent.open) return;
    try {
      const response = await fetch(`${j.here}/recent`, { headers: { Accept: "application/json" } });
      if (response.ok && !response.redirected) list.innerHTML = (await response.json()).html; // escaped by the server
    } catch { /* the list stays as it is */ }
  }

  function showRecent(open = !recent.open) {
    if (recent.open) recent.close();
    if (open) {
      if (narrow.matches) recent.showModal();
      else recent.show();
      refresh();
    }
    if (!narrow.matches) try { localStorage.setItem(OPEN, open ? "open" : "closed"); } catch { /* for this page */ }
    j.root.classList.toggle("with-recent", recent.open && !narrow.matches);
    if (open && !narrow.matches) doc()?.focus({ preventScroll: true });
  }
  recent.addEventListener("close", () => j.root.classList.remove("with-recent"));
  recent.addEventListener("click", (event) => { if (event.target === recent && narrow.matches) recent.close(); });
  recent.querySelector("form").addEventListener("submit", () => { try { localStorage.setItem(OPEN, "closed"); } catch { /* */ } });
  document.getElementById("recent-link").addEventListener("click", (event) => { event.preventDefault(); showRecent(); });
  const byKey = () => showRecent();
  byKey.closes = recent;
  listen({ h: byKey });

  // A judgment of before comes onto the page; what stood there comes after it.
  list.addEventListener("click", async (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (j.outbox.size()) { say("Wait until everything is saved.", 2); return; }
    const wanted = new URLSearchParams({ query: link.dataset.query, doc: link.dataset.doc });
    try {
      const response = await fetch(`${j.here}/items?${wanted}`, { headers: { Accept: "application/json" } });
      const { item } = await response.json();
      if (!item) { say("That judgment does not hold any more.", 2); refresh(); return; }
      const here = read();
      if (here && id(here) !== id(item) && !("edit" in pair().dataset)) queue.unshift(here);
      if (recent.matches(":modal")) recent.close();
      show(item);
      say("Judge again to change it.", 3);
    } catch {
      say("The server cannot be reached.", 3);
    }
  });
  try { if (!narrow.matches && localStorage.getItem(OPEN) === "open") showRecent(true); } catch { /* closed */ }
  if (recent.open && !j.root.classList.contains("with-recent")) showRecent(true);

  // What the server showed may be what waits to be saved from before.
  const waiting = j.outbox.waiting().some((act) => act.kind === "judgments" && pair() && id(act.body) === id(j.pairOf(pair())));
  if (waiting) wait();
  else if (pair()) { lay(); doc().focus({ preventScroll: true }); }
  refill();
})();
