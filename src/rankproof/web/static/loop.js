// Models: how far the running job is, every two seconds; when it is over, the page is loaded again.
"use strict";

(() => {
  const job = document.getElementById("job");
  if (!job) return;
  const bar = job.querySelector("progress");

  async function look() {
    try {
      const answer = await fetch(job.dataset.job, { headers: { Accept: "application/json" } });
      const newest = (await answer.json()).jobs?.[0];
      if (!newest || newest.state !== "running") { location.reload(); return; }
      bar.max = newest.total || 1;
      bar.value = newest.done;
      document.getElementById("done").textContent = newest.done.toLocaleString("en");
      document.getElementById("total").textContent = newest.total.toLocaleString("en");
    } catch { /* the server is away for a moment: asked again */ }
    setTimeout(look, 2000);
  }
  setTimeout(look, 1000);
})();
