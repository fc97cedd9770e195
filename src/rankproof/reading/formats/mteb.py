"""MTEB: predictions of a retrieval task as a run; results of tasks as scores, whose units are the tasks.

Predictions are what `mteb.evaluate(..., prediction_folder=...)` saves: the scores of documents by subset and split of
one task. Where there are several, `subset=` and `split=` take one, as in `mteb(subset=eng, split=test)`.

Results are what mteb keeps of a task: its measures by split and subset. Several in one file are read too, one after the
other as `cat` puts them, as a list, or as mteb's own results of a model or a benchmark (`to_disk`). A unit is a task,
with its subset unless that is "default" and its split unless that is "test": `MIRACLRetrieval/de/dev`; `split=` and
`subset=` keep one. The columns task, subset, split and model say what a row is of: `--clusters task`, `--system model`.

holds: run, scores
source: https://embeddings-benchmark.github.io/mteb/

    {"mteb_model_meta": {"model_name": "made/words"}, "default": {"test": {"q1": {"d1": 0.93}}}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, some
from rankproof.reading.formats._exports import text_option
from rankproof.reading.formats._files import document
from rankproof.reading.formats._gather import Gather
from rankproof.reading.formats._jsontext import json_values, refuse_repeated
from rankproof.reading.formats.contract import Format, Noun, Options, Read, ScoreRows, Sure
from rankproof.reading.source import Source

META = "mteb_model_meta"
_PREDICTIONS = re.compile(rb'\s*\{\s*"mteb_model_meta"\s*:')
# How mteb writes a result: its keys in this order; a model's or a benchmark's results begin with others.
_RESULT = re.compile(
    rb'\s*\[?\s*\{\s*(?:"dataset_revision"\s*:\s*(?:"[^"]*"|null)\s*,\s*"task_name"|"model_name"\s*:.{0,500}"task_results"|'
    rb'"model_results")\s*:',
    re.DOTALL,
)
# What stands beside the measures in the scores of a subset.
ABOUT = ("hf_subset", "languages", "mteb_version")
MAIN = "main_score"


def detect(source: Source, noun: Noun) -> Sure:
    """The keys that mteb writes first."""
    shape = {"run": _PREDICTIONS, "scores": _RESULT}.get(noun)
    return Sure.CERTAIN if shape is not None and shape.match(source.head) else Sure.NO


# ---- predictions ----------------------------------------------------------------------------------


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The rankings of one subset and split."""
    name = source.name
    whole = document(source, "predictions", "Write the run as TREC text.")
    predicted = _object(whole, name, "mteb's predictions are a JSON object")
    meta = predicted.get(META)
    model = str(meta.get("model_name") or "") if isinstance(meta, Mapping) else ""
    subsets = {key: value for key, value in predicted.items() if key != META}
    subset = _one(subsets, text_option(options, "subset"), "subset", name)
    splits = _object(subsets[subset], f"{name}, subset {subset!r:.80}", "a subset holds predictions by split")
    split = _one(splits, text_option(options, "split"), "split", f"{name}, subset {subset!r:.80}")
    where = f"{name}, {subset!r:.80}, {split!r:.80}"
    rankings = _object(
        splits[split], where, "a run is made of the predictions of a retrieval task, {query: {document: score}}"
    )
    gather, without = Gather("run", name), 0
    for query, docs in rankings.items():
        ranked = _object(docs, f"{where}, query {query!r:.80}", "a query has {document: score}")
        without += not ranked
        for doc, score in ranked.items():
            gather.add(query, doc, score, label=model or None)
    notes = [f"predictions of {model or 'a model'} by mteb, subset {subset}, split {split}"]
    left = [f"{s}/{p}" for s, held in subsets.items() if isinstance(held, Mapping) for p in held]
    left.remove(f"{subset}/{split}")
    notes += [f"not read: subset and split {some(tuple(left))}"] if left else []
    notes += [f"{counted(without, 'query')} with nothing retrieved"] if without else []
    return Read(gather.rows(), tuple(notes))


def _one(there: Mapping[str, object], wanted: str | None, what: str, where: str) -> str:
    """The key that was named, or the only one."""
    if not there:
        raise InputError(f"{where} has no {what}: mteb saved no predictions in it.")
    if wanted is None and len(there) == 1:
        return next(iter(there))
    if wanted is None or wanted not in there:
        several = f"holds {counted(len(there), what)}" if wanted is None else f"has no {what} {wanted!r:.60}"
        raise UsageError(
            f"{where} {several}: {some(tuple(there))}. Name one, such as "
            f"--run-format 'mteb({what}={next(iter(there))})' (in Python {what}=)."
        )
    return wanted


