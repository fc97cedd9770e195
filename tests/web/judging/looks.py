"""How a page behaves in a real browser: accessibility, width, colors of both schemes, nothing broken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# Each width and each scheme once; all of their pairs in the full form.
every_look = pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (375, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.full),
        pytest.param(375, "light", marks=pytest.mark.full),
    ],
)


@contextmanager
def opened(browser: Any, cookie: dict[str, Any] | None, width: int = 1280, scheme: str = "light") -> Iterator[Any]:
    """A page whose complaints end the test: errors, refused content, and anything on the console."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    if cookie is not None:
        context.add_cookies([cookie])
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    assert wrong == [], wrong  # this module is no test: pytest would not say what was wrong
    context.close()


def faults(page: Any) -> list[str]:
    """What axe finds that is serious or worse."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def overflow(page: Any) -> int:
    """How many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))
