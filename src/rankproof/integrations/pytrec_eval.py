"""pytrec_eval's interface on rankproof's core: `from rankproof.integrations import pytrec_eval`.

The names, arguments, keys and numbers of pytrec-eval-terrier 0.5.11. What pytrec_eval leaves undefined is refused here
with a message, and what it raises for a wrong request is raised here too: each error below is also one of rankproof,
so that either kind of `except` catches it. `RelevanceEvaluator.evaluation` has what pytrec_eval has not: fine print.
"""

from __future__ import annotations

import collections
import itertools
import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.core import Judgments, Rows
from rankproof.errors import InputError, Refused, UsageError
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, prepare_qrels
from rankproof.measuring.records import GEOMETRIC_FLOOR, Settings
from rankproof.measuring.run_sources import HARMLESS, DictRun
from rankproof.measuring.trec_names import TREC_MEASURES, TREC_SETS, Alone, Depth, Gains, TrecMeasure
from rankproof.reading.records import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.core import Joined
    from rankproof.measuring.measures.contract import Variant
    from rankproof.measuring.records import Evaluation

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

# trec_eval's measures that pytrec_eval does not have.
_LACKS = ("dcg", "yaap", "rbp", "rbp_resid", "unj")
# In the order in which pytrec_eval gives the values of a query.
_MEASURES = {measure.name: measure for measure in TREC_MEASURES if measure.name not in _LACKS}

supported_measures: set[str] = set(_MEASURES)
# The last three name measures of preferences, which pytrec_eval lists here and refuses to compute.
supported_nicknames: dict[str, set[str]] = {
    **{name: set(measures) - set(_LACKS) for name, measures in TREC_SETS.items()},
    "prefs": {
        "prefs_avgjg", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_num_prefs_poss", "prefs_pair",
        "prefs_simp", "num_q", "runid",
    },
    "all_prefs": {
        "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret", "prefs_avgjg_imp", "prefs_avgjg_ret",
        "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_num_prefs_poss", "prefs_pair", "prefs_pair_imp",
        "prefs_pair_ret", "prefs_simp", "prefs_simp_imp", "prefs_simp_ret", "num_q", "runid",
    },
    "qrels_jg": {"P_avgjg", "Rprec_mult_avgjg", "map_avgjg", "num_q", "runid"},
}  # fmt: skip

_PARAMETERS = re.compile(r"[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")
# Whose value is a text, for which pytrec_eval gives 0; the second has a depth, which changes nothing then.
_TEXTS = ("runid", "relstring")
# What trec_eval takes as one list of numbers for one value, and prints under its plain name.
_ONE_VALUE = ("utility", "11pt_avg", "set_F")


class UnsupportedMeasure(UsageError, ValueError):
    """pytrec_eval has no such measure, or not with these parameters."""


class UnsupportedType(InputError, TypeError):
    """An argument, an id, a grade or a score is of a type that pytrec_eval does not take."""


class UnsupportedLine(InputError, ValueError):
    """A line does not have the columns of its file."""


class RepeatedDocument(InputError, AssertionError):
    """A document stands twice in the ranking or the judgments of a query."""


@dataclass(frozen=True, slots=True)
class ReportedValue:
    """One value that is reported for a query: its key, and the measure that gives it; None for a text, reported as 0.

    logarithm   whether the logarithm is reported, of which pytrec_eval makes the geometric mean
    """

    key: str
    variant: Variant | None
    logarithm: bool = False