def _object(value: object, where: str, shape: str) -> Mapping[str, object]:
    refuse_repeated(value, where)
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: {shape}; got {value!r:.60}.")
    return value


# ---- results --------------------------------------------------------------------------------------


def scores(source: Source, options: Options) -> ScoreRows:
    """A row for each task, subset and split."""
    kept = {what: text_option(options, what) for what in ("subset", "split")}
    found: list[dict[str, object]] = []
    nested: dict[str, None] = {}
    every = 0
    for model, task in _tasks(source):
        for split, subset, values, where in _scores_of(task, source.name):
            every += 1
            if any(wanted not in (None, given) for wanted, given in zip(kept.values(), (subset, split), strict=True)):
                continue
            name = str(task["task_name"])
            parts = (name, subset if subset != "default" else "", split if split != "test" else "")
            unit = "/".join(part for part in parts if part)
            row: dict[str, object] = {"unit": unit, "task": name, "subset": subset, "split": split}
            row |= {"model": model} if model else {}
            measures = {key: value for key, value in values.items() if key not in ABOUT}
            nested.update(dict.fromkeys(key for key, value in measures.items() if isinstance(value, list | Mapping)))
            numbers = {key: value for key, value in measures.items() if key not in nested}
            found.append(row | {MAIN: _main(numbers, where)} | numbers)
    if not found:
        named = ", ".join(f"{what} {wanted!r:.60}" for what, wanted in kept.items() if wanted is not None)
        raise InputError(
            f"{source.name} has no result" + (f" of {named} among {every}." if named else ": its tasks have no scores.")
        )
    notes = ["units are tasks, with their subsets and splits; those of one task are alike: --clusters task"]
    notes += [f"not taken over, since they are no numbers: {some(tuple(nested))}"] if nested else []
    return ScoreRows(found, tuple(notes))


def _tasks(source: Source) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Each result of a task, with the model that it is of where that is said."""
    for line, value in json_values(source):
        for at, one in enumerate(value if isinstance(value, list) else [value], 1):
            yield from _of(
                one, "", f"{source.name}, " + (f"result {at}" if isinstance(value, list) else f"line {line}")
            )


def _of(value: object, model: str, where: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The results in a document: of a task, of a model, of a benchmark."""
    record = _object(value, where, "a result of mteb is a JSON object with task_name and scores")
    for key in ("model_results", "task_results"):
        if key in record and "task_name" not in record:
            inner = record[key]
            if not isinstance(inner, list):
                raise InputError(f"{where}: {key} must be a list of results; got {inner!r:.60}.")
            for at, one in enumerate(inner, 1):
                yield from _of(one, str(record.get("model_name") or model), f"{where}, {key} {at}")
            return
    if not isinstance(record.get("task_name"), str) or not isinstance(record.get("scores"), Mapping):
        shown = ", ".join(f"{key!r:.40}" for key in list(record)[:6]) or "nothing"
        raise InputError(f"{where}: a result of mteb has task_name, and scores by split; this one has {shown}.")
    yield model, record


def _scores_of(task: Mapping[str, object], source: str) -> Iterator[tuple[str, str, Mapping[str, object], str]]:
    """split, subset, measures and place of each."""
    where = f"{source}, task {task['task_name']!r:.80}"
    for split, listed in _object(task["scores"], where, "scores are lists by split").items():
        if not isinstance(listed, list):
            raise InputError(f"{where}, split {split!r:.60}: a list of scores by subset is needed; got {listed!r:.60}.")
        for at, values in enumerate(listed, 1):
            place = f"{where}, split {split!r:.60}, entry {at}"
            held = _object(values, place, "the scores of a subset are a JSON object")
            if not isinstance(held.get("hf_subset"), str):
                raise InputError(f"{place}: hf_subset must name the subset; got {held.get('hf_subset')!r:.60}.")
            yield split, str(held["hf_subset"]), held, place


def _main(measures: Mapping[str, object], where: str) -> object:
    if MAIN not in measures:
        raise InputError(f"{where}: {MAIN} is missing. A result of mteb has one for each subset.")
    return measures[MAIN]


OFFERS = (
    Format(
        name="mteb",
        page=__doc__,
        holds=("run", "scores"),
        detect=detect,
        rows=rows,
        scores=scores,
        options={
            "subset": "the subset to read, where there are several",
            "split": "the split to read, where there are several",
        },
    ),
)
