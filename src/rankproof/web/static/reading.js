// Reading: a document that is longer than its place is clamped, field by field; "m" goes from match to match and opens
// what hides one. Without this script the whole text stands there.
"use strict";

window.rankproof.reading = (() => {
  const { say } = window.rankproof;
  const CLAMPED_FROM = 1.5; // times as long as its place

  // The document as it was put on the page: long texts get a button. `place` is what scrolls.
  function prepare(place) {
    if (place.scrollHeight <= CLAMPED_FROM * place.clientHeight) return;
    for (const text of place.querySelectorAll(".doc-text")) {
      text.classList.add("clamped");
      if (text.scrollHeight - text.clientHeight < 48) { text.classList.remove("clamped"); continue; }
      const more = document.createElement("button");
      more.type = "button";
      more.className = "more";
      more.setAttribute("aria-expanded", "false");
      more.dataset.words = wordsOf(text.textContent);
      more.textContent = `Show all ${more.dataset.words}`;
      more.addEventListener("click", () => open(text, text.classList.contains("clamped")));
      text.after(more);
    }
  }

  function wordsOf(text) {
    const words = text.split(/\s+/).filter(Boolean).length;
    const letters = text.length;
    // Scripts without spaces are counted in characters.
    return letters > 12 * words ? `${letters.toLocaleString("en-US")} characters` : `${words.toLocaleString("en-US")} words`;
  }

  function open(text, shown) {
    const more = text.nextElementSibling;
    if (!more?.matches(".more")) return;
    text.classList.toggle("clamped", !shown);
    more.setAttribute("aria-expanded", String(shown));
    more.textContent = shown ? "Show less" : `Show all ${more.dataset.words}`;
  }

  // Opens every long text, or clamps them again.
  function toggle(place) {
    const texts = [...place.querySelectorAll(".more")].map((more) => more.previousElementSibling);
    const shown = texts.some((text) => text.classList.contains("clamped"));
    for (const text of texts) open(text, shown);
    if (texts.length) say(shown ? "All of the text is shown." : "Long texts are shortened.", 2);
    return texts.length > 0;
  }

  // One mark after the other, round and round; gives where it is, from 1.
  function step(place, by) {
    const marks = [...place.querySelectorAll("mark")];
    if (!marks.length) { say("No word of the query is in the text.", 2); return null; }
    const before = marks.findIndex((mark) => mark.classList.contains("now"));
    const at = before < 0 ? (by > 0 ? 0 : marks.length - 1) : (before + by + marks.length) % marks.length;
    if (before >= 0) marks[before].classList.remove("now");
    const mark = marks[at];
    const text = mark.closest(".doc-text");
    if (text?.classList.contains("clamped") && !inside(mark, text)) open(text, true);
    mark.classList.add("now");
    mark.scrollIntoView({ block: "center", inline: "nearest" });
    say(`Match ${at + 1} of ${marks.length}: ${mark.textContent}`, 2);
    return { at: at + 1, of: marks.length };
  }

  function inside(mark, text) {
    return mark.getBoundingClientRect().bottom <= text.getBoundingClientRect().top + 0.75 * text.clientHeight;
  }

  return { prepare, toggle, step };
})();
