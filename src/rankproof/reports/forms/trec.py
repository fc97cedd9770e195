"""What trec_eval prints, line for line: so that a script can swap the program.

Name, query id and value, separated by tabs; queries in bytewise order of their ids, then `all`. Measures come in
trec_eval's order and cutoffs from the smallest, whatever the order they were asked in; what trec_eval lacks comes after
them under its own name. A measure asked for with cutoffs or parameters is printed with those only, even when a set
such as `all_trec` holds it with its usual ones. With `-c`, a query that the run lacks has lines in trec_eval 10, and
none in trec_eval 9. `--dialect trec_eval` or `trec_eval_9` makes the numbers trec_eval's too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Result
from rankproof.measuring.trec_names import TREC_MEASURES, TrecName, trec_name
from rankproof.reports.forms.contract import Report


@dataclass(frozen=True, slots=True)
class _Column:
    """A result and the name it is printed under; `trec` is None for a measure that trec_eval lacks."""

    result: Result
    name: str
    trec: TrecName | None

    @property
    def place(self) -> tuple[int, float]:
        """Where it stands among the lines of a query."""
        return (len(TREC_MEASURES), 0.0) if self.trec is None else self.trec.place

    @property
    def summary_only(self) -> bool:
        """Whether trec_eval prints it for all queries together and never for one."""
        return self.trec is not None and self.trec.measure.summary_only


def trec_lines(evaluation: Evaluation, per_query: bool) -> list[str]:
    """The lines, without line ends."""
    columns = _columns(evaluation)
    lines: list[str] = []
    if per_query:
        texts = [_by_query(column) for column in columns]
        queries = {query for shown in texts for query in shown}
        if evaluation.population.missing_policy == "blank":
            queries.difference_update(evaluation.population.missing)
        for query in sorted(queries, key=lambda query: query.encode("utf-8", "surrogatepass")):
            lines += [
                _line(column.name, query, shown[query])
                for column, shown in zip(columns, texts, strict=True)
                if query in shown
            ]
    return lines + [_line(name, "all", text) for name, text in _summary(evaluation, columns)]


def _columns(evaluation: Evaluation) -> list[_Column]:
    """The results in trec_eval's order, without the default cutoffs of measures that were requested with others."""
    typed = {text: name for name, text in evaluation.spelled.items()}
    columns = []
    for text, result in evaluation.results.items():
        trec = trec_name(_as_asked(parse(text)[0], evaluation.settings.level))
        columns.append(_Column(result, typed.get(text) or (text if trec is None else trec.name), trec))
    typed_measures = {column.trec.measure.name for column in columns if column.trec and column.result.text in typed}
    shown = [
        column
        for column in columns
        if column.trec is None or column.result.text in typed or column.trec.measure.name not in typed_measures
    ]
    return sorted(shown, key=lambda column: column.place)


def _as_asked(variant: Variant, level: int | None) -> Variant:
    """Without the relevance level: trec_eval's names do not say it."""
    if level is None or variant.values.get("rel") != level:
        return variant
    return variant.measure.variant(variant.at, **{**variant.values, "rel": 1})


def _by_query(column: _Column) -> dict[str, str]:
    """Each query's value as printed."""
    if column.summary_only:
        return {}
    if column.result.labels is not None:
        return {query: f"'{text}'" for query, text in column.result.labels.items()}
    return {query: _value(value, column.result.whole) for query, value in column.result.by_query.items()}


def _summary(evaluation: Evaluation, columns: Sequence[_Column]) -> Iterator[tuple[str, str]]:
    """Name and value of what is printed for all queries together."""
    for column in columns:
        if column.trec is not None and column.trec.measure.name == "runid":
            yield column.name, evaluation.run_tag or evaluation.run_name
        elif column.result.labels is None:
            yield column.name, _value(column.result.mean, column.result.whole)


def _value(value: float, whole: bool) -> str:
    if whole and not math.isnan(value) and value.is_integer():
        return str(int(value))
    return f"{value:6.4f}"


def _line(name: str, query: str, text: str) -> str:
    return f"{name:<22}\t{query}\t{text}"


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The lines of each run, one run after the other."""
    return "".join(f"{line}\n" for run in evaluations for line in trec_lines(run, per_query))


OFFERS = (Report("trec", __doc__, render, ".txt", "text/plain"),)
