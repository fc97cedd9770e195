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

  return { csrf, say, newKey, send, isWriting };
})();
