"""A model's first pass: its grade shown to a judge before theirs, where nothing is measured by the judge's own.

A grade that somebody gave with the model's in view says little about the model: people follow what they see. So
suggestions are off until a project names the model judge, and these pairs never show any:
  * a share of all pairs, drawn by their ids, on which the model can be held against people at any time;
  * gold questions, and pairs that more than one person is to grade, which tell how far people agree;
  * pairs that a judge sees again after a grade of their own.
What is given with a suggestion in view carries the source `SUGGESTED`; agreement and calibration leave it out.
source: Jakesch et al., Co-writing with opinionated language models affects users' views, CHI 2023 (people follow);
    Faggioli et al., Perspectives on large language models for relevance judgment, ICTIR 2023 (models before people)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from rankproof.judging.records import PERSON, SUGGESTED, Judgment, JudgmentSource, Project
from rankproof.judging.store.store import Store

Pair = tuple[str, str]
_OF = 2**64


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a model says about a pair, to be shown to a person.

    judge   the model judge's name
    key     names the model's act
    """

    judge: str
    key: str
    grade: int
    label: str
    note: str = ""


def suggestion_for(store: Store, project: Project, judge: str, pair: Pair) -> Suggestion | None:
    """What a judge may see of the model's grade for a pair; None where nothing is to be seen."""
    if not project.suggests or project.suggests == judge or is_unseen(project, pair) or project.wanted > 1:
        return None
    query, doc = pair
    acts = store.judgments.current(project.slug, query_id=query, doc_id=doc)
    said = next((act for act in acts if act.judge == project.suggests and act.source.kind == "model"), None)
    if said is None or said.grade is None or _has_graded(acts, judge) or _is_measured(store, project, pair):
        return None
    label = next((level.label for level in project.scale.levels if level.grade == said.grade), "")
    return Suggestion(said.judge, said.key, said.grade, label, said.note)


def is_unseen(project: Project, pair: Pair) -> bool:
    """Whether a pair belongs to the share that shows no suggestions; the same pairs at all times and for all judges."""
    text = "\0".join(("unseen", project.slug, *pair)).encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(text).digest()[:8], "big") < project.unseen * _OF


def _has_graded(acts: list[Judgment], judge: str) -> bool:
    return any(act.judge == judge and act.source.alone and act.grade is not None for act in acts)


def _is_measured(store: Store, project: Project, pair: Pair) -> bool:
    """Whether the pair is gold, or was handed to several people by name."""
    if any((answer.query_id, answer.doc_id) == pair for answer in store.gold.all(project.slug)):
        return True
    return len({one.judge for one in store.assignments.of_pair(project.slug, *pair)} - {""}) > 1


def source_of_grade(store: Store, project: Project, judge: str, pair: Pair, seen: str = "") -> JudgmentSource:
    """Where a person's grade comes from: `SUGGESTED` where a suggestion is or was to be seen, or `seen` names one."""
    if not project.suggests and not seen:
        return PERSON
    before = store.judgments.history(project.slug, judge=judge, query_id=pair[0], doc_id=pair[1])
    if seen or any(act.source == SUGGESTED for act in before):
        return SUGGESTED
    return PERSON if suggestion_for(store, project, judge, pair) is None else SUGGESTED


@dataclass(frozen=True, slots=True)
class ModelDisagreement:
    """A pair that a model and people grade differently.

    people   each person's grade, given alone
    apart    the greatest difference
    """

    query_id: str
    doc_id: str
    model: str
    grade: int
    people: Mapping[str, int]
    apart: int
    note: str = ""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "query_id": self.query_id,
            "doc_id": self.doc_id,
            "model": self.model,
            "grade": self.grade,
            "people": dict(self.people),
            "apart": self.apart,
            "note": self.note,
        }


def model_disagreements(store: Store, project: Project) -> list[ModelDisagreement]:
    """Where models and people differ, the widest apart first; people's grades count that were given alone."""
    held = store.judgments.current(project.slug, settling=False)
    people: dict[Pair, dict[str, int]] = {}
    for act in held:
        if act.source.kind == "person" and act.grade is not None:
            people.setdefault((act.query_id, act.doc_id), {})[act.judge] = act.grade
    rows = []
    for act in held:
        given = people.get((act.query_id, act.doc_id))
        if act.source.kind != "model" or act.grade is None or not given:
            continue
        apart = max(abs(grade - act.grade) for grade in given.values())
        if apart:
            named = dict(sorted(given.items()))
            rows.append(ModelDisagreement(act.query_id, act.doc_id, act.judge, act.grade, named, apart, act.note))
    return sorted(rows, key=lambda row: (-row.apart, row.query_id, row.doc_id, row.model))
