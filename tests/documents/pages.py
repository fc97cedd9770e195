"""The documents of the project as tests see them: fenced blocks, headings, links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def documents() -> list[Path]:
    """Every document, the README first."""
    return [*sorted(ROOT.glob("*.md"), key=lambda path: path.name != "README.md"), *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    """What to call a document in a message."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of its fence, and the last line of prose above it."""

    page: Path
    line: int
    language: str
    text: str
    above: str

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}, line {self.line}"


@cache
def _parts(page: Path) -> tuple[tuple[Block, ...], tuple[tuple[int, str], ...]]:
    """The fenced blocks, and the (number, line) of all prose around them."""
    found: list[Block] = []
    prose: list[tuple[int, str]] = []
    inside: list[str] | None = None
    language, opened, above = "", 0, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```"):
            if inside is None:
                inside, language, opened = [], line[3:].strip(), number
            else:
                found.append(Block(page, opened, language, "".join(f"{text}\n" for text in inside), above))
                inside = None
        elif inside is not None:
            inside.append(line)
        else:
            prose.append((number, line))
            above = line.strip() or above
    assert inside is None, f"{name_of(page)}, line {opened}: the block is never closed"
    return tuple(found), tuple(prose)


def blocks(page: Path) -> tuple[Block, ...]:
    """The fenced blocks of a document, from top to bottom."""
    return _parts(page)[0]


def prose(page: Path) -> tuple[tuple[int, str], ...]:
    """(number, line) of what stands outside fenced blocks."""
    return _parts(page)[1]


def headings(page: Path) -> list[str]:
    """The headings, as written."""
    return [line.lstrip("#").strip() for _, line in prose(page) if re.match(r"#{1,6} ", line)]


def anchors(page: Path) -> set[str]:
    """What a link to a heading of this document may say, as GitHub makes it."""
    seen: dict[str, int] = {}
    found = set()
    for heading in headings(page):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).casefold()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(slug if slug not in seen else f"{slug}-{seen[slug]}")
        seen[slug] = seen.get(slug, 0) + 1
    return found


def links(page: Path) -> list[tuple[int, str]]:
    """(line, target) of every link in the prose; what stands between backticks is not one."""
    found = []
    for number, line in prose(page):
        plain = re.sub(r"`[^`]*`", "``", line)
        found += [(number, target) for target in re.findall(r"\]\(([^)\s]+)\)", plain)]
    return found
