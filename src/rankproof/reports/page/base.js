// ---- helpers that all parts of the page share ---------------------------------------------------
const one = (what, within = document) => within.querySelector(what);
const all = (what, within = document) => [...within.querySelectorAll(what)];
// An element with its attributes and what stands inside; texts are text, never markup.
const element = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...inside.filter((piece) => piece !== null && piece !== undefined));
  return made;
};
const put = (within, lines) => within.replaceChildren(...lines.map((line) => element("div", {}, line)));
const minus = (text) => text.replace("-", "\u2212");
const number = (value) => (value === null || value === undefined ? "undefined" : minus(value.toFixed(4)));
const signed = (value) => (value > 0 ? "+" : "") + number(value);
const toneOf = (better, difference) => {
  if (!difference || better === "neither") return "";
  return difference > 0 === (better === "higher") ? "better" : "worse";
};
const words = new Intl.Collator(undefined, { numeric: true });

// ---- light and dark: the system decides until the reader does -----------------------------------
const root = document.documentElement;
const theme = one("#theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
system.addEventListener("change", nameTheme);
theme.hidden = false;
nameTheme();

// ---- folded parts: a link into one opens it, and paper shows all --------------------------------
const unfold = (within) => {
  for (let part = within; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
};
const openTarget = (hash) => {
  let target = null;
  try { target = document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return; }
  if (!target) return;
  unfold(target);
  const part = one(":scope > details.part", target);
  if (part) part.open = true;
};
addEventListener("hashchange", () => openTarget(location.hash));
// A second click on the same link changes no hash.
for (const link of all('a[href^="#"]')) link.addEventListener("click", () => openTarget(link.getAttribute("href")));
openTarget(location.hash);
let printed = [];
addEventListener("beforeprint", () => {
  printed = all("details:not([open])");
  for (const part of printed) part.open = true;
});
addEventListener("afterprint", () => {
  for (const part of printed) part.open = false;
});

