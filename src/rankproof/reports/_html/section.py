"""Section: a part of the page under a heading, with the question it answers."""

from __future__ import annotations

from dataclasses import dataclass

from rankproof.reports._html.markup import Piece, Safe, tag


@dataclass(frozen=True, slots=True)
class Section:
    """`key` is its anchor, `title` its heading and its entry in the contents, `lede` the question it answers."""

    key: str
    title: str
    lede: Piece
    inside: tuple[Piece, ...]

    def html(self) -> Safe:
        """The section element."""
        return tag(
            "section",
            tag("h2", self.title, id=f"{self.key}-title"),
            tag("p", self.lede, class_="lede") if self.lede else None,
            *self.inside,
            id=self.key,
            aria_labelledby=f"{self.key}-title",
        )
