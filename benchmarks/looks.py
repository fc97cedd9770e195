"""Pictures of the pages of judging and comparing, to be looked at: two widths, both color schemes, four scripts.

    python benchmarks/looks.py [FOLDER]

It makes a project in Latin, Japanese, Arabic and Thai, serves it, and leaves a PNG of each page in FOLDER (a new
temporary one unless it is named). Fonts are those of the machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.conftest import BROWSER  # noqa: E402
from tests.web.judging.four_scripts import SHOPS, SLUG, four_scripts  # noqa: E402
from tests.web.judging.workbench import serving, session_cookie  # noqa: E402

from rankproof.judging.records import Judgment  # noqa: E402
from rankproof.judging.store import open_store  # noqa: E402
from rankproof.judging.store.store import Store  # noqa: E402
from rankproof.web.pages._compare_setup import ComparedVariant  # noqa: E402

SIZES = ((1280, 800), (375, 812))


def judged(store: Store, judge: str, query: str) -> None:
    """As if a judge had judged everything but the documents of one query."""
    acts = [
        Judgment(f"{judge}-{name}-{n}".ljust(16, "0"), judge, name, f"{name}-{n}", n % 4)
        for name, _, goods in SHOPS
        for n in range(1, len(goods) + 1)
        if name != query
    ]
    store.judgments.add_many(SLUG, acts)


def main(folder: Path) -> None:
    """Takes every picture."""
    from playwright.sync_api import sync_playwright

    handles = ".".join(ComparedVariant(name).handle for name in ("bm25", "dense", "hybrid"))
    with (
        tempfile.TemporaryDirectory() as made,
        open_store(Path(made) / "looks.db") as store,
        sync_playwright() as playwright,
    ):
        four_scripts(store)
        for name, _, _ in SHOPS:
            judged(store, f"judge-{name}", name)
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        with serving(store) as (app, origin):
            for width, height in SIZES:
                for scheme in ("light", "dark"):
                    context = browser.new_context(
                        viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=width < 500
                    )
                    page = context.new_page()
                    for name, _, _ in SHOPS:
                        context.add_cookies([session_cookie(app, origin, f"judge-{name}", "judge")])
                        stem = f"{name}-{width}-{scheme}"
                        take(page, f"{origin}/p/{SLUG}/judge", folder / f"judge-{stem}.png")
                        url = f"{origin}/p/{SLUG}/compare?v={handles}&names=shown&k=5&q={name}"
                        take(page, url, folder / f"compare-{stem}.png", whole=True)
                    context.add_cookies([session_cookie(app, origin, "judge-la", "judge")])
                    more(page, origin, folder, f"la-{width}-{scheme}")
                    context.close()
        browser.close()
    print(folder)


def take(page: Any, url: str, path: Path, whole: bool = False) -> None:
    """A picture of one page; of all of it where it is longer than the window and `whole` is wanted."""
    page.goto(url)
    page.wait_for_timeout(150)
    page.screenshot(path=path, full_page=whole)


def more(page: Any, origin: str, folder: Path, stem: str) -> None:
    """What keys open on the page of judging, in one script."""
    page.goto(f"{origin}/p/{SLUG}/judge")
    for name, keys in {
        "keys": "?",
        "guidelines": "g",
        "recent": "h",
        "note": "n",
        "meanings": "i",
        "match": "mmm",
    }.items():
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_timeout(250)
        page.screenshot(path=folder / f"judge-{name}-{stem}.png")
        if name in ("keys", "guidelines", "recent", "note"):
            page.keyboard.press("h" if name == "recent" else "Escape")
    take(page, f"{origin}/p/{SLUG}/judge?view=list&query=la", folder / f"list-{stem}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="looks-")))
