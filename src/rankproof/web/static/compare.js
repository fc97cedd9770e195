// Comparing by keyboard, without a new page for every act. Forms do the same without this.
"use strict";

(() => {
  const { csrf, say, listen, reading } = window.rankproof;
  const main = document.getElementById("main");
  const TOLD = { pick: "Picked.", unpick: "The pick is taken back.", flag: "Flagged.", unflag: "The flag is taken back.",
    undo: "The preference is taken back.", 0: "Equally good." };
  let busy = false;
  const slips = window.rankproof.dwell(main);

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
      slips.begin();
    }
    lay();
  }

  // ---- lines from a document to itself on the next side -----------------------------------------

  const SVG = "http://www.w3.org/2000/svg";
  let watched = null;
  let lit; // the document whose lines are bright

  // Drawn again when anything changes its place; on a phone and on paper the words beside each result say it alone.
  function lay() {
    const sides = main.querySelector(".sides");
    const bar = main.querySelector(".verdict");
    watched?.disconnect();
    watched = new ResizeObserver(() => {
      document.documentElement.style.setProperty("--bar", `${bar ? Math.ceil(bar.getBoundingClientRect().height) : 0}px`);
      draw(sides);
    });
    for (const node of [sides, bar, ...(sides?.querySelectorAll(".result") ?? [])]) if (node) watched.observe(node);
    draw(sides);
  }

  function draw(sides) {
    sides?.querySelector(".lines")?.remove();
    if (!sides || !sides.querySelector("[data-near]")) return;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "lines");
    svg.setAttribute("aria-hidden", "true");
    const from = sides.getBoundingClientRect();
    for (const result of sides.querySelectorAll(".result")) {
      const [side, rank] = result.id.slice(1).split("-").map(Number);
      const over = sides.querySelector(`[aria-labelledby="side-${side + 1}"]`);
      const other = [...(over?.querySelectorAll(".result") ?? [])].find((one) => one.dataset.doc === result.dataset.doc);
      if (!other) continue;
      const a = result.querySelector(".line").getBoundingClientRect();
      const b = other.querySelector(".line").getBoundingClientRect();
      const x1 = result.closest(".side").getBoundingClientRect().right - from.left;
      const x2 = over.getBoundingClientRect().left - from.left;
      const y1 = a.top - from.top + 12;
      const y2 = b.top - from.top + 12;
      const path = document.createElementNS(SVG, "path");
      const bend = (x2 - x1) / 2;
      path.setAttribute("d", `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
      path.dataset.doc = result.dataset.doc;
      if (Number(other.id.split("-")[1]) !== rank) path.classList.add("far");
      svg.append(path);
    }
    sides.append(svg);
    light();
  }

  const light = () => { for (const path of main.querySelectorAll(".lines path")) path.classList.toggle("on", path.dataset.doc === lit); };

  // The document under the hand or with the focus is shown wherever it stands.
  function link(result) {
    const doc = result?.dataset.doc;
    for (const node of main.querySelectorAll(".result")) node.classList.toggle("linked", node !== result && node.dataset.doc === doc);
    lit = doc;
    light();
  }
  for (const name of ["focusin", "pointerover"]) main.addEventListener(name, (event) => link(event.target.closest?.(".result")));

  main.addEventListener("click", (event) => {
    const link = event.target.closest(".moves a");
    if (!link) return;
    event.preventDefault();
    const there = document.getElementById(link.hash.slice(1));
    there.focus({ preventScroll: true });
    there.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

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
      (box.closest(".result") ?? box.querySelector("summary")).focus();
      return;
    }
    // Enter in the choice of a reason flags; browsers send forms from text fields only.
    if (event.key === "Enter" && box && event.target.matches(".why select, .why input")) {
      event.preventDefault();
      box.querySelector("[value=flag]").click();
      return;
    }
  });

  const turnTo = (rel) => () => main.querySelector(`[rel=${rel}]`)?.click();
  const go = (key) => () => { if (results().length) move(key).focus(); };
  const act = (selector) => () => {
    const found = main.querySelector(selector);
    if (found && !slips.early()) found.click();
  };
  const at = (action) => () => { if (current() && !slips.early()) action(current()); };
  listen({
    ArrowDown: go("ArrowDown"), ArrowUp: go("ArrowUp"), ArrowLeft: go("ArrowLeft"), ArrowRight: go("ArrowRight"),
    j: go("ArrowDown"), k: go("ArrowUp"), "]": turnTo("next"), "[": turnTo("prev"),
    p: at((result) => result.querySelector("form > [value=pick], form > [value=unpick]")?.click()),
    f: at(flag),
    n: () => main.querySelector(".verdict [name=note]")?.focus(),
    u: () => main.querySelector('[data-key="u"]')?.click(),
    a: act('[data-key="a"]:not(:disabled)'),
    d: () => {
      const box = document.getElementById("diagnosis");
      if (!box) return;
      box.open = !box.open;
      if (box.open) box.scrollIntoView({ block: "nearest" });
    },
    m: () => { const sides = main.querySelector(".sides"); if (sides) reading.step(sides, 1); },
    M: () => { const sides = main.querySelector(".sides"); if (sides) reading.step(sides, -1); },
  });
  for (let n = 0; n <= 4; n += 1) listen({ [n]: act(`.verdict [data-key="${n}"]:not(:disabled)`) });
  lay();

  window.addEventListener("popstate", () => location.reload());
})();
