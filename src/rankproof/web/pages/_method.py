"""The way judgments are settled, as a page asks for it: an adjudication in the address, with a word for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request

from rankproof.errors import RankproofError
from rankproof.judging.adjudicate import DEFAULT, SOURCES, Adjudicated, adjudicate
from rankproof.judging.records import Judgment, Project
from rankproof.kernel.specs.calls import read_configured
from rankproof.web.problems import Problem

WAYS = (
    (DEFAULT, "Who settled it, else the majority"),
    ("settled(otherwise='median')", "Who settled it, else the median"),
    ("majority", "Majority; ties stay unresolved"),
    ("majority(ties='lower')", "Majority; ties get the lower grade"),
    ("mean", "Mean, to the nearest grade"),
    ("median", "Median"),
    ("newest", "The newest word"),
)


@dataclass(frozen=True, slots=True)
class Method:
    """The chosen method, and the possible ones: texts of adjudications with what they do.

    source   whose judgments count: person, model, clicks, or all
    """

    text: str
    source: str
    ways: tuple[tuple[str, str], ...]

    @property
    def sources(self) -> Sequence[str]:
        """The sources that count."""
        return SOURCES if self.source == "all" else (self.source,)

    @property
    def query(self) -> dict[str, str | None]:
        """The parameters of an address that ask for it; nothing where it is the usual one."""
        return {
            "method": self.text if self.text != DEFAULT else None,
            "source": self.source if self.source != "person" else None,
        }

    def settle(self, judgments: Sequence[Judgment], project: Project) -> Adjudicated:
        """The grades that judgments settle to in this way."""
        return adjudicate(judgments, project.scale, self.text, sources=self.sources, name=project.slug)


def method_of(request: Request, judges: Sequence[str] = ()) -> Method:
    """The method that an address asks for; an error that says what is possible. `judges` may be trusted each alone."""
    method_text, source = (
        request.query_params.get("method", "") or DEFAULT,
        request.query_params.get("source", "person"),
    )
    if source not in (*SOURCES, "all"):
        raise Problem(422, f"No source is called {source[:40]!r}.", f"There are: {', '.join(SOURCES)}, all.")
    try:
        text = read_configured("adjudications", method_text[:1000]).text
    except RankproofError as error:
        raise Problem(422, str(error)) from None
    trusted = tuple(
        (f"trusted(judges={[judge]!r}, otherwise='majority')", f"Trust {judge}, else the majority") for judge in judges
    )
    ways = (*WAYS, *trusted)
    if text not in dict(ways):
        ways = (*ways, (text, text))
    return Method(text, source, ways)
