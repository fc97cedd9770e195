"""Make and fill the indexes that the modes of a benchmark search."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.stack.indexing.records import FillOptions, IndexedTarget, IndexingReport


@click.command("index")
@click.argument("config", type=click.Path())
@click.option("--mode", "modes", multiple=True, help="Only the indexes of this mode; may be repeated.")
@click.option("--replace", is_flag=True, help="Remove an index that `rankproof index` made, and make it anew.")
@click.option("--dry-run", is_flag=True, help="Show what would be made: mappings or statements. Nothing is written.")
@click.option("--batch", type=click.IntRange(1, 100_000), default=500, show_default=True, help="Documents a request.")
@click.option(
    "--sample", type=click.IntRange(1), default=100, show_default=True, help="Documents to read back and compare."
)
@click.option("--compare-all", is_flag=True, help="Read every document back and compare it.")
@click.option("--cache", type=click.Path(), help="The folder for what is expensive to make; beside CONFIG by default.")
@answer_options
def command(
    config: str,
    modes: Sequence[str],
    replace: bool,
    dry_run: bool,
    batch: int,
    sample: int,
    compare_all: bool,
    cache: str | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Make the indexes that the modes of CONFIG search, and fill them with its dataset: texts, and vectors of a model.

    Run again, it goes on where it was interrupted, and verifies what is there: the number of documents, a sample of
    them read back and compared, and whether searches find them. An index that it did not make is never written to. How
    an index is made is said in tables such as [index.opensearch] of CONFIG.

    Exit status: 0 all is there and verified, 1 it is not, 2 wrong usage.

    \b
    rankproof index benchmark.toml --dry-run
    rankproof index benchmark.toml --mode lexical --compare-all
    """
    refuse_outputs(output)
    if dry_run and replace:
        raise UsageError("--dry-run writes nothing, so there is nothing to --replace. Leave one of them out.")
    from rankproof.stack.indexing.records import FillOptions

    began = time.perf_counter()
    options = FillOptions(batch, None if compare_all else sample, replace)
    report = _indexing(config, modes, cache, options, dry_run)
    seconds = time.perf_counter() - began
    if as_json:
        body = {**report.to_dict(), "observed": report.observed(seconds)}
        _output.give(_output.document("index/1", body), output)
    else:
        _output.give("\n".join(_text(report)) + "\n", output)
    return 1 if report.faults else 0


def _indexing(
    path: str, modes: Sequence[str], cache: str | None, options: FillOptions, dry_run: bool
) -> IndexingReport:
    """Makes and fills the indexes of a configuration; `modes` are those whose indexes are wanted, none for all."""
    from rankproof.cli.shared import benchmarking
    from rankproof.kernel.cache import NO_CACHE, FolderCache
    from rankproof.stack.asking.limits import Limits
    from rankproof.stack.benchmark.config import read_config
    from rankproof.stack.indexing.fill import fill_index
    from rankproof.stack.indexing.records import IndexingReport
    from rankproof.stack.indexing.targets import settings_of, targets_of
    from rankproof.stack.records import Ground

    config = benchmarking.only(read_config(path), modes)
    wanted = {name: step for name, step in config.modes.items() if not modes or name in modes}
    targets, left_out = targets_of(wanted)
    settings = settings_of(path, {target.engine.name: target.engine for target in targets})
    dataset = benchmarking.read_data(config)
    folder = cache or os.path.join(config.folder, benchmarking.CACHE)
    if not dry_run:
        benchmarking.make_folder(folder)
    with _output.ticking() as report:
        keep = NO_CACHE if dry_run else FolderCache(folder)
        ground = Ground(dataset.corpus, keep, config.folder, progress=report)
        limits = Limits(**config.limits)
        indexes = [fill_index(t, settings[t.engine.name], ground, limits, options, dry_run) for t in targets]
    return IndexingReport(config.dataset, ground.documents("index").content_hash, tuple(indexes), tuple(left_out))


def _text(report: IndexingReport) -> Iterator[str]:
    from rankproof.kernel.sections import printable

    for one in report.indexes:
        yield from map(printable, _index_lines(one))
    for left in report.left_out:
        yield printable(f"{left.mode}: {left.engine} has no index to fill: {left.why}")


def _index_lines(one: IndexedTarget) -> Iterator[str]:
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.sections import counted

    documents = counted(one.documents, "document")
    fields = ", ".join([*one.fields, *(f"{name} ({size} numbers)" for name, size in one.vectors.items())])
    if one.outcome == "planned":
        yield f"{one.target.name}, for {', '.join(one.target.steps)}: {documents}, fields {fields}"
        yield from (f"  {line}" for line in to_json(dict(one.plan), indent=2).splitlines())
        return
    yield f"{one.target.name}: {one.outcome}: {documents}" + ("" if one.outcome == "there" else f", {one.put:,} put")
    yield f"  fields: {fields}"
    size = "" if one.bytes is None else f", {one.bytes:,} bytes"
    if one.faults:
        yield from (f"  FAULT: {fault}" for fault in one.faults)
        yield "  What is there is not this dataset. Find out who wrote to it, then make it anew: --replace"
        return
    yield f"  verified: {documents} counted, {one.compared:,} read back and equal"
    for mode, search in one.searches.items():
        if search.why:
            yield f"  {mode}: not tried: {search.why}"
        else:
            yield f"  {mode}: finds {search.found} of {counted(search.tried, 'document')} by their own words"
    yield f"  {one.seconds:.1f} s{size}"
