"""What a benchmark leaves behind: runs, times, evaluation reports, reports of the whole, manifests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from rankproof.records.benchmark import Benchmark, BenchmarkConfig
    from rankproof.records.dataset import Dataset
    from rankproof.records.outcome import ModeOutcome

QRELS = "qrels.trec"
MANIFEST = "manifest.json"


def refuse_folder(path: str) -> None:
    """An error when nothing can be written there; asked before the work, not after it."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise UsageError(f"{path} is a file. Name a folder to write to.")
    above = os.path.abspath(path)
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above) or not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"The folder {path} cannot be written: {above} does not allow it. Name another folder.")


def write_everything(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    found: Benchmark,
    outcomes: Mapping[str, ModeOutcome],
    observed: Mapping[str, Any],
) -> Benchmark:
    """Every file of a benchmark, the manifest last; the benchmark with its manifest, as the page shows it."""
    from rankproof.store.lasting import write_manifest

    write_runs(folder, config, dataset, outcomes, observed)
    record = put_on_record(folder, config, dataset, found, observed)
    shown = {key: value for key, value in record.to_dict().items() if key != "observed"}
    found = replace(found, comparison=replace(found.comparison, manifest=shown))
    write_reports(folder, found, observed)
    write_manifest(os.path.join(folder, MANIFEST), record)
    return found


def write_runs(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    outcomes: Mapping[str, ModeOutcome],
    observed: Mapping[str, Any],
) -> dict[str, Any]:
    """A run and a latency file for each mode, and the manifest of them all; each file whole or not at all."""
    from rankproof.flow.benchmarking.fetched import fetch_manifest
    from rankproof.flow.collect import read_run
    from rankproof.records.jsontext import to_json
    from rankproof.store.atomic import replace_file
    from rankproof.store.files import format_for, pieces

    for name, outcome in outcomes.items():
        _refuse_ids(name, outcome)
    files = {}
    for below in ("runs", "latency"):
        os.makedirs(os.path.join(folder, below), exist_ok=True)
    for name, outcome in outcomes.items():
        run, latency = f"runs/{name}.run", f"latency/{name}.tsv"
        content = b"".join(pieces(read_run(outcome.as_run(), name=name), format_for(run, "run", "trec")))
        replace_file(os.path.join(folder, run), [content])
        replace_file(os.path.join(folder, latency), _latency_lines(outcome))
        files[name] = {"run": run, "latency": latency, "sha256": sha256(content).hexdigest()}
    document = fetch_manifest(config, dataset, outcomes, files, observed)
    replace_file(os.path.join(folder, "fetch.json"), [f"{to_json(document, indent=2)}\n".encode()])
    return document


def put_on_record(
    folder: str, config: BenchmarkConfig, dataset: Dataset, found: Benchmark, observed: Mapping[str, Any]
) -> Any:
    """Writes the judgments and an evaluation report for each mode; the manifest by which all can be computed again.

    The runs are read back from their files: what was written is what the hashes speak of.
    """
    from rankproof.flow.benchmarking.recorded import benchmark_manifest, mode_report
    from rankproof.flow.joining import join_run, prepare_qrels
    from rankproof.store.files import write
    from rankproof.store.lasting import write_report

    qrels = os.path.join(folder, QRELS)
    write(dataset.qrels, qrels, "trec")
    judged = prepare_qrels(qrels)
    runs = {}
    for evaluation in found.comparison.evaluations:
        name = evaluation.run_name
        path = os.path.join(folder, "runs", f"{name}.run")
        runs[path] = join_run(judged, path, name=name)
        place = os.path.join(folder, "modes", name)
        os.makedirs(place, exist_ok=True)
        write_report(
            os.path.join(place, "EvaluationReport.json"),
            mode_report(found, evaluation, runs[path], dataset.name, observed),
        )
    return benchmark_manifest(config, found, (qrels, judged), runs, observed)


def write_reports(folder: str, found: Benchmark, observed: Mapping[str, Any]) -> None:
    """The reports of the whole, each file whole or not at all."""
    from rankproof import shelf
    from rankproof.store.atomic import replace_file

    for form, file in (
        ("json", "BenchmarkReport.json"),
        ("markdown", "BenchmarkComparison.md"),
        ("html", "BenchmarkReport.html"),
    ):
        report = shelf.find("reports", form)
        text = report.benchmark(found, per_query=form == "json", observed=observed)
        replace_file(os.path.join(folder, file), [text.encode("utf-8", "surrogateescape")])


def _refuse_ids(name: str, outcome: ModeOutcome) -> None:
    """InputError for an id that would make two columns of a run's line, before anything is written."""
    for query, ranking in zip(outcome.query_ids, outcome.rankings, strict=True):
        for given in (query, *ranking.doc_ids):
            if len(given.split()) != 1:
                raise InputError(
                    f"{name}, query {query!r}: the id {given!r} is empty or has white space in it, which a run file "
                    "cannot hold. Name a field that has an id in one piece."
                )


def _latency_lines(outcome: ModeOutcome) -> Iterator[bytes]:
    for query, time in zip(outcome.query_ids, outcome.milliseconds.tolist(), strict=True):
        if time == time:  # an answer that was kept has no time
            yield f"{query}\t{time:.6f}\n".encode("utf-8", "surrogateescape")
