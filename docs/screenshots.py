"""Writes docs/images: the HTML reports of the sample, as a browser shows them on a desk and a phone, light and dark.

Needs playwright, pillow and a Chromium on the path: `python docs/screenshots.py`.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "src/rankproof/stack/samples/rankings"
IMAGES = ROOT / "docs" / "images"
SIZES = {"1280": (1280, 800), "375": (375, 812)}
SCHEMES = ("light", "dark")

COMPARE = [
    "compare", "qrels.trec", "bm25.run", "dense.run", "hybrid.run", "-m", "nDCG@10 RR@10 R@20",
    "--topics", "topics.tsv", "--queries", "queries.csv", "--by", "traffic", "--html",
]  # fmt: skip
GATE = ["gate", "policy.toml", "--candidate", "dense.run", "--html"]


def main() -> int:
    """Make the reports in a folder that is thrown away, and photograph them."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        sys.exit("There is no Chromium on the path. Install chromium or google-chrome.")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = _reports(Path(folder))
        window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for kind, path in pages.items():
            for width, size in SIZES.items():
                for scheme in SCHEMES:
                    _photograph(window, path, size, scheme, f"report-{kind}-{width}-{scheme}.png")
        _photograph(window, pages["benchmark"], (1280, 900), "light", "report-query.png", _opened)
        # For the top of the README.
        _photograph(window, pages["compare"], (1280, 720), "light", "report.png")
        window.close()
    return 0


def _reports(folder: Path) -> dict[str, Path]:
    """A benchmark, a comparison and a gate of the sample."""
    pages = {"compare": folder / "compare.html", "gate": folder / "gate.html"}
    commands = [["demo", "-o", str(folder / "demo")], [*COMPARE, str(pages["compare"])], [*GATE, str(pages["gate"])]]
    for command in commands:
        called = [sys.executable, "-m", "rankproof", *command]
        subprocess.run(called, cwd=SAMPLE, check=False, stdout=subprocess.DEVNULL)
    return {"benchmark": folder / "demo" / "BenchmarkReport.html", **pages}


def _photograph(window: Any, path: Path, size: tuple[int, int], scheme: str, name: str, go: Any = None) -> None:
    page = window.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.goto(path.as_uri())
    if go is not None:
        go(page)
    _small(page.screenshot(), IMAGES / name)
    page.close()


def _small(png: bytes, path: Path) -> None:
    """Writes the picture with a palette of its colors: a page has few, and the file is a third as large."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


def _opened(page: Any) -> None:
    """One of the queries that won most, which both systems answered, opened by a click on its bar."""
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.locator("figure.choice:visible .wide svg [data-row]").nth(1).click()
    page.mouse.move(2, 2)
    page.evaluate("scrollBy(0, -8)")


if __name__ == "__main__":
    sys.exit(main())
