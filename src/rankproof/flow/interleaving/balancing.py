"""Balancing: whether chance treated the systems alike, which a broken key, a cache or a lost log would undo.

With teams, two things are counted: who had the first place, and who had the greatest team, where one alone had. Each is
held against an even share by Pearson's chi-square. Without teams, what clicks on every document would have earned is
compared instead: its mean difference from the first system is 0, by Student's t, for each other system.

Lists of one key are one draw: a page that is shown again is looked at once. The alarm is at 0.001, as for a sample
ratio mismatch, since the check is made often and a broken experiment shows clearly.

source: Fabijan and others, Diagnosing sample ratio mismatch in online controlled experiments, KDD 2019, for the alarm
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankproof import shelf
from rankproof.errors import InputError
from rankproof.records.estimate import Estimate
from rankproof.records.interleaving import Balance, Evenness, Shown
from rankproof.significance._contract import Question, Significance

ALARM = 0.001


def balance(lists: Mapping[str, Shown], alarm: float = ALARM) -> Balance:
    """Whether the lists, by their key, were shared out evenly among the systems."""
    credited = [shown for shown in lists.values() if shown.credited]
    systems = sorted({shown.systems for shown in credited})
    if len(systems) > 1:
        raise InputError(
            f"Lists of different systems are mixed: {', '.join(systems[0])}; {', '.join(systems[1])}. "
            "Check each experiment alone."
        )
    if not credited:
        return Balance(len(lists), (), alarm)
    teamed = [shown for shown in credited if shown.teams[0] is not None]
    plain = [shown for shown in credited if shown.teams[0] is None]
    parts = _teams(teamed, systems[0]) if teamed else []
    if plain:
        parts += _offers(plain, systems[0])
    return Balance(len(lists), tuple(parts), alarm)


def _teams(lists: Iterable[Shown], systems: Sequence[str]) -> list[Evenness]:
    first: Counter[str] = Counter()
    greatest: dict[str, float] = dict.fromkeys(systems, 0.0)
    for shown in lists:
        first[str(shown.teams[0])] += 1
        sizes = Counter(team for team in shown.teams if team is not None)
        most = max(sizes.values())
        largest = [name for name in systems if sizes[name] == most]
        if len(largest) == 1:  # where several are the greatest, nobody is ahead
            greatest[largest[0]] += 1
    return [
        _even("the first place", {name: float(first[name]) for name in systems}),
        _even("the greatest team", greatest),
    ]


def _even(what: str, counts: Mapping[str, float]) -> Evenness:
    from scipy.special import chdtrc  # here: loading scipy is for those who test

    total = sum(counts.values())
    if total == 0:
        return Evenness(what, counts, None)
    expected = total / len(counts)
    statistic = sum((count - expected) ** 2 for count in counts.values()) / expected
    return Evenness(what, counts, float(chdtrc(len(counts) - 1, statistic)))


def _offers(lists: Sequence[Shown], systems: Sequence[str]) -> list[Evenness]:
    """The mean credit on offer in a list, for the first system and each other one."""
    student: Significance = shelf.find("significance", "t")
    offered = np.array([np.sum(shown.credits, axis=0) for shown in lists])
    means = offered.mean(axis=0)
    parts = []
    for i, name in enumerate(systems[1:], start=1):
        differences = np.ascontiguousarray(offered[:, i] - offered[:, 0])
        found = student.infer(differences, Question(), np.random.default_rng(0))
        p = found.p_value if isinstance(found, Estimate) else None
        parts.append(Evenness("the credit on offer", {systems[0]: float(means[0]), name: float(means[i])}, p))
    return parts
