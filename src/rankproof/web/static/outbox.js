// Outbox: acts that wait to be saved, in the order they were made. Each stays on this device until the server has
// acknowledged it, also over a page that is closed or a network that is gone. Acts have keys: sent twice, they are one.
"use strict";

window.rankproof.outbox = (slug, me, on) => {
  const prefix = `rankproof.act.${slug}.${me}.`;
  const memory = new Map();
  let counter = 0;
  let working = false;
  let failures = 0;
  let timer = 0;
  let blocked = false;

  const storage = (() => {
    try {
      localStorage.setItem("rankproof.test", "1");
      localStorage.removeItem("rankproof.test");
      return localStorage;
    } catch {
      return null; // a browser that keeps nothing: acts wait in memory only
    }
  })();

  // Names sort in the order the acts were made; each act has an entry of its own, so that two tabs never overwrite.
  function names() {
    const found = storage ? Object.keys(storage).filter((name) => name.startsWith(prefix)) : [];
    return [...new Set([...found, ...memory.keys()])].sort();
  }

  function get(name) {
    const text = storage?.getItem(name) ?? memory.get(name);
    try { return text ? JSON.parse(text) : null; } catch { return null; }
  }

  function remove(name) {
    memory.delete(name);
    storage?.removeItem(name);
  }

  // kind: judgments or marks. Gives the key of the act.
  function add(kind, body, about) {
    const act = { kind, body: { key: window.rankproof.newKey(), ...body }, about };
    const name = `${prefix}${String(Date.now()).padStart(15, "0")}.${String(counter++).padStart(6, "0")}.${act.body.key}`;
    const text = JSON.stringify(act);
    try { storage ? storage.setItem(name, text) : memory.set(name, text); } catch { memory.set(name, text); }
    on.change(size());
    flush();
    return act.body.key;
  }

  function size() { return names().length; }

  function waiting() { return names().map(get).filter(Boolean); }

  async function flush() {
    if (working || blocked) return;
    working = true;
    clearTimeout(timer);
    for (let name = names()[0]; name; name = names()[0]) {
      const act = get(name);
      if (act === null) { remove(name); continue; }
      try {
        await window.rankproof.send(`/api/v1/projects/${slug}/${act.kind}`, act.body, "POST", 1);
        remove(name);
        failures = 0;
        on.saved(act);
        on.change(size());
      } catch (error) {
        if (error.status === 401 || error.status === 403) {
          blocked = true; // nothing will be taken until the page is loaded again by somebody who may judge
          on.blocked(error, size());
          break;
        }
        if (error.status >= 400 && error.status < 500 && error.status !== 429 && error.status !== 408) {
          remove(name);
          on.refused(act, error);
          on.change(size());
          continue;
        }
        failures += 1;
        timer = setTimeout(flush, Math.min(15000, 500 * 2 ** Math.min(failures, 5)));
        on.failed(error, size());
        break;
      }
    }
    working = false;
    if (size() === 0) on.empty?.();
  }

  window.addEventListener("online", () => { failures = 0; flush(); });
  window.addEventListener("beforeunload", (event) => {
    if (memory.size) event.preventDefault(); // only what this device does not keep is worth asking
  });

  return { add, flush, size, waiting };
};
