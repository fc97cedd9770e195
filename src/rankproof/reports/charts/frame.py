"""What all charts share: colors by their meaning, width and font.

Blue is better and orange is worse: color-blind people can tell these two apart. Whatever color shows is
also written in words. Every text color has a contrast of at least 4.5 with its ground (WCAG 2, AA).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from rankproof.kernel.sections import printable


@dataclass(frozen=True, slots=True)
class Palette:
    """Colors by their meaning.

    ramp      from the greatest grade to the least that is above 0; `on_ramp` is readable on each
    nothing   grade 0 and below
    """

    page: str
    raised: str
    ink: str
    muted: str
    line: str
    grid: str
    better: str
    worse: str
    neutral: str
    reach: str  # ranges from unjudged documents: behind everything
    link: str
    ramp: tuple[str, ...]
    on_ramp: tuple[str, ...]
    nothing: str
    on_nothing: str
    unjudged: str
    on_unjudged: str


LIGHT = Palette(
    page="#ffffff", raised="#f6f7f9", ink="#1b1f24", muted="#57606a", line="#d4d9df", grid="#e9ecf0",
    better="#1264a3", worse="#b4490b", neutral="#69737d", reach="#ced6df", link="#0b5cad",
    ramp=("#0b3c68", "#1264a3", "#3f8ac4", "#79b0db", "#a9cdea", "#d0e4f4"),
    on_ramp=("#ffffff", "#ffffff", "#0c1116", "#0c1116", "#0c1116", "#0c1116"),
    nothing="#e7dccf", on_nothing="#3b2f22", unjudged="#b9bfc6", on_unjudged="#1b1f24",
)  # fmt: skip

DARK = Palette(
    page="#12161b", raised="#1a1f26", ink="#e6eaee", muted="#9aa5b1", line="#343c46", grid="#252c34",
    better="#63b3f2", worse="#f2995a", neutral="#98a3ae", reach="#3a4450", link="#7cbcf5",
    ramp=("#cfe7fb", "#9bcdf5", "#63aee8", "#3a86c4", "#2a6699", "#204b70"),
    on_ramp=("#0c1116", "#0c1116", "#0c1116", "#0c1116", "#ffffff", "#ffffff"),
    nothing="#4f4436", on_nothing="#f3e9dc", unjudged="#5a646f", on_unjudged="#ffffff",
)  # fmt: skip


def _named() -> dict[str, Any]:
    """The same names as variables of the page's style sheet."""
    found: dict[str, Any] = {}
    for field in fields(Palette):
        value = getattr(LIGHT, field.name)
        name = field.name.replace("_", "-")
        several = isinstance(value, tuple)
        found[field.name] = tuple(f"var(--{name}-{i})" for i in range(len(value))) if several else f"var(--{name})"
    return found


# In a page the style sheet decides, so that one drawing serves light, dark and print.
PAGE = Palette(**_named())

# In a notebook nothing is known of the ground: text takes the notebook's own color, marks lie in the middle.
NOTEBOOK = Palette(
    page="transparent", raised="transparent", ink="currentColor", muted="currentColor", line="#8a939c80",
    grid="#8a939c33", better="#2f86cc", worse="#d5722a", neutral="#87919b", reach="#8a939c66", link="#2f86cc",
    ramp=("#1d5c92", "#2f79b8", "#4c94cf", "#6fabda", "#93c1e5", "#b5d5ee"),
    on_ramp=("#ffffff", "#ffffff", "#0c1116", "#0c1116", "#0c1116", "#0c1116"),
    nothing="#b09a80", on_nothing="#0c1116", unjudged="#9aa3ac", on_unjudged="#0c1116",
)  # fmt: skip


def declarations(palette: Palette) -> str:
    """The colors as custom properties of a style sheet: `--ink:#1b1f24;...`."""
    lines = []
    for field in fields(palette):
        value = getattr(palette, field.name)
        name = field.name.replace("_", "-")
        several = enumerate(value) if isinstance(value, tuple) else ()
        lines += [f"--{name}-{i}:{color};" for i, color in several] or [f"--{name}:{value};"]
    return "".join(lines)


FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, system-ui, sans-serif"
# Below this width there is room for marks and short labels only.
NARROW = 480


@dataclass(frozen=True, slots=True)
class ChartStyle:
    """How a chart is drawn: its colors, its whole width in pixels, and whether it says its own title."""

    palette: Palette = LIGHT
    width: int = 760
    titled: bool = True

    @property
    def narrow(self) -> bool:
        """Whether it is for a phone."""
        return self.width < NARROW

    @property
    def label_limit(self) -> int:
        """The most pixels that a label beside the plot may take."""
        return round(self.width * 0.3)


def labels(names: Iterable[str]) -> list[str]:
    """Names as one line each, no two the same: a chart would lay rows of one name over each other."""
    unique: dict[str, None] = {}
    for name in names:
        plain = printable(name) or "(no name)"
        text, number = plain, 2
        while text in unique:
            text, number = f"{plain} ({number})", number + 1
        unique[text] = None
    return list(unique)
