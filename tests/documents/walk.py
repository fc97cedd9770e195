"""A stranger who walks through a door: the commands of its page and nothing else, in a new folder, timed."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.documents.pages import DOCS, Block, blocks, prose
from tests.documents.test_readme import Newcomer
from tests.web.judging.at_the_page import ready

DOORS = {name: DOCS / "doors" / f"{name}.md" for name in ("evaluate", "ship", "judge", "ab-test")}
# The only command of a door that goes on until it is stopped, in a terminal of its own.
SERVE = "rankproof serve judging.db"


def install_line(page: Path) -> str:
    """What the page tells to type first."""
    (line,) = (block.text.strip() for block in blocks(page) if block.language == "sh")
    assert re.fullmatch(r"pip install '?(\.|rankproof)(\[[a-z]+\])?'?", line), line
    return line


def extra(page: Path) -> str:
    """The extra that the page's own line names, with its brackets; "" for none."""
    return "".join(re.findall(r"\[[a-z]+\]", install_line(page)))


class Walker(Newcomer):
    """A newcomer who also serves a store, and judges in a browser what the page says."""

    browser: Any = None
    serving: tuple[str, ...] = ()  # the command that serves, where it is not the one on the path
    seconds = 0.0

    def read(self, page: Path) -> list[str]:
        began, before = time.monotonic(), os.getcwd()
        os.chdir(self.here)
        try:
            return [message for block in blocks(page) for message in self.follow(block)]
        finally:
            os.chdir(before)
            self.seconds = time.monotonic() - began

    def follow(self, block: Block) -> list[str]:
        """Does what one block says."""
        if block.language == "console":
            return self.type(block)
        if block.language == "python":
            return self.run(block)
        if block.language == "text" and block.text.strip() == SERVE:
            self.judge(block.page)
        return []

    def judge(self, page: Path) -> None:
        """Opens the link that the server prints, opens an account, and presses the keys that the page names."""
        told = " ".join(line for _, line in prose(page))
        said = re.search(r"choose a name \(here `(\w+)`\).*? here ((?:`\d` ?)+)", told)
        assert said is not None, f"{page.name} does not say under which name to judge, and with which keys"
        # A free port: 8080 may be taken where tests run.
        command = [*(self.serving or SERVE.split()[:1]), *SERVE.split()[1:], "--port", "0"]
        with subprocess.Popen(
            command, cwd=self.here, env=self.environment, stdout=subprocess.PIPE, text=True
        ) as server:
            try:
                assert server.stdout is not None
                link = next(found[0] for line in server.stdout if (found := re.search(r"http\S+/invitation/\S+", line)))
                grade(self.browser, link, said[1], re.findall(r"\d", said[2]))
            finally:
                server.terminate()


def grade(browser: Any, link: str, name: str, keys: list[str]) -> None:
    """A judge at the page: opens the account that the link offers, and gives a grade for each key."""
    page = browser.new_page()
    page.goto(link)
    page.fill("#name", name)
    page.fill("#password", "a sentence that is long")
    page.get_by_role("button", name="Open the account").click()
    page.get_by_role("link", name="shop", exact=True).click()
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Judge", exact=True).click()
    for key in keys:
        ready(page)
        shown = page.eval_on_selector(".pair", "node => node.dataset.query + '/' + node.dataset.doc")
        page.keyboard.press(key)
        query, doc = shown.split("/")
        page.wait_for_selector(f".pair:not([data-query='{query}'][data-doc='{doc}'])")
    page.locator("#saving", has_text="Saved").wait_for(state="attached")
    page.close()
