"""Project: what is judged, on which scale, by which rules: everything a judge needs beside the documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rankproof.errors import UsageError
from rankproof.records.scale import SCALES, Scale


@dataclass(frozen=True, slots=True)
class Template:
    """How a document is shown: which of its fields is the title, the texts, the picture and the link."""

    title: str = "title"
    texts: tuple[str, ...] = ("text",)
    image: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """One body of judging. A change is another revision; none is overwritten.

    wanted     how many judges each pair should have
    selection  what is judged next, as text: `depth_pool(depth=10)`
    gold       share of the questions, 0 to 1, whose answer is known and watches over quality
    pipelines  a benchmark configuration whose modes answer typed queries; empty for none
    """

    slug: str
    name: str
    scale: Scale = field(default_factory=lambda: SCALES["graded"])
    guidelines: str = ""
    template: Template = Template()
    wanted: int = 1
    selection: str = "depth_pool(depth=10)"
    gold: float = 0.0
    pipelines: str = ""

    def __post_init__(self) -> None:
        if not self.slug or not all(c.isascii() and (c.isalnum() or c in "-_") for c in self.slug):
            raise UsageError(f"A project is named by letters, digits, - and _ ; got {self.slug!r}.")
        if self.wanted < 1:
            raise UsageError(f"Each pair needs one judge or more; got {self.wanted}.")
        if not 0 <= self.gold <= 1:
            raise UsageError(f"The share of gold questions is from 0 to 1; got {self.gold}.")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(replace(self, scale=SCALES["graded"])), "scale": self.scale.to_dict()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Project:
        """From what `to_dict` gave."""
        shown = dict(document["template"])
        template = Template(**{**shown, "texts": tuple(shown["texts"])})
        return cls(**{**document, "scale": Scale.from_dict(document["scale"]), "template": template})
