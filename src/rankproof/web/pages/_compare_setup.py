"""What is compared, and how: the variants, whether their names are seen, the queries; all of it in the address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from starlette.requests import Request

from rankproof.errors import RankproofError
from rankproof.judging.preferences import shuffled
from rankproof.judging.records import Project
from rankproof.web.context import app_context
from rankproof.web.live import live_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import address

Names = Literal["shown", "after", "hidden"]
NAMES: Mapping[Names, str] = {
    "shown": "Show the names",
    "after": "Hide the names and shuffle the sides; show them once the preference is given",
    "hidden": "Hide the names and shuffle the sides, until the summary",
}
DEPTHS = (5, 10, 20)
FEWEST, MOST = 2, 4
LIVE = "live:"  # before the name of a pipeline that answers now; stored runs have their own names


@dataclass(frozen=True, slots=True)
class ComparedVariant:
    """A stored run, or a configured pipeline: then its name begins with `live:`."""

    name: str
    live: bool = False

    @property
    def mode(self) -> str:
        """The pipeline's name in its configuration."""
        return self.name.removeprefix(LIVE)

    @property
    def handle(self) -> str:
        """What stands for it in addresses, which judges see: it does not say the name."""
        return sha256(f"rankproof variant 1\n{self.live}\n{self.name}".encode("utf-8", "replace")).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class Setup:
    """One round of comparing. `key` names the query set, `k` is how many results are shown."""

    slug: str
    variants: tuple[ComparedVariant, ...]
    names: Names = "shown"
    key: str = ""
    k: int = 10
    seed: int = 0

    @property
    def called(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(variant.name for variant in self.variants)

    @property
    def fields(self) -> dict[str, str]:
        """The setup as fields of a form or of an address."""
        handles = ".".join(variant.handle for variant in self.variants)
        return {"v": handles, "names": self.names, "set": self.key, "k": str(self.k), "seed": str(self.seed)}

    def url(self, query_id: str | None = None, path: str = "") -> str:
        """The address of a query in this round, or of another page about it."""
        return address(f"/p/{self.slug}/compare{path}", **self.fields, q=query_id)

    def sides(self, judge: str, query_id: str) -> tuple[ComparedVariant, ...]:
        """The variants from the first side to the last: as chosen, or shuffled where names are hidden."""
        if self.names == "shown":
            return self.variants
        by_name = {variant.name: variant for variant in self.variants}
        return tuple(by_name[name] for name in shuffled(by_name, judge, query_id, self.seed))


@dataclass(frozen=True, slots=True)
class Offered:
    """What can be compared in a project, and what is wrong with its pipelines where something is."""

    variants: tuple[ComparedVariant, ...]
    problem: Problem | None = None


def offered(request: Request, project: Project) -> Offered:
    """The stored runs, then the configured pipelines."""
    runs = tuple(ComparedVariant(run.name) for run in app_context(request).store.runs.all(project.slug))
    if not project.pipelines:
        return Offered(runs)
    try:
        modes = live_of(request).stack(project.pipelines).config.modes
    except RankproofError as error:
        problem = understood(error)
        if problem is None:
            raise
        return Offered(runs, problem)
    return Offered((*runs, *(ComparedVariant(f"{LIVE}{mode}", live=True) for mode in modes)))


def read_setup(request: Request, project: Project, variants: Sequence[ComparedVariant]) -> Setup | None:
    """The setup in an address; None where it names no variant. An error where it cannot be."""
    parameters = request.query_params
    handles = {handle for text in parameters.getlist("v") for handle in text.split(".") if handle}
    if not handles:
        return None
    chosen = tuple(variant for variant in variants if variant.handle in handles)
    if len(chosen) < len(handles):
        raise Problem(404, "A variant of this comparison is not there any more.", "Choose again what to compare.")
    if not FEWEST <= len(chosen) <= MOST:
        raise Problem(422, f"{len(chosen)} variants are chosen.", "Choose two, three or four.")
    names: Names = next((name for name in NAMES if name == parameters.get("names")), "shown")
    return Setup(
        project.slug,
        chosen,
        names,
        parameters.get("set", ""),
        _whole(parameters.get("k"), DEPTHS, 10),
        _whole(parameters.get("seed"), None, 0),
    )


def _whole(text: str | None, allowed: Iterable[int] | None, otherwise: int) -> int:
    if text is None or not (text.isascii() and text.isdigit()) or len(text) > 9:
        return otherwise
    number = int(text)
    return number if allowed is None or number in allowed else otherwise
