"""Scale: the grades that judges may give, each with a label and what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.errors import UnknownName, UsageError


@dataclass(frozen=True, slots=True)
class Level:
    """One grade of a scale: its number, the word on its button, and when to give it."""

    grade: int
    label: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """Grades from the least to the greatest, each once; `relevant` is the least grade that counts as relevant."""

    name: str
    levels: tuple[Level, ...]
    relevant: int = 1

    def __post_init__(self) -> None:
        grades = [level.grade for level in self.levels]
        if len(grades) < 2 or grades != sorted(set(grades)):
            raise UsageError(
                f"The scale {self.name!r} has the grades {grades}. "
                "A scale has two grades or more, each once, from the least to the greatest."
            )
        if self.relevant not in grades:
            raise UsageError(f"The scale {self.name!r} calls grade {self.relevant} relevant, which it does not have.")
        if any(not level.label.strip() for level in self.levels):
            raise UsageError(f"The scale {self.name!r} has a grade without a label. Give each grade a word.")

    @property
    def grades(self) -> tuple[int, ...]:
        """The numbers alone."""
        return tuple(level.grade for level in self.levels)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "relevant": self.relevant,
            "levels": [{"grade": v.grade, "label": v.label, "meaning": v.meaning} for v in self.levels],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Scale:
        """From what `to_dict` gave."""
        levels: Sequence[Mapping[str, Any]] = document["levels"]
        return cls(
            document["name"],
            tuple(Level(v["grade"], v["label"], v.get("meaning", "")) for v in levels),
            document.get("relevant", 1),
        )


SCALES: Mapping[str, Scale] = {
    scale.name: scale
    for scale in (
        Scale(
            "binary",
            (
                Level(0, "Not relevant", "It does not help with what was searched for."),
                Level(1, "Relevant", "It helps with what was searched for."),
            ),
        ),
        Scale(
            "graded",
            (
                Level(0, "Not relevant", "It has nothing to do with what was searched for."),
                Level(1, "Related", "It is about the matter but does not answer."),
                Level(2, "Relevant", "It answers in part, or the answer is buried in other things."),
                Level(3, "Perfect", "It is about exactly this and answers in full."),
            ),
        ),
        Scale(
            "esci",
            (
                Level(0, "Irrelevant", "It is not what was searched for, and does not go with it."),
                Level(1, "Complement", "It goes with what was searched for but does not stand in for it."),
                Level(2, "Substitute", "It lacks something that was asked for but can stand in for it."),
                Level(3, "Exact", "It has everything that was asked for."),
            ),
        ),
    )
}


def find_scale(name: str) -> Scale:
    """A scale by its name; an error with the names there are."""
    if name not in SCALES:
        raise UnknownName("scale", name, SCALES)
    return SCALES[name]
