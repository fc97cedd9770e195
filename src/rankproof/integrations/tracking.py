"""Answers as plain dicts for MLflow, Weights & Biases and whatever else keeps numbers of experiments.

    mlflow.log_metrics(tracking.metrics(evaluation))        run.log(tracking.metrics(evaluation))
    mlflow.log_params(tracking.params(evaluation))          run.config.update(tracking.params(evaluation))
    mlflow.set_tags(tracking.tags(evaluation))              run.summary.update(tracking.tags(evaluation))

No library is imported: keys and values are legal in both, by the rules below. A value that does not exist is left out,
named in the tag `not_estimable` with its reason, and never NaN.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rankproof.errors import UsageError
from rankproof.kernel.data_table import DataCell, DataTable
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.verdict import Ruling
from rankproof.kernel.version import __version__
from rankproof.measuring import conversions as evaluations_as_tables
from rankproof.measuring.evaluations import Evaluations
from rankproof.measuring.records import DEFAULT_SETTINGS, Evaluation
from rankproof.measuring.report import EvaluationReport, evaluation_of
from rankproof.proving import conversions as comparisons_as_tables
from rankproof.proving.records import Comparison, Contrast
from rankproof.proving.verdict import Verdict, ruling_table

Trackable = Evaluation | Evaluations | EvaluationReport | Comparison | Verdict

# MLflow takes letters, digits and "_ - . / : space"; Weights & Biases can sort and filter by names of its query
# language only. Keys that are made here are names of the latter, which the former takes too; a slash comes with a
# prefix alone.
KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PREFIX = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*/)*(?:[A-Za-z_][A-Za-z0-9_]*)?")
LONGEST_KEY = 250
# MLflow before 2.8 refuses a longer value of a parameter, before 2.15 a longer tag; later ones cut at 6000 and 8000.
LONGEST_PARAM, LONGEST_TAG = 500, 5000
_CUT = " ..."
# Of names that would otherwise be one key.
_DIGEST = 6


class _TrackedValue(NamedTuple):
    """A number by the words that make its key; `reason` says why there is none."""

    words: tuple[str, ...]
    number: float | None
    reason: str = "no query has a value"


def metrics(answer: Trackable, prefix: str = "") -> dict[str, float]:
    """Numbers by keys that MLflow and Weights & Biases take: `{"nDCG_at_10": 0.41, "queries": 50.0}`.

    An evaluation has its means; a comparison `..._difference` with `_low` and `_high` (corrected for all of its tests),
    `_p_value`, `_baseline` and `_candidate`; a verdict `passed`, `failed` and `undecided` as 0 or 1, for each rule what
    was observed, its threshold and its one-sided bounds, and the candidate's means. Every number is finite.
    """
    found = [value for value in _values(answer) if value.number is not None]
    keys = _keys([value.words for value in found], prefix)
    return {key: float(value.number) for key, value in zip(keys, found, strict=True) if value.number is not None}


def params(answer: Trackable, prefix: str = "rankproof_") -> dict[str, str]:
    """How it was made, as short texts: dialect, settings, measures, method, level, seed.

    The prefix keeps them apart from a training's own: MLflow refuses a second value for a parameter such as `seed`.
    """
    return _texts(_params(_restored(answer)), prefix, LONGEST_PARAM)


def tags(answer: Trackable, prefix: str = "rankproof_") -> dict[str, str]:
    """What must be read with the numbers, as texts.

    A verdict's PASS, FAIL or UNDECIDED with its reasons and what would decide it, each contrast in a sentence, fine
    print, warnings, what could not be estimated and why, and the hashes of the judgments and of the manifest.
    """
    answer = _restored(answer)
    missing = [f"{' '.join(v.words)}: {v.reason}" for v in _values(answer) if v.number is None]
    return _texts({**_tags(answer), "not_estimable": missing, "version": [__version__]}, prefix, LONGEST_TAG)


def rows(answer: Trackable) -> list[dict[str, DataCell]]:
    """A table as a list of dicts, None where there is no value: `mlflow.log_table(pandas.DataFrame(rows), "q.json")`.

    A row is a query, of a verdict a rule. Of several systems a column is a measure of a system.
    """
    table = _table(_restored(answer))
    keys = _keys([(c.name,) if isinstance(c.name, str) else c.name for c in table.columns], "")
    columns = [column.values for column in table.columns]
    return [dict(zip(keys, cells, strict=True)) for cells in zip(*columns, strict=True)]


def key(text: str) -> str:
    """A name as a key: what is not a letter, a digit or an underscore goes.

    >>> key("nDCG@10"), key("P(rel=2)@5"), key("R(overlap=0.5)")
    ('nDCG_at_10', 'P_rel_2_at_5', 'R_overlap_0_5')
    """
    made = re.sub(r"[^A-Za-z0-9_]+", "_", text.replace("@", "_at_").replace("%", "_percent_"))
    made = re.sub(r"_{2,}", "_", made).strip("_") or f"name_{_digest(text)}"
    return f"_{made}" if made[0].isdigit() else made


# ---- what is in an answer -------------------------------------------------------------------------------


def _restored(answer: object) -> Evaluation | Evaluations | Comparison | Verdict:
    if isinstance(answer, EvaluationReport):
        return evaluation_of(answer)
    if isinstance(answer, Evaluation | Evaluations | Comparison | Verdict):
        return answer
    raise UsageError(
        f"A {type(answer).__name__} cannot be tracked. Give what evaluate, compare, gate or read_report answered."
    )


def _values(answer: Trackable) -> list[_TrackedValue]:
    answer = _restored(answer)
    if isinstance(answer, Evaluation):
        return _of_evaluation(answer)
    if isinstance(answer, Evaluations):
        return [v._replace(words=(name, *v.words)) for name, made in answer.items() for v in _of_evaluation(made)]
    if isinstance(answer, Comparison):
        return _of_comparison(answer)
    return _of_verdict(answer)


def _of_evaluation(evaluation: Evaluation) -> list[_TrackedValue]:
    found = []
    for text, result in evaluation.results.items():
        if result.labels is not None:
            found.append(_TrackedValue((text,), None, "its values are texts"))
            continue
        found.append(_finite((text,), result.mean))
        if result.ties is not None:
            found.append(_finite((text, "ties", "least"), result.ties.least))
            found.append(_finite((text, "ties", "greatest"), result.ties.greatest))
    return [*found, _TrackedValue(("queries",), evaluation.population.scored)]


def _of_comparison(comparison: Comparison) -> list[_TrackedValue]:
    pairs = {(contrast.baseline, contrast.candidate) for contrast in comparison.contrasts}
    found = []
    for contrast in comparison.contrasts:
        words = () if len(pairs) == 1 else (contrast.candidate, "against", contrast.baseline)
        where = ("on", contrast.segment) if contrast.segment else ()
        found += _of_contrast(contrast, (*words, contrast.measure, *where))
    return [*found, _TrackedValue(("queries",), len(comparison.query_ids))]


def _of_contrast(contrast: Contrast, words: tuple[str, ...]) -> list[_TrackedValue]:
    answer, name = contrast.difference, (*words, "difference")
    found = [
        _finite((*words, "baseline"), contrast.baseline_mean),
        _finite((*words, "candidate"), contrast.candidate_mean),
        _finite(name, answer.value),
    ]
    if not isinstance(answer, Estimate):
        return [*found, *(_TrackedValue((*name, end), None, answer.reason) for end in ("low", "high"))]
    ends = answer if contrast.adjusted is None else contrast.adjusted
    found += [_finite((*name, "low"), ends.low, _NO_LIMIT), _finite((*name, "high"), ends.high, _NO_LIMIT)]
    return [*found, _finite((*words, "p_value"), contrast.p_value)]


_NO_LIMIT = "no limit on this side"


def _of_verdict(verdict: Verdict) -> list[_TrackedValue]:
    states = {"passed": "PASS", "failed": "FAIL", "undecided": "UNDECIDED"}
    found = [_TrackedValue((word,), float(verdict.status == status)) for word, status in states.items()]
    earlier: dict[tuple[str, ...], int] = {}
    for ruling in verdict.rulings:
        words = tuple(filter(None, (ruling.rule, ruling.measure, "on" if ruling.segment else "", ruling.segment)))
        earlier[words] = number = earlier.get(words, 0) + 1  # a policy may hold one measure against two limits
        found += _of_ruling(ruling, words if number == 1 else (*words, str(number)))
    return [*found, *(() if verdict.evaluation is None else _of_evaluation(verdict.evaluation))]


def _of_ruling(ruling: Ruling, words: tuple[str, ...]) -> list[_TrackedValue]:
    found = []
    if ruling.threshold is not None:
        found.append(_finite((*words, "threshold"), ruling.threshold))
    if ruling.observed is not None or ruling.threshold is not None:
        found.append(_finite((*words, "observed"), ruling.observed, ruling.reason))
    if isinstance(ruling.answer, Estimate):
        found.append(_finite((*words, "low"), ruling.answer.low, _NO_LIMIT))
        found.append(_finite((*words, "high"), ruling.answer.high, _NO_LIMIT))
    elif ruling.answer is not None:
        found += [_TrackedValue((*words, end), None, ruling.answer.reason) for end in ("low", "high")]
    return found


def _finite(words: tuple[str, ...], number: float | None, reason: str = "no query has a value") -> _TrackedValue:
    real = number if number is not None and math.isfinite(number) else None
    return _TrackedValue(words, real, reason)


# ---- what is said about it ------------------------------------------------------------------------------


def _params(answer: Evaluation | Evaluations | Comparison | Verdict) -> dict[str, Sequence[str]]:
    if isinstance(answer, Verdict):
        return {
            "policy": [answer.policy],
            "candidate": [answer.candidate],
            "baseline": [answer.baseline] if answer.baseline else [],
            "confidence": [f"{answer.confidence:g}"],
            "significance": [answer.significance],
            "seed": [str(answer.seed)],
            **_settings([answer.evaluation] if answer.evaluation is not None else []),
        }
    if isinstance(answer, Comparison):
        return {
            "baseline": answer.systems[:1],
            "candidates": answer.systems[1:],
            **_settings(answer.evaluations),
            "measures": answer.measures,
            "significance": [answer.significance],
            "correction": [answer.correction],
            "level": [f"{answer.level:g}"],
            "seed": [str(answer.seed)],
            "family": [str(answer.family)],
        }
    made = list(answer.values()) if isinstance(answer, Evaluations) else [answer]
    return {"run" if len(made) == 1 else "runs": [one.run_name for one in made], **_settings(made)}


def _settings(evaluations: Iterable[Evaluation]) -> dict[str, Sequence[str]]:
    """Measures and settings, which all the evaluations of an answer have in common; those of the default left out."""
    for first in evaluations:
        changed = {
            f"settings_{name}": [str(getattr(first.settings, name))]
            for name in DEFAULT_SETTINGS.__slots__
            if name != "dialect" and getattr(first.settings, name) != getattr(DEFAULT_SETTINGS, name)
        }
        return {"dialect": [first.dialect], "measures": tuple(first.results), **changed}
    return {}


def _tags(answer: Evaluation | Evaluations | Comparison | Verdict) -> dict[str, Sequence[str]]:
    if isinstance(answer, Verdict):
        said = {
            "verdict": [answer.status],
            "reasons": answer.reasons,
            "what_would_decide": [f"{r.title}: {r.decides}" for r in answer.rulings if r.decides],
            "rulings": [f"{r.title}: {r.status}" for r in answer.rulings],
            "warnings": answer.warnings,
            "notes": answer.notes,
        }
        return {**said, **_hashes(answer.manifest, [answer.evaluation] if answer.evaluation is not None else [])}
    if isinstance(answer, Comparison):
        return {
            "results": [comparisons_as_tables.contrast_line(contrast) for contrast in answer.contrasts],
            "warnings": answer.warnings,
            "fine_print": answer.fine_print,
            **_hashes(answer.manifest, answer.evaluations),
        }
    made = list(answer.values()) if isinstance(answer, Evaluations) else [answer]
    named = [(f"{one.run_name}: " if len(made) > 1 else "", one) for one in made]
    return {
        "fine_print": list(dict.fromkeys(f"{name}{line}" for name, one in named for line in one.fine_print)),
        "warnings": [f"{name}{finding.code}: {finding.message}" for name, one in named for finding in one.findings],
        **_hashes({}, made),
    }


def _hashes(manifest: Mapping[str, object], evaluations: Iterable[Evaluation]) -> dict[str, Sequence[str]]:
    judged = dict.fromkeys(evaluation.judgments_hash() for evaluation in evaluations)
    said = {name: [str(manifest[name])] for name in ("id", "config_sha256") if manifest.get(name)}
    return {"judgments_sha256": [text for text in judged if text], **{f"manifest_{n}": v for n, v in said.items()}}


def _table(answer: Evaluation | Evaluations | Comparison | Verdict) -> DataTable:
    if isinstance(answer, Verdict):
        return ruling_table(answer)
    if isinstance(answer, Comparison):
        return comparisons_as_tables.query_table(answer)
    if isinstance(answer, Evaluation):
        return evaluations_as_tables.query_table(answer)
    return evaluations_as_tables.system_table(list(answer.values()), answer.measures, "run")


# ---- keys and texts -------------------------------------------------------------------------------------


def _keys(names: Sequence[tuple[str, ...]], prefix: str) -> list[str]:
    """A key for each name. Names that would share one, or differ in case only, get a part of their hash."""
    _check_prefix(prefix)
    made = [_short(f"{prefix}{key('_'.join(map(key, words)))}", words) for words in names]
    owners: dict[str, set[tuple[str, ...]]] = {}
    for text, words in zip(made, names, strict=True):
        owners.setdefault(text.casefold(), set()).add(words)
    return [
        text
        if len(owners[text.casefold()]) == 1
        else _short(f"{text}_{_digest(*words)}", words, always=_digest(*words))
        for text, words in zip(made, names, strict=True)
    ]


def _short(text: str, words: tuple[str, ...], always: str = "") -> str:
    """The key, or as much of it as may be with a part of the hash of the whole."""
    if len(text) <= LONGEST_KEY:
        return text
    end = f"_{always or _digest(*words)}"
    return f"{text[: LONGEST_KEY - len(end)]}{end}"


def _digest(*words: str) -> str:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def _check_prefix(prefix: str) -> None:
    if not isinstance(prefix, str) or not PREFIX.fullmatch(prefix) or len(prefix) > LONGEST_KEY // 2:
        raise UsageError(
            f"The prefix {prefix!r:.80} makes no key that MLflow and Weights & Biases take. Use letters, digits and "
            'underscores, none of them a digit at the start, and a slash only between or after: "eval/" or "dev_".'
        )


def _texts(lines: Mapping[str, Sequence[str]], prefix: str, longest: int) -> dict[str, str]:
    """Lines as one text each, those that say nothing left out."""
    _check_prefix(prefix)
    between = ", " if longest == LONGEST_PARAM else "\n"
    return {f"{prefix}{name}": _cut(between.join(many), longest) for name, many in lines.items() if any(many)}


def _cut(text: str, longest: int) -> str:
    """A text that every store takes: as UTF-8, without the character 0, and no longer than may be."""
    text = text.encode("utf-8", "replace").decode().replace("\x00", "?")
    return text if len(text) <= longest else text[: longest - len(_CUT)] + _CUT
