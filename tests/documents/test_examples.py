"""Every example in the documents runs, and gives what the document shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.documents.pages import Block, blocks, documents, name_of
from tests.documents.reader import Reader, agrees, commands, is_file
from tests.documents.walk import DOORS

LANGUAGES = {"console", "math", "python", "sh", "text", "toml", "yaml"}
# These have tests of their own.
ELSEWHERE = {"README.md", "docs/tutorial-search-api.md", "docs/first-search.md", "docs/offline-to-online.md"} | set(
    map(name_of, DOORS.values())
)
WITH_EXAMPLES = [
    page
    for page in documents()
    if name_of(page) not in ELSEWHERE and any(b.language in ("console", "python") for b in blocks(page))
]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_page_run_and_give_what_it_shows(page: Path, tmp_path: Path) -> None:
    wrong = Reader(tmp_path).read(page)
    if page.parent.name == "engines" and (
        lacking := re.search(r"needs the library '[\w-]+', which is not installed", "".join(wrong))
    ):
        pytest.skip(f"{page.stem} {lacking[0]}")
    assert not wrong, "\n\n".join(wrong)


def all_blocks() -> list[Block]:
    return [block for page in documents() for block in blocks(page)]


def test_every_block_says_its_language() -> None:
    assert [block.place for block in all_blocks() if block.language not in LANGUAGES] == []


def test_nothing_escapes_by_its_language() -> None:
    """A command of ours stands in a console block, where it runs; what installs and builds stands in sh."""
    makefile = (documents()[0].parent / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for block in all_blocks():
        if block.language == "sh":
            for line in block.text.splitlines():
                word, *rest = line.partition("#")[0].split()
                if word == "rankproof" and block.place.startswith("docs/engines/"):
                    continue  # tests/documents/test_engine_configs.py runs these
                assert word in ("pip", "make", "git", "cd", "docker"), f"{block.place}: {line}"
                if word == "make":
                    assert set(rest) <= targets, f"{block.place}: the Makefile has no {rest}"
        elif block.language == "text":
            assert not re.search(r"^(\$|>>>) ", block.text, re.MULTILINE), block.place


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one\ntwo\n```\n\n```python\n>>> 1 + 1\n3\n```\n")
    shown, summed = blocks(page)
    assert not is_file(shown)
    reader = Reader(tmp_path)
    assert len(reader.type(shown)) == 1
    assert len(reader.run(summed)) > 0
    assert commands(shown) == [("echo one", "two\n")]
    assert agrees("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not agrees("a\n...\nd\n", "b\nc\nd\n")
    assert not agrees("a\n", "a\nb\n")
