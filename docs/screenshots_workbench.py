"""Writes docs/images of the workbench: the round of docs/judging-round.md, as a browser shows it.

The commands of that page are run in a folder that is thrown away; then the store they leave is served and looked at.
Needs playwright and a Chromium on the path: `python docs/screenshots_workbench.py`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "judging-round.md"
DESK, PHONE = {"width": 1160, "height": 860}, {"width": 375, "height": 720}
LARGEST = 200_000  # bytes
# The same pairs once more, for dee to begin with, who settled the others; and two reports for Explore.
MORE = (
    "judgments init judging.db --project again --title 'Shop search' --scale esci --guidelines rules.txt"
    " --dataset sample:shop --run fields=fetched/runs/fields.run --selection 'depth_pool(depth=5)'",
    "judgments assign judging.db --project again --judges dee --pairs 245",
    "compare qrels.trec fetched/runs/titles.run fetched/runs/fields.run -m nDCG@5 -q --json -o compared.json",
    "evaluate qrels.trec fetched/runs/fields.run -m nDCG@5 --save fields.json",
    "judgments keep judging.db --project shop compared.json fields.json",
)


def main() -> int:
    """Play the page, serve what it leaves, and photograph it."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        sys.exit("There is no Chromium on the path. Install chromium or google-chrome.")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        here = _play(Path(folder))
        with _serving(here) as link, sync_playwright() as playwright:
            window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            signed_in = _sign_in(window, link)
            origin = link.partition("/invitation/")[0]
            for name, view, scheme, look in (
                ("judge-light.png", DESK, "light", _judge),
                ("judge-phone-dark.png", PHONE, "dark", _judge),
                ("compare-blind.png", DESK, "light", _compare),
                ("settle-light.png", DESK, "light", _settle),
                ("explore-dark.png", DESK, "dark", _explore),
            ):
                context = window.new_context(viewport=view, color_scheme=scheme, storage_state=signed_in)
                page = context.new_page()
                look(page, f"{origin}/p")
                page.screenshot(path=IMAGES / name)
                context.close()
                size = (IMAGES / name).stat().st_size
                print(f"{name}: {size:,} bytes")
                assert size < LARGEST, f"{name} is too large for a page"
            window.close()
    return 0


def _play(folder: Path) -> Path:
    """The store that the page's reader is left with, and a little more."""
    sys.path.insert(0, str(ROOT))
    from tests.documents.reader import Reader

    reader = Reader(folder)
    wrong = reader.read(PAGE)
    if wrong:
        sys.exit("\n\n".join(wrong))
    for line in MORE:
        subprocess.run([sys.executable, "-m", "rankproof", *shlex.split(line)], cwd=reader.here, check=True)
    return reader.here


@contextmanager
def _serving(here: Path) -> Iterator[str]:
    """The server, while it runs; gives the link that opens the first account."""
    command = [sys.executable, "-m", "rankproof", "serve", "judging.db", "--port", "0"]
    server = subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield next(found[0] for line in server.stdout if (found := re.search(r"http\S+/invitation/\S+", line)))
    finally:
        server.terminate()
        server.wait(20)


def _sign_in(window: Any, link: str) -> Any:
    context = window.new_context()
    page = context.new_page()
    page.goto(link)
    page.fill("#name", "dee")
    page.fill("#password", "a sentence that is long enough")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Shop search")
    state = context.storage_state()
    context.close()
    return state


def _judge(page: Any, projects: str) -> None:
    """After two grades, the right ones, so that there is progress to see and something to undo."""
    from rankproof.reading.datasets.read import read_dataset

    right = read_dataset("sample:shop").qrels.to_dict()
    page.goto(f"{projects}/again/judge")
    for _ in range(2):
        before = page.inner_text("#item")
        query, doc = (page.get_attribute("#item .pair", f"data-{name}") for name in ("query", "doc"))
        page.keyboard.press(str(right[query].get(doc, 0)))
        page.wait_for_function("text => document.querySelector('#item').innerText !== text", arg=before)
    page.wait_for_timeout(500)


def _compare(page: Any, projects: str) -> None:
    """Names hidden until a side is preferred; a result is picked."""
    page.goto(f"{projects}/shop/compare")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector(".side")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("x")
    page.wait_for_selector(".picked")
    page.wait_for_selector("#status:empty", state="attached")


def _settle(page: Any, projects: str) -> None:
    page.goto(f"{projects}/shop/settle")


def _explore(page: Any, projects: str) -> None:
    page.goto(f"{projects}/shop/explore/query?query=q32&against=titles")


if __name__ == "__main__":
    sys.exit(main())
