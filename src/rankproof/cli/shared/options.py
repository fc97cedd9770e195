"""Options that commands share: types that know the shelves, groups of options, and what is refused before any work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import click

from rankproof.cli.shared.collapsing import collapse_options
from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.atomic import refuse
from rankproof.measuring.records import MOST_THREADS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from click.shell_completion import CompletionItem

    from rankproof.measuring.prepare import PreparedQrels, PreparedRun

    _Text = click.ParamType[str]
    Record = TypeVar("Record", bound=DataclassInstance)
else:
    _Text = click.ParamType
    Record = TypeVar("Record")

# What a report can hold, with its article.
_A = {"evaluation": "an evaluation", "comparison": "a comparison", "verdict": "a verdict", "benchmark": "a benchmark"}


class ShelfName(_Text):
    """The name of an item on a shelf. `holds` keeps to formats and reports that can hold a noun."""

    def __init__(self, shelf_name: str, holds: str | None = None) -> None:
        self.shelf_name, self.holds = shelf_name, holds
        self.name = shelf.KINDS[shelf_name]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, also of another spelling; an error that names its neighbors where the shelf knows none.

        After the name of a format its options may stand in brackets: mteb(split=test).
        """
        if self.shelf_name == "formats" and "(" in value:
            name, bracket, options = value.partition("(")
            return f"{self.convert(name, param, ctx)}{bracket}{options}"
        item = shelf.glance(self.shelf_name, value)
        if item is None:
            value = shelf.canonical(self.shelf_name, value)
            item = shelf.find(self.shelf_name, value)
        if self.shelf_name == "reports" and self.holds is not None and self.holds not in item.holds:
            raise UsageError(
                f"The report {value} cannot show {_A[self.holds]}; it shows: {', '.join(item.holds)}. "
                f"Possible here: {', '.join(self._names())}."
            )
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The names in the help: read when help is asked for."""
        names = self._names()
        return f"[{'|'.join(names)}]" if len(names) <= 8 else self.name.upper()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        from rankproof.cli.shared.completing import items

        return items(self._names(), incomplete)

    def _names(self) -> list[str]:
        items = shelf.everything(self.shelf_name)
        return [name for name, item in items.items() if self.holds is None or self.holds in item.holds]


class Measures(_Text):
    """One or more measures in any accepted spelling: the text as typed, read where it is used."""

    name = "measures"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Completes the last measure of the text, with usual cutoffs."""
        from rankproof.cli.shared.completing import measure_items

        return measure_items(incomplete)


F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_MEASURES = "nDCG@10 RR@10 AP R@100 P@10"


class Decorator(Protocol):
    """Adds options to a command and leaves it what it is."""

    def __call__(self, function: F) -> F:
        """The command with its options."""


