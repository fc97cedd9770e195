"""What the documents point to is there: links, headings, and the files they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.documents.clone import edits
from tests.documents.pages import DOCS, ROOT, anchors, blocks, documents, links, name_of, prose

from rankproof.kernel.shelf import PACKAGES

SOURCE = ROOT / "src" / "rankproof"
every_page = pytest.mark.parametrize("page", documents(), ids=name_of)
# Where a path may begin that a document names: the project, the package, a room, or a shelf that the page is about.
BASES = (ROOT, SOURCE, SOURCE / "measuring", *(ROOT / "src" / name.replace(".", "/") for name in PACKAGES.values()))


@every_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for line, target in links(page):
        if re.match(r"https?://", target):
            continue
        path, _, heading = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.is_relative_to(ROOT), f"{name_of(page)}, line {line}: {target} leads out of the project"
        assert goal.exists(), f"{name_of(page)}, line {line}: {target} is not there"
        if heading:
            assert heading in anchors(goal), f"{name_of(page)}, line {line}: {name_of(goal)} has no #{heading}"


@every_page
def test_every_file_that_is_named_is_there(page: Path) -> None:
    shown = {edit.path for edit in edits(page)}
    named = [
        (line, path)
        for line, text in prose(page)
        for path in re.findall(r"`([\w/.-]*[\w-](?:\.(?:py|hpp|cpp|md|toml)|/))`", text)
    ]
    for line, path in named:
        there = any((base / path).exists() for base in BASES) or path in shown
        assert there, f"{name_of(page)}, line {line}: there is no {path}"


def test_the_map_of_the_package_is_whole() -> None:
    """The architecture page lists every part of the package, and every ring."""
    (listed,) = (b.text for b in blocks(DOCS / "ARCHITECTURE.md") if b.text.startswith("src/rankproof/\n"))
    named = set(re.findall(r"^  ([\w.]+)/?", listed, re.MULTILINE))
    there = {path.name for path in SOURCE.iterdir() if not path.name.startswith("__") and path.name != "py.typed"}
    assert named == there | {"__init__.py"}


def test_every_document_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        for _, target in links(page):
            goal = (page.parent / target.partition("#")[0]).resolve()
            goal = goal / "README.md" if goal.is_dir() else goal
            if goal.suffix == ".md" and goal.exists():
                waiting.append(goal)
    assert {name_of(page) for page in documents()} - {name_of(page) for page in seen} == set()
