// Comparing by keyboard, without a new page for every act. Forms do the same without this.
"use strict";

(() => {
  const { csrf, say, isWriting } = window.rankproof;
  const main = document.getElementById("main");
  const TOLD = { pick: "Picked.", unpick: "The pick is taken back.", flag: "Flagged.", unflag: "The flag is taken back.",
    undo: "The preference is taken back.", 0: "Equally good." };
  let busy = false;

  const results = () => [...main.querySelectorAll(".result")];
  const current = () => document.activeElement?.closest?.(".result");

  // Sends a form and shows the page that answers. A connection that fails is tried again: every act has a key.
  async function submit(form, button) {
    if (busy) return;
    busy = true;
    main.classList.add("busy");
    const body = new URLSearchParams(new FormData(form));
    if (button?.name) body.set(button.name, button.value);
    const asks = form.action.includes("/compare/ask");
    if (asks) say("Asking the pipelines.", 0);
    try {
      const response = await post(form.action, body);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!response.ok || !page.querySelector(".compare")) throw new Error(reason(page, response));
      const told = TOLD[button?.value] ?? (button?.name === "side" ? `${button.firstChild.textContent.trim()} is better.` : "");
      turn(page, response.url);
      say(told);
    } catch (error) {
      say(error.message, 10);
    } finally {
      busy = false;
      main.classList.remove("busy");
    }
  }

  async function post(url, body, tries = 4) {
    for (let n = 1; ; n += 1) {
      try {
        return await fetch(url, { method: "POST", body, headers: { "X-CSRF-Token": csrf, Accept: "text/html" } });
      } catch (error) {
        if (n >= tries) throw new Error("The server cannot be reached. Nothing was kept.");
        say("The server cannot be reached. Trying again.", 0);
        await new Promise((done) => setTimeout(done, 400 * 2 ** n));
      }
    }
  }

  function reason(page, response) {
    const told = page.querySelector("main .lede, main .bad")?.textContent.trim();
    return told || `The server answered ${response.status}.`;
  }

  // Puts the answered page in place of this one; who was at a result stays there.
  function turn(page, url) {
    const before = main.querySelector(".compare")?.dataset.query;
    const at = current()?.id;
    const left = main.querySelector(".sides")?.scrollLeft ?? 0;
    main.replaceChildren(...page.getElementById("main").childNodes);
    document.title = page.title;
    const same = main.querySelector(".compare").dataset.query === before;
    if (same) history.replaceState(null, "", url);
    else history.pushState(null, "", url);
    if (same) {
      main.querySelector(".sides").scrollLeft = left;
      (at && document.getElementById(at) || main).focus({ preventScroll: true });
    } else {
      main.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }

  // Up and down go within a side, left and right to the same rank of the side beside it.
  function move(key) {
    const from = current();
    if (!from) return results()[0];
    const [side, rank] = from.id.slice(1).split("-").map(Number);
    const [over, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    for (let r = rank + down; r > 0; r -= 1) {
      const found = document.getElementById(`r${side + over}-${r}`);
      if (found) return found;
      if (!over) break;
    }
    return from;
  }

  function flag(result) {
    const taken = result.querySelector("[value=unflag]");
    if (taken) return taken.click();
    const box = result.querySelector("details");
    if (!box) return;
    box.open = true;
    box.querySelector("select").focus();
  }

  main.addEventListener("submit", (event) => {
    if (!("send" in event.target.dataset)) return;
    event.preventDefault();
    submit(event.target, event.submitter);
  });

  document.addEventListener("keydown", (event) => {
    const box = event.target.closest?.("details[open]");
    if (event.key === "Escape" && box && main.contains(box)) {
      box.open = false;
      box.closest(".result").focus();
      return;
    }
    // Enter in the choice of a reason flags; browsers send forms from text fields only.
    if (event.key === "Enter" && box && event.target.matches(".why select, .why input")) {
      event.preventDefault();
      box.querySelector("[value=flag]").click();
      return;
    }
    if (isWriting(event)) return;
    const result = current();
    if (event.key.startsWith("Arrow") && results().length) {
      event.preventDefault();
      move(event.key).focus();
    } else if (event.key === "x" && result) {
      result.querySelector("form > [value=pick], form > [value=unpick]")?.click();
    } else if (event.key === "f" && result) {
      event.preventDefault();
      flag(result);
    } else if (event.key === "n" || event.key === "p") {
      main.querySelector(event.key === "n" ? "[rel=next]" : "[rel=prev]")?.click();
    } else if (/^[0-4ua]$/.test(event.key)) {
      main.querySelector(`[data-key="${event.key}"]:not(:disabled)`)?.click();
    }
  });

  window.addEventListener("popstate", () => location.reload());
})();