def together(options: Sequence[Callable[[Any], Any]]) -> Decorator:
    """One decorator for several options; in the help they stand in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


answer_options = together(
    [
        click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too."),
        click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all."),
    ]
)

design = together(
    [
        click.option(
            "--significance",
            "--test",
            type=ShelfName("significance"),
            default="t_or_gaffke",
            show_default=True,
            help="The method of confidence intervals and p-values: t-test, wilcoxon, permutation, bootstrap, ...",
        ),
        click.option(
            "--correction",
            type=ShelfName("corrections"),
            help="What keeps the family of tests honest. Default: max_t over three systems and more, holm over two.",
        ),
        click.option(
            "--confidence", type=float, default=0.95, show_default=True, help="The level of the confidence intervals."
        ),
        click.option(
            "--resamples",
            type=int,
            default=100_000,
            show_default=True,
            help="Random resamples, where a method draws any.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random generator."),
        click.option("--all-pairs", is_flag=True, help="Compare every pair, not only candidates with the baseline."),
        click.option(
            "--equivalence", type=float, metavar="MARGIN", help="Test whether the systems are the same up to MARGIN."
        ),
        click.option(
            "--non-inferiority", type=float, metavar="MARGIN", help="Test whether a candidate is not worse by MARGIN."
        ),
    ]
)
_compared = f"What to compare, in any accepted spelling; may be repeated. Default: {DEFAULT_MEASURES}."
statistics = together([click.option("-m", "--measures", multiple=True, type=Measures(), help=_compared), design])

queries = together(
    [
        click.option("--topics", type=click.Path(), help="The queries' texts, to show beside their ids."),
        click.option("--queries", type=click.Path(), help="Columns about the queries: CSV, TSV or JSON lines."),
        click.option(
            "--by", multiple=True, metavar="COLUMN", help="Compare on each value of this column too; may be repeated."
        ),
        click.option("--weights", default="", metavar="COLUMN", help="What each query counts, such as its traffic."),
        click.option("--strata", default="", metavar="COLUMN", help="Kinds of queries, each sampled on its own."),
        click.option("--clusters", default="", metavar="COLUMN", help="Queries that came together: of one user, ..."),
    ]
)

record = together(
    [
        click.option("--manifest", type=click.Path(), help="Write what was compared, and how, for `rankproof verify`."),
        click.option("--experiment", default="", metavar="NAME", help="What the manifest calls the experiment."),
        click.option("--dataset-version", default="", metavar="TEXT", help="The version of the data; for the record."),
        click.option("--note", "notes", multiple=True, metavar="TEXT", help="A note for the manifest; repeatable."),
    ]
)

columns = click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME,...",
    help="Which column is what: query_id=question_id,doc_id=chunk_id. Of runs or judgments alone: run:score=NAME.",
)

two_runs = together(
    [
        columns,
        click.option(
            "--order",
            type=click.Choice(["score", "rank", "given"]),
            help="What puts documents in order; scores by default where there are any.",
        ),
        click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first."),
        click.option(
            "--run-format",
            type=ShelfName("formats", "run"),
            help="The format of both runs; detected by content otherwise.",
        ),
    ]
)

allowed = click.option(
    "--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault."
)

strictness = together(
    [
        click.option(
            "--allow",
            metavar="CODE",
            multiple=True,
            type=ShelfName("checks"),
            help="Report this fault as a note; may be repeated.",
        ),
        click.option("--strict", is_flag=True, help="Warnings count as errors."),
    ]
)

holes = together(
    [
        click.option(
            "--pool",
            type=click.Path(),
            help="Further documents that could be relevant: a run or qrels. The compared runs' documents always are.",
        ),
        click.option(
            "--open",
            "open_universe",
            is_flag=True,
            help="Bound values as if any document, retrieved or not, could be relevant.",
        ),
        click.option("--no-beyond", is_flag=True, help="Leave out blind spots, bounds, ties and diagnoses."),
    ]
)

reading = together(
    [
        click.option("-c", "--complete", is_flag=True, help="Score judged queries that a run lacks in every dialect."),
        click.option("-M", "--depth", type=click.IntRange(1), help="Look only at the first DEPTH documents."),
        click.option("-l", "--level", type=click.IntRange(0), help="The least grade that counts as relevant."),
        click.option("-J", "--judged-only", is_flag=True, help="Remove unjudged documents from the rankings first."),
        click.option("--dialect", type=ShelfName("dialects"), default="rankproof", help="Whose conventions to follow."),
        click.option(
            "--undefined",
            type=click.Choice(["zero", "skip"]),
            default="zero",
            show_default=True,
            help="Queries where a measure is undefined count as it says, or are left out of all.",
        ),
        click.option("--order", type=click.Choice(["score", "rank", "given"]), help="What puts documents in order."),
        click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first."),
        collapse_options(),
        click.option("--drop-self", is_flag=True, help="Remove a document whose id is the query's own."),
        click.option(
            "--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of a fault."
        ),
        columns,
        click.option("--qrels-format", type=ShelfName("formats", "qrels"), help="The format of QRELS."),
        click.option("--run-format", type=ShelfName("formats", "run"), help="The format of every run."),
        click.option(
            "--threads", type=click.IntRange(0, MOST_THREADS), default=0, help="How many threads read; 0 for all cores."
        ),
    ]
)


engine = together(
    [
        click.option(
            "--memory",
            metavar="SIZE",
            help="About how much memory reading a run may take, such as 512MB; larger runs are read in pieces. "
            "1GB by default. Never changes a result.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "spark"]),
            default="local",
            show_default=True,
            help="Where runs are read and joined. Never changes a result.",
        ),
        click.option(
            "--master", metavar="URL", help="With --engine spark: the cluster, as local[4], spark://host:7077 or yarn."
        ),
    ]
)


@dataclass(frozen=True)
class ReadingOptions:
    """How judgments and runs are read, as the options of these names have it."""

    order: Literal["score", "rank", "given"] | None
    lower_is_better: bool
    collapse: str | None
    unmapped: str | None
    collapse_qrels: bool
    drop_self: bool
    allow: Sequence[str]
    qrels_format: str | None
    run_format: str | None
    threads: int = 0
    columns: Sequence[str] = ()

    def of_runs(self) -> dict[str, Any]:
        """The keywords of functions that read one run."""
        return {
            "format": self.run_format, "order": self.order, "lower_is_better": self.lower_is_better,
            "collapse": self.collapse, "unmapped": self.unmapped, "drop_self": self.drop_self, "allow": self.allow,
            **({"columns": self.columns} if self.columns else {}),
        }  # fmt: skip

    def on_record(self) -> dict[str, object]:
        """What a manifest records: all that can change a value."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "threads"}


