"""Writes docs/images: the HTML reports of the sample, as a browser shows them in light and in dark.

Needs playwright and a Chromium on the path: `python docs/screenshots.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "src/rankproof/stack/samples/rankings"
IMAGES = ROOT / "docs" / "images"
WIDTH = 1160

COMPARE = [
    "compare", "qrels.trec", "bm25.run", "dense.run", "hybrid.run", "-m", "nDCG@10 RR@10 R@20",
    "--topics", "topics.tsv", "--queries", "queries.csv", "--by", "traffic", "--html",
]  # fmt: skip
GATE = ["gate", "policy.toml", "--candidate", "dense.run", "--html"]


def main() -> int:
    """Make both reports in a folder that is thrown away, and photograph them."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        sys.exit("There is no Chromium on the path. Install chromium or google-chrome.")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report, gate = Path(folder, "report.html"), Path(folder, "gate.html")
        for command, path in ((COMPARE, report), (GATE, gate)):
            said = [sys.executable, "-m", "rankproof", *command, str(path)]
            subprocess.run(said, cwd=SAMPLE, check=False, stdout=subprocess.DEVNULL)
        window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        _photograph(window, report, "light", "report-light.png", _top)
        _photograph(window, report, "dark", "report-dark.png", _queries)
        _photograph(window, gate, "light", "report-gate.png", _top)
        window.close()
    return 0


def _photograph(window: Any, path: Path, scheme: str, name: str, go: Any) -> None:
    page = window.new_page(viewport={"width": WIDTH, "height": 1300}, color_scheme=scheme)
    page.goto(path.as_uri())
    go(page)
    page.screenshot(path=IMAGES / name)
    page.close()


def _top(page: Any) -> None:
    page.evaluate("scrollTo(0, 0)")


def _queries(page: Any) -> None:
    """The queries, the first one opened, with the pointer on the one that lost most."""
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.evaluate("scrollTo(0, document.querySelector('#queries').offsetTop + 20)")
    page.locator("#query-table details summary").first.click()
    page.locator("figure.choice:visible .wide svg [data-row]").last.hover()


if __name__ == "__main__":
    sys.exit(main())
