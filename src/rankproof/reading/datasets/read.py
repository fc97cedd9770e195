"""Read a dataset of any layout into one record. The layout is recognized by its files; nothing is guessed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields as fields_of
from typing import Any

from rankproof.errors import UnknownName, Unreadable, UsageError
from rankproof.reading.datasets.esci import ESCI
from rankproof.reading.datasets.joins import join
from rankproof.reading.datasets.layout import ALL, DatasetLayout, DatasetParts, DatasetRequest
from rankproof.reading.datasets.plain import BEIR, IRDS, MSMARCO, TESTCASES, UNJUDGED
from rankproof.reading.datasets.queries import lot
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.datasets.store import changed
from rankproof.reading.datasets.trec import TREC_FILES
from rankproof.reading.datasets.wands import WANDS
from rankproof.reading.formats.parquet import MAGIC as PARQUET
from rankproof.reading.source import open_source, require_text

# The first that fits is used: each needs files that the ones before it do not recognize.
LAYOUTS = (IRDS, BEIR, MSMARCO, WANDS, ESCI, TESTCASES, TREC_FILES, UNJUDGED)
SAMPLE = "sample:"
JUDGED = "judged"
_SAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "stack", "samples")


def read_dataset(
    what: str | os.PathLike[str],
    *,
    kind: str | None = None,
    name: str | None = None,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    documents: str = ALL,
    fields: Sequence[str] | None = None,
    allow: Sequence[str] = (),
    **options: object,
) -> Dataset:
    """The dataset in a folder or file, of `irds:NAME`, or bundled as `sample:NAME`.

    kind       the layout, where the one that is recognized is not the right one: beir, msmarco, wands, esci,
               testcases, trec, queries, irds
    split      one of several splits, or "all"; without it the only one
    sample     this many queries, drawn by `seed` from those that have text and judgments
    documents  "all", or "judged" for only those that the chosen queries have judgments of
    fields     only these fields of the documents, in this order
    allow      codes of checks on judgments whose errors are allowed
    options    of the layout: `locale` and `version` (esci), `field` (trec: title, desc, narr)
    """
    path = _resolved(os.fspath(what))
    layout = _layout(path, kind)
    if documents not in (ALL, JUDGED):
        raise UsageError(f"documents must be '{ALL}' or '{JUDGED}'; got {documents!r}.")
    if fields is not None and not fields:
        raise UsageError("fields must name at least one field of the documents.")
    layout_options = {"split": split, "fields": None if fields is None else tuple(fields), **options}
    parts = layout.read(path, DatasetRequest(allow=tuple(allow), **_accepted(layout, layout_options)))
    base = name or _name(os.fspath(what))
    return _dataset(parts, layout, os.fspath(what), path, base, sample, seed, documents == JUDGED)


def _dataset(
    parts: DatasetParts,
    layout: DatasetLayout,
    source: str,
    path: str,
    name: str,
    sample: int | None,
    seed: int,
    judged_only: bool,
) -> Dataset:
    if parts.split is not None:
        name = f"{name}/{parts.split}"
    whole = Dataset(name, None, parts.queries, parts.qrels, layout.name, source, parts.splits, parts.notes)
    if sample is not None:
        whole = _sampled(whole, sample, seed)
    corpus, notes = None, list(whole.notes)
    if parts.documents is not None:
        keep = {doc for _, docs, _, _ in whole.qrels.judged() for doc in docs} if judged_only else None
        corpus, corpus_notes = parts.documents(keep)
        notes += corpus_notes
        if judged_only:
            notes.append("documents: only those judged for these queries, among which finding is easier than in all")
    elif judged_only:
        raise UsageError(f"{source} has no documents, so it cannot be cut down to judged ones.")
    _, findings = join(corpus, whole.queries, whole.qrels, source)
    return Dataset(
        name, corpus, whole.queries, whole.qrels, layout.name, source, whole.splits, tuple(notes),
        (*changed(path), *findings),
    )  # fmt: skip


def _sampled(dataset: Dataset, size: int, seed: int) -> Dataset:
    """A random sample of `size` queries, in their original order."""
    whole = [query.query_id for query in dataset.judged_queries]
    if not 0 < size <= len(whole):
        raise UsageError(
            f"A sample of {size:,} queries cannot be drawn: {dataset.source} has {len(whole):,} with text and "
            "judgments."
        )
    drawn = set(sorted(whole, key=lambda query: lot(seed, query))[:size])
    chosen = dataset.select(drawn)
    splits = {split: tuple(q for q in ids if q in drawn) for split, ids in dataset.splits.items()}
    note = f"sample of {size:,} of {len(whole):,} queries with text and judgments, seed {seed}"
    return Dataset(
        dataset.name, None, chosen.queries, chosen.qrels, dataset.kind, dataset.source,
        {split: ids for split, ids in splits.items() if ids}, (*dataset.notes, note),
    )  # fmt: skip


def _resolved(what: str) -> str:
    """The path of a bundled sample; any other path as it is, once it exists."""
    if what.startswith(SAMPLE):
        sample = what.removeprefix(SAMPLE)
        folders = os.listdir(_SAMPLES) if os.path.isdir(_SAMPLES) else []
        known = sorted(name for name in folders if BEIR.fits(os.path.join(_SAMPLES, name)))
        if sample not in known:
            raise UnknownName("bundled sample", sample, known)
        return os.path.join(_SAMPLES, sample)
    if not IRDS.fits(what) and not os.path.exists(what):
        raise Unreadable(f"{what}: there is no such folder or file. Check the path.")
    return what


def _layout(path: str, kind: str | None) -> DatasetLayout:
    if kind is not None:
        by_name = {layout.name: layout for layout in LAYOUTS}
        if kind not in by_name:
            raise UnknownName("kind of dataset", kind, by_name)
        if not by_name[kind].fits(path):
            raise Unreadable(f"{path} is not a {kind} dataset, which needs {by_name[kind].wants}.{_there(path)}")
        return by_name[kind]
    fitting = next((layout for layout in LAYOUTS if layout.fits(path)), None)
    if fitting is None:
        if os.path.isfile(path) and (source := open_source(path)).head[:4] != PARQUET:
            require_text(source)  # its message says that an archive must be unpacked
        looked = "; ".join(f"{layout.wants}" for layout in LAYOUTS if layout is not IRDS)
        raise Unreadable(f"{path}: no dataset can be seen in it.{_there(path)} Looked for: {looked}.")
    return fitting


def _there(path: str) -> str:
    if not os.path.isdir(path):
        return ""
    names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    more = ", ..." if len(names) > 8 else ""
    return f" There: {', '.join(names[:8])}{more}." if names else " The folder is empty."


def _accepted(layout: DatasetLayout, options: Mapping[str, object]) -> dict[str, Any]:
    """The options that the layout takes; an error for one that it does not."""
    known = {field.name for field in fields_of(DatasetRequest)}
    for option, value in options.items():
        if option not in known:
            raise UnknownName("option of a dataset", option, known)
        if value is not None and option not in layout.options:
            # "all" is no restriction where there are no splits.
            if option == "split" and value == ALL:
                continue
            raise UsageError(
                f"A {layout.name} dataset has no option {option!r}. It takes: {', '.join(layout.options)}."
            )
    return {option: value for option, value in options.items() if option in layout.options}


def _name(what: str) -> str:
    if ":" in what and what.split(":", 1)[0] in ("irds", "sample"):
        return what.split(":", 1)[1]
    return os.path.splitext(os.path.basename(os.path.abspath(what)))[0] or "dataset"
