"""Hand out: choose pairs by a selection and assign them to judges; looked at first, then done, by every surface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.judging.records import NAMES, Assignment, is_name
from rankproof.judging.rounds.assign import deal, graded_by_people, handed_out, pick
from rankproof.judging.rounds.pool import material_of
from rankproof.kernel.specs.calls import read_configured

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.rounds.assign import Handed
    from rankproof.judging.store.store import Store


@dataclass(frozen=True, slots=True)
class HandOutRequest:
    """Whom, how many pairs, how many of them all judges get, how many judges each of the others, and which pairs.

    overlap    None for a fifth where there are two judges or more
    selection  empty for the project's
    """

    judges: tuple[str, ...]
    pairs: int
    overlap: int | None = None
    each: int = 1
    selection: str = ""
    seed: int = 0

    @property
    def common(self) -> int:
        """How many pairs all judges get."""
        if self.overlap is not None:
            return self.overlap
        return self.pairs // 5 if len(self.judges) > 1 else 0


@dataclass(frozen=True, slots=True)
class HandOut:
    """What would be handed out: nothing is, until `give_out`.

    load    by judge, how many pairs
    after   the project's last assignment when this was chosen
    """

    request: HandOutRequest
    selection: str
    dealt: tuple[Assignment, ...]
    after: int

    @property
    def load(self) -> Mapping[str, int]:
        """How many pairs each judge gets, in the order of the names."""
        return {**dict.fromkeys(self.request.judges, 0), **Counter(one.judge for one in self.dealt)}

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "selection": self.selection,
            "pairs": self.request.pairs,
            "overlap": self.request.common,
            "each": self.request.each,
            "seed": self.request.seed,
            "judgments": len(self.dealt),
            "judges": list(self.request.judges),
        }


def judge_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Names of accounts as they are written; an error for what can be none."""
    names = tuple(text.strip().lower() for text in texts if text.strip())
    if not names:
        raise UsageError("No judge is named. Name one or several, such as ana,bo,cy.")
    for name in names:
        if not is_name(name):
            raise UsageError(f"{name[:80]!r} cannot be the name of an account. Take {NAMES}.")
    return names


def plan_hand_out(store: Store, project: Project, request: HandOutRequest) -> HandOut:
    """The pairs and who gets them. What is gold, was handed out before or is graded is not handed out."""
    if request.pairs < 1:
        raise UsageError(f"One pair or more is handed out; got {request.pairs}.")
    if request.common < 0 or request.each < 1 or request.seed < 0:
        raise UsageError("Overlap and seed are 0 or more, and each pair needs one judge or more.")
    slug = project.slug
    configured = read_configured("selections", request.selection or project.selection)
    after = store.assignments.last(slug)
    acts = store.judgments.current(slug)
    without = {(one.query_id, one.doc_id) for one in store.assignments.all(slug)}
    without |= {(one.query_id, one.doc_id) for one in store.gold.all(slug)}
    # A selection that follows judgments knows what is graded, and may want it again.
    if not configured.item.follows:
        without |= graded_by_people(acts)
    runs = {run.name: store.runs.whole(slug, run.name) for run in store.runs.all(slug)}
    if not runs:
        raise UsageError(f"The project {slug} has no runs to choose from. Add them: rankproof judgments add --run.")
    material = material_of(runs, acts, project.scale, project.wanted)
    chosen = pick(configured, material, request.pairs, without)
    dealt = deal(chosen, request.judges, request.common, request.each, request.seed, configured.text)
    return HandOut(request, configured.text, tuple(dealt), after)


def give_out(store: Store, project: Project, plan: HandOut) -> None:
    """Assigns the pairs of a plan; refused where somebody has assigned others since it was made."""
    store.assignments.add(project.slug, plan.dealt, plan.after)


def left_to_hand_out(store: Store, project: Project, selection: str = "") -> int:
    """How many pairs of a selection are not gold, handed out or graded yet."""
    slug = project.slug
    configured = read_configured("selections", selection or project.selection)
    runs = {run.name: store.runs.whole(slug, run.name) for run in store.runs.all(slug)}
    if not runs:
        return 0
    acts = store.judgments.current(slug)
    without = {(one.query_id, one.doc_id) for one in store.assignments.all(slug)}
    without |= {(one.query_id, one.doc_id) for one in store.gold.all(slug)}
    if not configured.item.follows:
        without |= graded_by_people(acts)
    chosen = configured.item.select(material_of(runs, acts, project.scale, project.wanted), configured.values)
    return sum(one.pair not in without for one in chosen)


def assignments_answered(
    store: Store, project: Project, assignments: Sequence[Assignment] | None = None
) -> tuple[Handed, ...]:
    """How many assigned pairs each judge has answered."""
    gold = {(one.query_id, one.doc_id) for one in store.gold.all(project.slug)} if project.gold > 0 else set()
    rows = store.assignments.all(project.slug) if assignments is None else assignments
    return handed_out(rows, store.judgments.current(project.slug), gold)
