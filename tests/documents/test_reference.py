"""The reference is what docs/generate.py makes of the code today, and every shelf item has its heading in it."""

from __future__ import annotations

import runpy
from typing import Any

import pytest
from tests.documents.pages import DOCS, anchors, headings, links

from rankproof.kernel import shelf

REFERENCE = DOCS / "reference"
GENERATE: dict[str, Any] = runpy.run_path(str(DOCS / "generate.py"))
MADE: dict[str, str] = GENERATE["pages"]()
ENGINES: dict[str, str] = runpy.run_path(str(DOCS / "engine_pages.py"))["pages"]()


def test_the_stored_pages_are_the_ones_that_are_made() -> None:
    assert {path.name for path in REFERENCE.iterdir()} == set(MADE), "run: make docs"


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_stored_page_is_the_one_that_is_made(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == MADE[name], "run: make docs"


def test_the_stored_pages_of_engines_are_the_ones_that_are_made() -> None:
    assert {path.name for path in (DOCS / "engines").glob("*.md")} == set(ENGINES), "run: make docs"
    assert {path.stem for path in (DOCS / "engines").glob("*.md")} == {"index", *shelf.offered("engines")}


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_the_stored_page_of_an_engine_is_the_one_that_is_made(name: str) -> None:
    assert (DOCS / "engines" / name).read_text(encoding="utf-8") == ENGINES[name], "run: make docs"


def test_the_same_text_is_made_twice() -> None:
    assert GENERATE["pages"]() == MADE


@pytest.mark.parametrize("kind", sorted(shelf.KINDS))
def test_every_item_of_a_shelf_has_its_heading_and_its_line_in_the_table(kind: str) -> None:
    page = REFERENCE / f"{kind}.md"
    for name, item in shelf.offered(kind).items():
        assert item.summary.endswith("."), f"{name}: its line in the table breaks off"
        assert headings(page).count(name) == 1, name
        assert any(target == f"#{GENERATE['anchor'](name)}" for _, target in links(page)), name
        assert GENERATE["anchor"](name) in anchors(page)


def test_every_command_has_its_heading() -> None:
    from rankproof.cli.shared.root import cli

    commands = {f"rankproof {name}" for name in cli.list_commands(None)}
    assert commands <= set(headings(REFERENCE / "cli.md"))
    assert {"rankproof runs validate", "rankproof qrels validate"} <= set(headings(REFERENCE / "cli.md"))


def test_a_docstring_becomes_markdown() -> None:
    text = (
        "What <it> is.\n\nA x B * C, `a*b`:\n\nrange: 0 to 1\nsource: Somebody,\n    Somewhere\n\n"
        ">>> 1 + 1\n2\n\n    a layout\n      deeper\n"
    )
    assert list(GENERATE["markdown"](text)) == [
        "What &lt;it> is.",
        "A x B \\* C, `a*b`:",
        "- **range**: 0 to 1\n- **source**: Somebody,\n  Somewhere",
        "```python\n>>> 1 + 1\n2\n```",
        "```text\na layout\n  deeper\n```",
    ]