@dataclass(frozen=True)
class EngineOptions:
    """Where runs are read and joined."""

    engine: str
    master: str | None
    memory: str | None


def from_options(kind: type[Record], options: Mapping[str, Any]) -> Record:
    """A record from the options of a command that are called like its fields; the others keep their defaults."""
    values = {}
    for field in fields(kind):
        if field.name in options:
            values[field.name] = options[field.name]
    return kind(**values)


def run_preparer(engine: EngineOptions, qrels: PreparedQrels, reading: ReadingOptions) -> Callable[[str], PreparedRun]:
    """What joins a run with these judgments, here or on Spark. A Spark session ends with the command."""
    if engine.engine == "local":
        if engine.master is not None:
            raise UsageError("--master names a Spark cluster: add --engine spark.")
        from rankproof.measuring.prepare import join_run

        return partial(join_run, qrels, memory=engine.memory, threads=reading.threads, **reading.of_runs())
    if engine.memory is not None:
        raise UsageError("--memory is for this machine; on Spark, executors have what the cluster gives them.")
    from rankproof.scale.session import session
    from rankproof.scale.spark import prepare_run

    spark = click.get_current_context().with_resource(session(engine.master))
    return partial(prepare_run, spark, qrels, **reading.of_runs())


# Standard input among inputs, standard output among outputs.
STANDARD_STREAM = "-"


def chosen_form(form: str | None, as_json: bool) -> str:
    """The form of the answer: --json means --format json and cannot stand beside another form; table by default."""
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    return "json" if as_json else form or "table"


def refuse_second_stdin(paths: Iterable[str | None]) -> None:
    """Standard input can be read once: UsageError where more than one of the inputs is `-`."""
    if list(paths).count(STANDARD_STREAM) > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")


def refuse_outputs(*paths: str | None, read: Iterable[object] = ()) -> None:
    """UsageError where an output file cannot be written, or is another file of the same command.

    Nothing is checked for None and for standard output (`-`). `read` has the files that are read and that the command
    line does not name one by one: those of a folder, of a pattern or of a policy.
    """
    inputs = {os.path.realpath(path) for path in read if isinstance(path, str)}
    for path in paths:
        if path is not None and path != STANDARD_STREAM:
            refuse(path)
            _refuse_overwriting(path)
            if os.path.realpath(path) in inputs:
                raise UsageError(f"{path} is one of the files that are read. Name another file to write to.")


def _refuse_overwriting(path: str) -> None:
    """UsageError where a path to write to stands in a second place: what is read there, or written, would be lost."""
    context = click.get_current_context(silent=True)
    if context is None or (os.path.exists(path) and not os.path.isfile(path)):  # a pipe or a device loses nothing
        return
    named = []
    for param in context.command.params:
        value = context.params.get(param.name or "")
        values = value if isinstance(value, list | tuple) else [value]
        if isinstance(param.type, click.Path) and any(
            isinstance(other, str) and os.path.realpath(other) == os.path.realpath(path) for other in values
        ):
            named.append(param.opts[-1] if isinstance(param, click.Option) else param.make_metavar(context))
    if len(named) > 1:
        raise UsageError(f"{path} is named twice, as {' and as '.join(named)}. Name another file to write to.")
