"""Summary: who judged how much, which grades they gave, and where they disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from rankproof.records.judging import Judgment
from rankproof.records.judging_summary import JudgeCounts, JudgingSummary, SplitPair


def summarize(judgments: Iterable[Judgment]) -> JudgingSummary:
    """What judgments say together. `judgments` are those that hold: one of each judge for a pair at most."""
    acts = sorted(judgments, key=lambda act: (act.query_id, act.doc_id, act.judge))
    by_judge: defaultdict[tuple[str, str], list[Judgment]] = defaultdict(list)
    by_pair: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for act in acts:
        by_judge[act.source.kind, act.judge].append(act)
        if act.grade is not None:
            by_pair[act.query_id, act.doc_id][act.judge] = act.grade
    several = {pair: votes for pair, votes in by_pair.items() if len(votes) > 1}
    split = [SplitPair(*pair, tuple(votes.items())) for pair, votes in several.items() if len(set(votes.values())) > 1]
    # The widest disagreement first: that is where somebody has misunderstood something.
    split.sort(key=lambda pair: -pair.spread)
    counted = [_counts(judge, source, own) for (source, judge), own in by_judge.items()]
    counted.sort(key=lambda one: (("person", "model", "clicks").index(one.source), -one.judged, one.judge))
    return JudgingSummary(tuple(counted), len(by_pair), len(several), tuple(split))


def _counts(judge: str, source: str, acts: list[Judgment]) -> JudgeCounts:
    grades = Counter(act.grade for act in acts if act.grade is not None)
    reasons = Counter(act.reason for act in acts if act.grade is None)
    return JudgeCounts(
        judge, source, dict(sorted(grades.items())), reasons["cannot_tell"], reasons["later"],
        max(act.time for act in acts),
    )  # fmt: skip
