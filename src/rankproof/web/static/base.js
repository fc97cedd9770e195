// What pages share: sending acts safely, saying things, keys. Pages work without it; see each page's own script.
"use strict";

window.rankproof = (() => {
  const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";
  const status = document.getElementById("status");
  let fading = 0;

  // Says something in a corner; screen readers hear it.
  function say(text, seconds = 4) {
    clearTimeout(fading);
    status.textContent = text;
    if (seconds) fading = setTimeout(() => { status.textContent = ""; }, seconds * 1000);
  }

  // A name for an act: sent twice, it is one act.
  function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // Sends JSON and gives the JSON of the answer. A connection that fails is tried again: acts have keys.
  // Throws an Error with .status and .remedy for an answer that says no.
  async function send(url, body, method = "POST", tries = 4) {
    for (let n = 1; ; n += 1) {
      let response;
      try {
        response = await fetch(url, {
          method,
          headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf, Accept: "application/json" },
          body: body === undefined ? undefined : JSON.stringify(body),
          keepalive: true,
        });
      } catch (error) {
        if (n >= tries) throw Object.assign(new Error("The server cannot be reached."), { status: 0 });
        say("The server cannot be reached. Trying again.", 0);
        await new Promise((done) => setTimeout(done, 400 * 2 ** n));
        continue;
      }
      if (n > 1) say("");
      if (response.status === 204) return null;
      const told = await response.json().catch(() => ({}));
      if (response.ok) return told;
      const problem = told.error ?? { message: `The server answered ${response.status}.` };
      throw Object.assign(new Error(problem.message), { status: response.status, remedy: problem.remedy });
    }
  }

  // Whether somebody writes at this moment: then letters are text, not commands.
  function isWriting(event) {
    const at = event.target;
    return event.ctrlKey || event.metaKey || event.altKey || at.isContentEditable ||
      /^(input|textarea|select)$/i.test(at.tagName) && !/^(checkbox|radio|button|submit)$/i.test(at.type ?? "");
  }

  // ---- keys: the same on every page ------------------------------------------------------------

  const keys = document.getElementById("keys");
  const keysOn = document.getElementById("keys-on");
  const KEYS = "rankproof.keys";
  function keep(on) {
    try { localStorage.setItem(KEYS, on ? "on" : "off"); } catch { /* then it holds for this page */ }
    document.body.classList.toggle("keys-off", !on);
  }
  if (keysOn) {
    try { keysOn.checked = localStorage.getItem(KEYS) !== "off"; } catch { /* as it stands */ }
    document.body.classList.toggle("keys-off", !keysOn.checked);
    keysOn.addEventListener("change", () => keep(keysOn.checked));
    keys.addEventListener("click", (event) => { if (event.target === keys) keys.close(); });
  }

  // handlers: by key. Keys that are held down, letters while somebody writes, and all but "?" while a dialog is open
  // do nothing.
  const handlers = {};
  function listen(more) { Object.assign(handlers, more); }
  document.addEventListener("keydown", (event) => {
    if (!keysOn || event.defaultPrevented || event.repeat) return;
    const writing = /^(input|textarea|select)$/i.test(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "Escape" && writing && !event.target.closest("dialog")) { event.target.blur(); return; }
    if (isWriting(event)) return;
    const modal = document.querySelector("dialog:modal");
    if (event.key === "?" && (!modal || modal === keys)) {
      event.preventDefault();
      if (keys.open) keys.close();
      else keys.showModal();
      return;
    }
    if (!keysOn.checked || (modal && handlers[event.key]?.closes !== modal)) return;
    // A capital letter is a key of its own where there is one; with caps lock it is the small one.
    const small = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const handler = event.shiftKey && handlers[event.key] || handlers[small];
    if (handler) { event.preventDefault(); handler(event); }
  });

  // Slips: an act in the first moments after a new document appeared was meant for the one before. `early()` says so,
  // to eyes and ears, and the act is to be left alone. root.dataset.ready tells when it is over.
  const DWELL = 150; // ms
  function dwell(root) {
    let since = -Infinity;
    let timer = 0;
    root.dataset.ready = "true";
    return {
      begin() {
        since = performance.now();
        root.dataset.ready = "false";
        clearTimeout(timer);
        timer = setTimeout(() => { root.dataset.ready = "true"; }, DWELL);
      },
      early() {
        if (performance.now() - since >= DWELL) return false;
        say("Not taken: this document had only just appeared. Press again.", 3);
        return true;
      },
    };
  }

  // The list of disagreements: j and k from one to the next, digits settle the one that has the focus.
  const disputes = [...document.querySelectorAll(".dispute")];
  if (disputes.length) {
    const here = () => disputes.indexOf(document.activeElement?.closest(".dispute"));
    const go = (by) => () => {
      const at = Math.min(disputes.length - 1, Math.max(0, here() < 0 ? 0 : here() + by));
      disputes[at].tabIndex = -1;
      disputes[at].focus({ preventScroll: true });
      disputes[at].scrollIntoView({ block: "nearest" });
    };
    const inside = (selector, act) => () => { const found = disputes[here()]?.querySelector(selector); if (found) act(found); };
    listen({ j: go(1), k: go(-1), n: inside("input[name=note]", (field) => field.focus()) });
    for (let n = 0; n <= 9; n += 1) listen({ [n]: inside(`[name=grade][value="${n}"]`, (button) => button.click()) });
    listen({ e: inside("details", (box) => { box.open = !box.open; }) });
    const turn = (rel) => () => document.querySelector(`[rel=${rel}]`)?.click();
    listen({ "]": turn("next"), "[": turn("prev") });
  }

  // The menu closes on Escape and on a click elsewhere.
  const menu = document.querySelector(".menu");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu?.open) { menu.open = false; menu.querySelector("summary").focus(); }
  });
  document.addEventListener("click", (event) => {
    if (menu?.open && !menu.contains(event.target)) menu.open = false;
  });

  // Forms that ask before they act: <form data-ask="Deactivate ann?">.
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset?.ask;
    if (question && !window.confirm(question)) event.preventDefault();
  });

  // A button that copies: <button data-copy="#link" hidden>.
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      const from = document.querySelector(button.dataset.copy);
      await navigator.clipboard.writeText(from.value ?? from.textContent.trim());
      say("Copied.");
    });
  }

  return { csrf, say, newKey, send, isWriting, listen, dwell };
})();
