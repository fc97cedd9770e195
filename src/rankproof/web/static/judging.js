// What both views of judging share: the outbox and its signs, guidelines, flags and picks, keys.
"use strict";

window.rankproof.judging = (() => {
  const { say, listen } = window.rankproof;
  const root = document.getElementById("judge");
  const { slug, me, here } = root.dataset;
  const saving = document.getElementById("saving");
  const trouble = document.getElementById("trouble");
  const last = document.getElementById("last");
  const listeners = { refused: () => {}, empty: () => {} };

  // ---- saving ----------------------------------------------------------------------------------

  let failing = false;

  function tell(size) {
    saving.classList.toggle("waiting", failing);
    saving.textContent = !size ? "Saved" : failing ? `${size} not saved yet` : `Saving ${size}`;
  }

  function warn(text, ...controls) {
    trouble.textContent = text;
    if (controls.length) trouble.append(document.createElement("br"), ...controls);
    trouble.hidden = !text;
  }

  function button(text, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    return made;
  }

  const kept = (size) => `${size} ${size === 1 ? "judgment is" : "judgments are"} kept on this device`;

  const outbox = window.rankproof.outbox(slug, me, {
    change: tell,
    saved() {
      failing = false;
      if (trouble.dataset.why === "failed") warn("");
    },
    empty() { listeners.empty(); },
    failed(error, size) {
      failing = true;
      tell(size);
      if (!trouble.hidden && trouble.dataset.why === "failed") return; // said once, not at every try
      trouble.dataset.why = "failed";
      warn(`${error.message} What you judge is kept on this device and sent as soon as it answers: go on.`);
    },
    blocked(error, size) {
      failing = true;
      tell(size);
      trouble.dataset.why = "blocked";
      const again = error.status === 401
        ? button("Sign in again", () => { location.href = `/sign-in?next=${encodeURIComponent(here)}`; })
        : button("Load the page again", () => location.reload());
      warn(`${error.message} ${kept(size)} and will be sent after that.`, again);
    },
    refused(act, error) {
      trouble.dataset.why = "refused";
      const about = act.about ? ` (${act.about})` : "";
      warn(`The server did not take this${about}: ${error.message} ${error.remedy ?? ""}`,
        button("Close", () => warn("")));
      listeners.refused(act);
    },
  });

  // ---- dialogs ---------------------------------------------------------------------------------

  const guide = document.getElementById("guide");
  const flagging = document.getElementById("flagging");

  function showGuide() {
    if (guide.open) { guide.close(); return; }
    guide.showModal();
  }
  showGuide.closes = guide;
  document.getElementById("guide-link")?.addEventListener("click", (event) => { event.preventDefault(); showGuide(); });
  for (const dialog of [guide, flagging]) {
    // A click beside a dialog closes it.
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
  if (guide.open) { guide.close(); guide.showModal(); }
  listen({ g: showGuide });

  // Asks why a document is flagged; gives the reason, or null when it is not.
  function askReason() {
    const field = flagging.querySelector("input");
    field.value = "";
    return new Promise((done) => {
      let reason = null;
      const form = flagging.querySelector("form");
      const choose = (event) => { reason = event.submitter?.value || field.value.trim(); };
      const press = (event) => {
        if (event.target === field) {
          if (event.key === "Enter") { event.preventDefault(); reason = field.value.trim(); flagging.close(); }
          return;
        }
        const found = flagging.querySelector(`[data-number="${event.key}"]`);
        if (found) { event.preventDefault(); found.click(); }
      };
      form.addEventListener("submit", choose);
      flagging.addEventListener("keydown", press);
      flagging.querySelector("[data-cancel]").onclick = () => flagging.close();
      flagging.addEventListener("close", () => {
        form.removeEventListener("submit", choose);
        flagging.removeEventListener("keydown", press);
        done(reason);
      }, { once: true });
      flagging.showModal();
      flagging.querySelector("[data-number]").focus();
    });
  }

  // ---- acts ------------------------------------------------------------------------------------

  const pairOf = (node) => ({ query_id: node.dataset.query, doc_id: node.dataset.doc });

  function judge(node, said, note, label) {
    const key = outbox.add("judgments", { ...pairOf(node), ...said, note }, `${label} for ${node.dataset.name}`);
    tellLast(label, node.dataset.name);
    return key;
  }

  function takeBack(node, key) {
    outbox.add("judgments", { ...pairOf(node), reason: "withdrawn", withdraws: key }, `undo for ${node.dataset.name}`);
  }

  // Flags or picks the document of a node, or takes that back. `button` shows which.
  async function toggle(kind, node, button) {
    const before = node.dataset[kind];
    if (before) {
      outbox.add("marks", { kind, ...pairOf(node), withdraws: before });
      node.dataset[kind] = "";
    } else {
      const reason = kind === "flag" ? await askReason() : "";
      if (reason === null) return;
      node.dataset[kind] = outbox.add("marks", { kind, ...pairOf(node), reason });
    }
    button.setAttribute("aria-pressed", String(!before));
    say(before ? `${kind === "flag" ? "Flag" : "Pick"} taken back.` : kind === "flag" ? "Flagged." : "Picked.", 2);
  }

  function tellLast(label, name) {
    const strong = document.createElement("b");
    strong.textContent = label;
    const about = document.createElement("bdi");
    about.textContent = name;
    last.replaceChildren("Last: ", strong, " for ", about);
  }

  function tellUndone(name) { last.textContent = `Taken back: ${name}`; }

  // Changes a number of the progress until the server tells it again.
  function count(name, by) {
    for (const node of document.querySelectorAll(`[data-count="${name}"]`)) {
      const now = Number(node.textContent.replace(/\D/g, "")) + by;
      node.textContent = Math.max(0, now).toLocaleString("en-US");
    }
  }

  function counted(by) {
    count("mine", by); count("today", by); count("left", -by);
    const bar = document.querySelector("[data-count=bar]");
    if (bar) bar.value = Math.max(0, bar.value + by);
  }

  // The beginning of today where the judge is.
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const day = encodeURIComponent(today.toISOString());

  if (outbox.size()) outbox.flush();
  return { root, here, day, outbox, listeners, judge, takeBack, toggle, tellLast, tellUndone, counted, warn, pairOf, dwell: window.rankproof.dwell(root) };
})();