class RelevanceEvaluator:
    """Judgments and measures; `evaluate(run)` gives the values of each query.

    Args:
        query_relevance: `{query_id: {doc_id: grade}}`; queries without a document are left out
        measures: names or nicknames, such as `{"map", "ndcg_cut.5,10", "official"}`
        relevance_level: the least grade that counts as relevant
        judged_docs_only_flag: whether documents that are not judged are removed from the rankings first
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._reported = _reported(measures)
        level = _whole("relevance_level", relevance_level)
        if level < 1:
            raise UnsupportedType(f"relevance_level should be positive: the least relevant grade; got {level}.")
        judged_only = bool(_whole("judged_docs_only_flag", judged_docs_only_flag))
        if not isinstance(query_relevance, Mapping):
            raise UnsupportedType(f"query_relevance must be a dictionary, not {_type(query_relevance)}.")
        judged = {query: docs for query, docs in query_relevance.items() if not isinstance(docs, dict) or docs}
        check_types(judged, "query_relevance", "relevance", (int, np.integer))
        # Copied, as pytrec_eval does: what becomes of the caller's dicts later changes nothing.
        self._qrels = judgments_of({query: dict(docs) for query, docs in judged.items()})
        self._settings = Settings(dialect="pytrec_eval", level=level, judged_only=judged_only)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """`{query_id: {measure: value}}` for the queries of a run, `{query_id: {doc_id: score}}`, that are judged."""
        if not scores:
            return {}
        run = self._joined(scores)
        judged = frozenset(self._qrels.query_ids)
        values: dict[str, dict[str, float]] = {query: {} for query in scores if query in judged}
        if not values:
            return {}
        variants = [column.variant for column in self._reported if column.variant is not None]
        # A relevance level changes the text of a measure, but not the order.
        results = iter(self._measured(run, variants).results.values() if variants else ())
        for column in self._reported:
            if column.variant is None:
                for reported in values.values():
                    reported[column.key] = 0.0
                continue
            result = next(results)
            for query, value in zip(result.query_ids, result.values.tolist(), strict=True):
                values[query][column.key] = math.log(max(value, GEOMETRIC_FLOOR)) if column.logarithm else value
        return values

    def evaluation(self, scores: Mapping[str, Mapping[str, float]]) -> Evaluation:
        """The same values as an Evaluation: with fine print, population, findings, and every form it can be written in.

        Its means are rankproof's, whose geometric means are those of `compute_aggregated_measure`.
        """
        variants = [column.variant for column in self._reported if column.variant is not None]
        if not variants:
            raise UnsupportedMeasure("No measure with a value was requested, so that there is nothing to explain.")
        return self._measured(self._joined(scores), variants)

    def _joined(self, scores: Any) -> PreparedRun:
        if not isinstance(scores, dict):
            raise UnsupportedType(
                f"The scores must be a dictionary, {{query_id: {{doc_id: score}}}}, not {_type(scores)}."
            )
        check_types(scores, "scores", "score", (int, float, np.integer, np.floating))
        return PreparedRun(self._qrels, ScoredDicts(scores, DEFAULT_ORDER))

    def _measured(self, run: PreparedRun, variants: Sequence[Variant]) -> Evaluation:
        return measure_run(run, tuple(variants), self._settings)

    def __repr__(self) -> str:
        return f"<RelevanceEvaluator of {', '.join(c.key for c in self._reported)} on {self._qrels!r}>"


@dataclass(eq=False)
class ScoredDicts(DictRun):
    """A run in a dict of dicts, as pytrec_eval takes it: with empty rankings, unknown queries and infinite scores."""

    def join(self, qrels: PreparedQrels, order: Order) -> Joined:
        """Read in place; refused where pytrec_eval's number would be undefined."""
        try:
            joined = qrels.judgments.join_dicts(self.run, order.by, order.ties, order.precision, order.lower_is_better)
        except ValueError:  # an empty id: the general reader says where
            joined = None
        defined = (*HARMLESS, "infinite_score")
        if joined is None or any(count for fault, count in joined.faults.items() if fault not in defined):
            with _without_allow():
                return DictRun.join(self, qrels, order)
        return joined


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """One number for all queries: the sum for `num_`, the geometric mean for `gm_`, the mean for the others.

    The values of a `gm_` measure are logarithms, as `evaluate` gives them. NaN for the mean of no values.
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if len(values) == 0:
        return math.nan
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """A TREC run, `query_id Q0 doc_id rank score tag` by line, as `{query_id: {doc_id: score}}`."""
    run: dict[str, dict[str, float]] = collections.defaultdict(dict)
    for number, line in enumerate(f_run, 1):
        query, _, doc, _, score, _ = _columns(line, number, "query_id Q0 doc_id rank score tag")
        if doc in run[query]:
            raise RepeatedDocument(f"Line {number}: document {doc!r} stands twice in the ranking of query {query!r}.")
        try:
            run[query][doc] = float(score)
        except ValueError:
            raise UnsupportedLine(f"Line {number}: the score must be a number; got {score!r:.80}.") from None
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """TREC judgments, `query_id 0 doc_id grade` by line, as `{query_id: {doc_id: grade}}`."""
    qrel: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for number, line in enumerate(f_qrel, 1):
        query, _, doc, grade = _columns(line, number, "query_id 0 doc_id relevance")
        if doc in qrel[query]:
            raise RepeatedDocument(f"Line {number}: document {doc!r} is judged twice for query {query!r}.")
        try:
            qrel[query][doc] = int(grade)
        except ValueError:
            raise UnsupportedLine(f"Line {number}: the grade must be a whole number; got {grade!r:.80}.") from None
    return qrel


def _columns(line: str, number: int, names: str) -> list[str]:
    columns = line.strip().split()
    if len(columns) != len(names.split()):
        raise UnsupportedLine(f"Line {number} has {len(columns)} columns and must have these: {names}.")
    return columns


# ---- names of measures -----------------------------------------------------------------------------------------------


def _reported(measures: Iterable[str]) -> tuple[ReportedValue, ...]:
    """What is reported for the names, in pytrec_eval's order; parameters of several names come together."""
    if isinstance(measures, str):
        raise UnsupportedMeasure(f"measures is a text; give a list or a set of names, such as {{{measures!r}}}.")
    requested: dict[str, list[list[str]]] = {}
    for measure in measures:
        if not isinstance(measure, str):
            raise UnsupportedType(f"The name of a measure must be a text, not {_type(measure)}: {measure!r:.80}")
        for name in supported_nicknames.get(measure, (measure,)):
            base, parameters = _split(name)
            lists = requested.setdefault(base, [])
            if parameters and parameters not in lists:
                lists.append(parameters)
    return tuple(
        value for name in _MEASURES if name in requested for value in _values_of(_MEASURES[name], requested[name])
    )


