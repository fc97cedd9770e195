"""Every attribute of the public records is explained and typed: the API reference shows what stands here."""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cached_property

import pytest

import rankproof
from rankproof.kernel.shown import Drawing
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.measuring.records import FunctionOrigin, Population, Settings, TieRange
from rankproof.proving.datasets import LikeThese, OneOut
from rankproof.proving.leaderboard_records import BoardWithout, LeaderboardRow
from rankproof.proving.movement_records import BlindSpot, DocMove, QueryMove, TieRisk
from rankproof.proving.records import Adjusted, Detectable, Equivalence, Family
from rankproof.stack.benchmark.records import Benchmark

EXPLAINED = (
    rankproof.Evaluation, rankproof.Evaluations, rankproof.Result, rankproof.Comparison, rankproof.Contrast,
    rankproof.Estimate, rankproof.NotEstimable, rankproof.Verdict, rankproof.Run, rankproof.Qrels, rankproof.Design,
    rankproof.Order, Adjusted, Ruling, Payer, Settings, Population, TieRange, Detectable, Equivalence, Family,
    BlindSpot, DocMove, QueryMove, TieRisk, Benchmark, Drawing, rankproof.Leaderboard, LeaderboardRow, BoardWithout,
    rankproof.DatasetComparison, LikeThese, OneOut, rankproof.TaskCalls, rankproof.FunctionMeasure,
    rankproof.QueryView, FunctionOrigin,
)  # fmt: skip
# A line of the part "Attributes:", in the Google style that mkdocstrings renders.
ATTRIBUTE = re.compile(r"^ {8}(\w+): (\S.*)$", re.MULTILINE)


def explained(record: type) -> dict[str, str]:
    """The attributes that the docstring of a class explains."""
    _, found, part = (record.__doc__ or "").partition("\n    Attributes:\n")
    return dict(ATTRIBUTE.findall(part)) if found else {}


def own_attributes(record: type) -> dict[str, object]:
    """The attributes that are values: fields, or what a plain class sets, each with its type."""
    if dataclasses.is_dataclass(record):
        return {field.name: field.type for field in dataclasses.fields(record)}
    slots: tuple[str, ...] = record.__slots__
    source = inspect.getsource(record)
    return {name: re.search(rf"self\.{name}: (.+?) =", source) for name in slots}


def unexplained(record: type) -> list[str]:
    """Attributes, properties and methods of a class without a word or without a type."""
    told, wrong = explained(record), []
    own = own_attributes(record)
    wrong += [f"{name} is not explained" for name in own if name not in told]
    wrong += [f"{name} is explained and not there" for name in told if name not in own]
    wrong += [f"{name} has no type" for name, kind in own.items() if not kind]
    for name in dir(record):
        member = inspect.getattr_static(record, name)
        if name.startswith("_") or name in own or member.__class__.__module__ == "_abc":
            continue
        function = member.fget if isinstance(member, property) else getattr(member, "func", member)
        function = getattr(function, "__func__", function)
        if not inspect.isfunction(function) or not function.__module__.startswith("rankproof"):
            continue  # what Mapping brings is explained by Python
        if not inspect.getdoc(function):
            wrong.append(f"{name} has no docstring")
        if "return" not in function.__annotations__:
            wrong.append(f"{name} has no type")
    return wrong


@pytest.mark.parametrize("record", EXPLAINED, ids=lambda record: record.__name__)
def test_every_attribute_of_a_public_record_is_explained_and_typed(record: type) -> None:
    assert unexplained(record) == []


def test_every_public_class_that_is_a_record_is_held_to_it() -> None:
    """The others are documents, with a page of their own, and errors."""
    classes = {name for name in rankproof.__all__ if isinstance(getattr(rankproof, name), type)}
    held = {record.__name__ for record in EXPLAINED}
    assert classes - held == {
        "EvaluationReport", "ExperimentManifest", "InputError", "RankproofError", "Refused", "UsageError",
    }  # fmt: skip


@dataclasses.dataclass
class _Told:
    """A record.

    Attributes:
        here: explained
        gone: not a field
    """

    here: int
    silent: int = 0

    @property
    def bare(self) -> int:
        return 1

    @cached_property
    def untyped(self):
        """Explained, without a type."""
        return 1


_Told.__module__ = "rankproof.made_up"
for _function in (_Told.bare.fget, _Told.untyped.func):
    _function.__module__ = "rankproof.made_up"


def test_what_is_not_explained_is_noticed() -> None:
    assert unexplained(_Told) == [
        "silent is not explained", "gone is explained and not there", "bare has no docstring", "untyped has no type",
    ]  # fmt: skip
