"""rankproof as a provider of ir_measures, for its functions, its command line, and tools that call it (PyTerrier).

ir_measures finds no providers by itself, so this one is registered by a call. The numbers are those of ir_measures
0.4.3 with its own providers (the dialect `ir_measures`); what it computes from data that define no number is refused.

    from rankproof.integrations import ir_measures as provider

    provider.register()            # ir_measures.providers.registry["rankproof"]
    provider.register(first=True)  # also before all others, for ir_measures.calc_aggregate and what calls it

    python -m rankproof.integrations.ir_measures QRELS RUN MEASURE...
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rankproof.errors import RankproofError, UsageError
from rankproof.integrations.pytrec_eval import RepeatedDocument, ScoredDicts, check_types, judgments_of
from rankproof.kernel.libraries import library
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import Settings
from rankproof.reading.records import DEFAULT_ORDER

__all__ = ["RankproofProvider", "main", "register", "unregister", "variant_of"]

irm: Any = library("ir_measures", "rankproof's provider of ir_measures")
_NOT_PROVIDED = irm.providers.base.NOT_PROVIDED

NAME = "rankproof"
# Of ir_measures' measures, those that rankproof has by the same definition.
SUPPORTED = (
    "AP", "Bpref", "Compat", "ERR", "INST", "IPrec", "Judged", "NumQ", "NumRel", "NumRet", "P", "R", "RBP", "RR",
    "Rprec", "SetAP", "SetF", "SetP", "SetR", "Success", "infAP", "nDCG",
)  # fmt: skip
# Their parameters by ours, where the two have different names.
_OURS = {"beta": "weight", "max_rel": "max_grade"}
# Parameters with one value that ir_measures' measure and ours have in common.
_FIXED = {"min_rel": 0, "normalize": True}


def variant_of(measure: Any) -> Variant | None:
    """The measure as rankproof has it, without its `judged_only`; None where it has none that is the same."""
    measure.validate_params()
    known = irm.measures.registry.get(measure.NAME)
    if measure.NAME not in SUPPORTED or type(measure) is not type(known):
        return None  # a measure that was defined at run time may have any name
    given = {param: measure[param] for param in measure.SUPPORTED_PARAMS if measure[param] is not _NOT_PROVIDED}
    name, at = measure.NAME, given.pop(measure.AT_PARAM, None)
    judged_only = given.pop("judged_only", False)
    if any(given.pop(param, value) != value for param, value in _FIXED.items()):
        return None
    if given.pop("relative", False):
        name = "SetRelP"
    if name == "NumRet" and "rel" in given:
        name = "NumRelRet"
    if given.pop("dcg", "log2") != "log2":
        if at is None or "gains" in given or judged_only:
            return None
        given["gain"] = "exp2"
    if "gains" in given:
        given["gain"] = "{" + ",".join(f"{grade}:{gain}" for grade, gain in given.pop("gains").items()) + "}"
    lacking = {
        "RBP": "rel" not in given or at is not None,
        "ERR": at is None,
        "RR": judged_only and at is not None,
        "NumRel": given.get("rel") != 1,
        "IPrec": at is not None and at != round(at, 2),
    }
    if lacking.get(name, False):
        return None
    options = ",".join(f"{_OURS.get(param, param)}={value}" for param, value in given.items())
    try:
        (variant,) = parse(name + (f"({options})" if options else "") + ("" if at is None else f"@{at}"))
    except UsageError:  # a cutoff of 0, a level below 0
        return None
    return variant


class RankproofEvaluator(irm.providers.Evaluator):
    """Judgments and measures, for any number of runs."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        # The default pipeline hands over a set: an order that is the same in every process.
        ordered = sorted(measures, key=str)
        groups: dict[bool, list[tuple[Any, Variant]]] = {}
        refused = []
        for measure in ordered:
            variant = variant_of(measure)
            if variant is None:
                refused.append(str(measure))
                continue
            judged_only = "judged_only" in measure.SUPPORTED_PARAMS and measure["judged_only"]
            groups.setdefault(bool(judged_only), []).append((measure, variant))
        if refused:
            raise UsageError(
                f"rankproof does not compute {', '.join(refused)} for ir_measures. It has {', '.join(SUPPORTED)}, for "
                "the parameters that its page names; leave these to ir_measures' other providers."
            )
        rows = irm.util.QrelsConverter(qrels).as_namedtuple_iter()
        judged = _dicts(((row.query_id, row.doc_id, row.relevance) for row in rows), "qrels")
        check_types(judged, "qrels", "relevance", (int, np.integer))
        queries = set(judged) | (set(qrels) if isinstance(qrels, dict) else set())
        super().__init__(ordered, queries)
        self._groups = groups
        self._judgments = judgments_of(judged)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        """The value of each measure for each query; ir_measures adds its own for queries that the run lacks."""
        rows = irm.util.RunConverter(run).as_namedtuple_iter()
        scores = _dicts(((row.query_id, row.doc_id, row.score) for row in rows), "run")
        if isinstance(run, dict):
            scores |= {query: {} for query in run if query not in scores}
        check_types(scores, "run", "score", (int, float, np.integer, np.floating))
        if not scores or not self._judgments.query_ids:
            return
        joined = PreparedRun(self._judgments, ScoredDicts(scores, DEFAULT_ORDER))
        for judged_only, pairs in self._groups.items():
            variants = tuple(dict.fromkeys(variant for _, variant in pairs))
            evaluation = measure_run(joined, variants, Settings(dialect="ir_measures", judged_only=judged_only))
            for measure, variant in pairs:
                for query, value in evaluation.results[variant.text].by_query.items():
                    yield irm.Metric(query_id=query, measure=measure, value=value)