def _split(name: str) -> tuple[str, list[str]]:
    """A measure's name and its parameters: from `map`, `P_10`, `P.5,10`."""
    if name in _MEASURES:
        return name, []
    for base in _MEASURES:
        match = _PARAMETERS.fullmatch(name, len(base)) if name.startswith(base) else None
        if match is not None:
            return base, match[1].split(",")
    raise UnsupportedMeasure(
        f"unsupported measure {name}. pytrec_eval has: {', '.join(sorted(_MEASURES))}; parameters are numbers from 0 "
        "upward, as in ndcg_cut_10 or P.5,10."
    )


def _values_of(measure: TrecMeasure, parameters: list[list[str]]) -> Iterable[ReportedValue]:
    """The values that one of trec_eval's measures reports, for its usual parameters where no list of them is given."""
    name, form = measure.name, measure.form
    if name in _TEXTS:
        if parameters and not isinstance(form, Depth):
            raise _without_parameters(name)
        return [ReportedValue(name, None)]
    if not parameters:
        variants: Iterable[Variant] = form.usual(measure.measure)
    elif isinstance(form, Alone | Gains):
        raise _without_parameters(name)
    else:
        variants = _with_parameters(measure, parameters)
    if name in _ONE_VALUE or isinstance(form, Alone | Gains):
        return [ReportedValue(name, variant, logarithm=name.startswith("gm_")) for variant in variants]
    several = {f"{name}{measure.form.show(variant)}": variant for variant in variants}
    return [ReportedValue(key, variant) for key, variant in several.items()]


def _with_parameters(measure: TrecMeasure, parameters: list[list[str]]) -> Iterable[Variant]:
    """The variants with the parameters of all lists, ascending."""
    name = measure.name
    merged = set(itertools.chain.from_iterable(parameters))
    if name in ("utility", "set_F"):
        # pytrec_eval sorts the numbers of all lists as texts and drops repeated ones: seldom the list that was meant.
        many = 4 if name == "utility" else 1
        if len(merged) != many or parameters != [sorted(merged)]:
            asked = " and ".join(f"{name}.{','.join(numbers)}" for numbers in parameters)
            raise UnsupportedMeasure(
                f"unsupported measure {asked}: pytrec_eval sorts and merges the numbers, so that it would compute "
                f"something else. It takes {many}, different and ascending as texts."
            )
    text = ",".join(sorted(merged, key=lambda number: (float(number), number)))
    try:
        return list(measure.form.read(measure.measure, name, text))
    except ValueError as error:
        raise UnsupportedMeasure(f"unsupported measure {name}.{text}: {name} {error}.") from None


def _without_parameters(name: str) -> UnsupportedMeasure:
    cut = f"{name}_cut" if f"{name}_cut" in _MEASURES else ""
    return UnsupportedMeasure(f"{name} takes no parameters in pytrec_eval." + (f" Is {cut} meant?" if cut else ""))


# ---- types -----------------------------------------------------------------------------------------------------------


def judgments_of(qrels: dict[str, dict[str, int]]) -> PreparedQrels:
    """The judgments, checked; none at all are no fault here."""
    if not qrels:
        return PreparedQrels(Judgments.from_dicts({}), "<dict>", lambda: Rows.from_dicts({}))
    with _without_allow():
        return prepare_qrels(qrels)


@contextmanager
def _without_allow() -> Iterator[None]:
    """Refusals without the advice to allow what was found: pytrec_eval's interface has no such option."""
    try:
        yield
    except Refused as error:
        first, *others = error.findings
        more = f" {len(others):,} more such errors." if others else ""
        raise Refused(f"{first}{more}", error.findings) from None


def check_types(data: Mapping[Any, Any], argument: str, what: str, numbers: tuple[type, ...]) -> None:
    """Raises UnsupportedType where a query, a document or a value is of a type that pytrec_eval does not take."""
    for query, docs in data.items():
        if not isinstance(query, str):
            raise UnsupportedType(f"{argument}: Expected string as key; query {query!r:.80} is {_type(query)}.")
        if not isinstance(docs, dict):
            raise UnsupportedType(
                f"{argument}: Expected dictionary as value; that of query {query!r} is {_type(docs)}."
            )
        # Two looks at all types of a query cost a tenth of the ranking of its documents.
        for kind in set(map(type, docs)):
            if not issubclass(kind, str):
                doc = next(doc for doc in docs if type(doc) is kind)
                raise UnsupportedType(
                    f"{argument}: Expected mapping of document id to {what}; in query {query!r} the id {doc!r:.80} is "
                    f"{_type(doc)}, not a text."
                )
        for kind in set(map(type, docs.values())):
            if not issubclass(kind, numbers):
                doc, value = next((doc, value) for doc, value in docs.items() if type(value) is kind)
                expected = "integer" if float not in numbers else "int or float"
                raise UnsupportedType(
                    f"{argument}: Expected {what} to be {expected}; that of document {doc!r} for query {query!r} is "
                    f"{_type(value)}: {value!r:.80}"
                )


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise UnsupportedType(f"{name} must be a whole number; got {value!r:.80}.") from None


def _type(value: object) -> str:
    return type(value).__name__
