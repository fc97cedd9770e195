"""Material: what a selection looks at, from the runs of a project and the judgments that hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.flow.adjudicating import adjudicate
from rankproof.records.judging import Judgment
from rankproof.records.scale import Scale
from rankproof.selections._contract import Material, Rankings


def material_of(runs: Mapping[str, Rankings], judgments: Sequence[Judgment], scale: Scale, wanted: int = 1) -> Material:
    """The material of a selection. A pair counts as judged once `wanted` people have graded it."""

    def worths(names: Sequence[str], measure: str) -> dict[tuple[str, str], float]:
        return _worths([runs[name] for name in names], judgments, scale, wanted, measure)

    return Material(runs, judgments, worths)


def _worths(
    runs: Sequence[Rankings], judgments: Sequence[Judgment], scale: Scale, wanted: int, measure: str
) -> dict[tuple[str, str], float]:
    from rankproof.flow.proposing import propose

    graded = [act for act in judgments if act.grade is not None and act.source.kind == "person"]
    many = Counter((act.query_id, act.doc_id) for act in graded)
    enough = [act for act in graded if many[act.query_id, act.doc_id] >= wanted]
    # A query without judgments is there too: without it nothing would ever be asked about it.
    qrels: dict[str, dict[str, int]] = {query: {} for ranked in runs for query in ranked}
    for pair in adjudicate(enough, scale, "majority(ties='lower')").pairs:
        if pair.grade is not None:
            qrels.setdefault(pair.query_id, {})[pair.doc_id] = pair.grade
    given: list[Any] = [{query: list(docs) for query, docs in ranked.items()} for ranked in runs]
    found = propose(qrels, given, measure, None, top_grade=max(0, *scale.grades))
    return {(one.query_id, one.doc_id): one.worth for one in found.wanted}