class RankproofProvider(irm.providers.Provider):
    """What ir_measures asks for numbers."""

    NAME = NAME

    def supports(self, measure: Any) -> bool:
        """Whether rankproof has the measure, with these parameters, by the same definition."""
        return variant_of(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RankproofEvaluator:
        return RankproofEvaluator(measures, qrels)


def register(first: bool = False) -> RankproofProvider:
    """Makes ir_measures know this provider by its name.

    first   also before its other providers, so that `ir_measures.calc_aggregate` and what calls it take this one for
            every measure that it has
    """
    provider: RankproofProvider = irm.providers.registry.get(NAME) or irm.providers.register(RankproofProvider())
    pipeline = irm.DefaultPipeline.providers
    if first and provider not in pipeline:
        pipeline.insert(0, provider)
    return provider


def unregister() -> None:
    """Leaves ir_measures to its other providers, as before `register`."""
    provider = irm.providers.registry.pop(NAME, None)
    irm.DefaultPipeline.providers[:] = [other for other in irm.DefaultPipeline.providers if other is not provider]


def _dicts(rows: Iterable[tuple[str, str, Any]], what: str) -> dict[str, dict[str, Any]]:
    """Values by query and document; one that stands there twice must be the same both times."""
    by_query: dict[str, dict[str, Any]] = {}
    for query, doc, value in rows:
        values = by_query.setdefault(query, {})
        earlier = values.setdefault(doc, value)
        if earlier is not value and earlier != value:  # a NaN is no other value than itself: the checks refuse it
            raise RepeatedDocument(
                f"{what}: document {doc!r} of query {query!r} stands there with {earlier!r} and with {value!r}; "
                "ir_measures would take the last. Keep one of them."
            )
    return by_query


def main(options: Sequence[str] | None = None) -> int:
    """ir_measures' own command line with this provider, where the options name no other."""
    command: Any = library("ir_measures.__main__", "ir_measures' command line")
    register()
    given = list(sys.argv[1:] if options is None else options)
    named = any(option.split("=")[0] == "--provider" for option in given)
    before, sys.argv = sys.argv, ["ir_measures", *given, *([] if named else ["--provider", NAME])]
    try:
        command.main_cli()
    except RankproofError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2 if isinstance(error, UsageError) else 1
    finally:
        sys.argv = before
    return 0


if __name__ == "__main__":
    sys.exit(main())
