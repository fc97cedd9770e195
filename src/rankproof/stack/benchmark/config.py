"""The TOML of a benchmark: pipelines and options, checked before anything runs; a starter file."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.llm.spending import LOCAL, CallLimits, TokenPrices
from rankproof.kernel.sections import some
from rankproof.kernel.specs.kinds import Choice, ItemName, Kind, Number, Text, Texts, Whole
from rankproof.kernel.specs.tables import check_tables, read_table
from rankproof.measuring.names import parse
from rankproof.proving.records import Design
from rankproof.reading.source import read_toml
from rankproof.stack.asking.limits import PARAMS, Limits
from rankproof.stack.benchmark.failed import FAILED_CHOICES
from rankproof.stack.benchmark.prices import CHOICES, DEFAULT_VIEW, Prices, PriceView, model_of
from rankproof.stack.benchmark.records import BenchmarkConfig
from rankproof.stack.benchmark.reranks import DeclaredRerank, read_mode, refuse_reranks
from rankproof.stack.benchmark.times import DEFAULT_TIMING, Timing
from rankproof.stack.engines._terms import Pattern
from rankproof.stack.pipeline import Runner, asks_live_engine, read_pipeline
from rankproof.stack.records import Step


def read_limits(table: object, place: str) -> dict[str, Any]:
    """Limits of requests to live engines, as `Limits` takes them."""
    return read_table(table, {param.name: param.kind for param in PARAMS}, f"{place}, [limits]")


_COST: Mapping[str, Kind] = {"currency": Text(), "max_calls": Whole(1), "max_cost": Number(0)}


def read_prices(table: object, modes: Mapping[str, Step], place: str) -> tuple[Prices | None, CallLimits | None]:
    """What 1,000 queries cost, None where nothing has a price; and what the run may ask and cost."""
    if table is None:
        return None, None
    every = {step.key: step for pipeline in modes.values() for step in pipeline.steps()}.values()
    steps, models = sorted({step.name for step in every}), sorted({m for step in every if (m := model_of(step))})
    head = read_table(table, _COST, f"{place}, [cost]", others=("steps", "modes", "tokens"))
    assert isinstance(table, Mapping)
    by_step = read_table(table.get("steps", {}), dict.fromkeys(steps, Number(0)), f"{place}, [cost.steps]")
    by_mode = read_table(table.get("modes", {}), dict.fromkeys(modes, Number(0)), f"{place}, [cost.modes]")
    tokens = _token_prices(table.get("tokens", {}), models, head, place)
    limits = CallLimits(head.get("max_calls"), head.get("max_cost"), head.get("currency", ""), tokens)
    if not by_step and not by_mode and not tokens and not limits:
        raise UsageError(
            f"{place}: [cost] names no price. Add a table [cost.steps] or [cost.modes] with lines such as: "
            f"{steps[0]} = 0.10, or [cost.tokens] with the prices of a model's tokens."
        )
    priced = by_step or by_mode or tokens
    return Prices(head.get("currency", ""), by_step, by_mode, tokens) if priced else None, limits or None


def _token_prices(
    table: object, models: Sequence[str], head: Mapping[str, object], place: str
) -> dict[str, TokenPrices]:
    """Prices of a million tokens, by model. Each model behind an address has one, or none has: 0 is to be said."""
    where = f"{place}, [cost.tokens]"
    if not isinstance(table, Mapping):
        raise UsageError(f"{where} must be a table of models; got {table!r:.80}.")
    for name in table:
        if name not in models:
            raise UnknownName(f"model that a mode of {place} asks", name, models)
    kinds = dict.fromkeys(("input", "output"), Number(0))
    read = {name: read_table(price, kinds, f"{where}, {name}") for name, price in table.items()}
    lacking = [f"{name}: {key}" for name, price in read.items() for key in kinds if key not in price]
    if table or "max_cost" in head:
        lacking += [name for name in models if name not in table and name != LOCAL]
    if lacking:
        raise UsageError(
            f"{where} has no price of {some(lacking)}. Give what a million tokens cost, 0 where they are free: "
            f'"{lacking[0].partition(":")[0]}" = {{input = 0.15, output = 0.60}}'
        )
    currency = str(head.get("currency", ""))
    return {name: TokenPrices(price["input"], price["output"], currency) for name, price in read.items()}


class PriceNames(Choice):
    """One of a few prices, or a list of them."""

    __slots__ = ()

    def read(self, value: object) -> Any:
        """The names, each once."""
        names = value if isinstance(value, list | tuple) and value else [value]
        return tuple(dict.fromkeys(super(PriceNames, self).read(name) for name in names))


SEVERAL = "datasets"  # the table of several: rankproof.stack.benchmark.datasets.config
STARTER_HINT = "`rankproof benchmark init` writes one to begin with."
TABLES = ("benchmark", "modes", "limits", "cost", "tune")  # [tune] is read by `rankproof tune`
DEFAULT_MEASURES = ("nDCG@10", "RR@10", "AP", "R@100")
# Over all pairs of modes and all measures: with a few dozen queries max_t would leave too little power there.
CORRECTION = "holm"
KEYS: Mapping[str, Kind] = {
    "name": Text(),
    "dataset": Text(),
    "split": Text(),
    "baseline": Text(),
    "measures": Texts(),
    "segments": Texts(),
    "depth": Whole(1),
    "seed": Whole(0),
    "confidence": Number(0.5, 1, open_low=True, open_high=True),
    "significance": ItemName("significance"),
    "correction": ItemName("corrections"),
    "resamples": Whole(1_000),
    "primary": Choice(("first", "all")),
    "failed": Choice(FAILED_CHOICES),
    "price": PriceNames(CHOICES),
    "prompt_depth": Whole(1),
    "token_pattern": Pattern(),
    "latency_queries": Whole(0),
    "latency_warmup": Whole(0),
    "throughput_concurrency": Whole(0),
}
_OF_DESIGN = {field.name for field in fields(Design)}


def read_config(path: str) -> BenchmarkConfig:
    """The configuration in a TOML file; paths in it are named from its folder."""
    document = read_toml(path, STARTER_HINT)
    name = os.path.splitext(os.path.basename(path))[0]
    return config_of(document, path, os.path.dirname(path) or ".", name)


def names_several(document: Mapping[str, object]) -> bool:
    """Whether the file is of several datasets: it has a table of them, or a list that ought to be one."""
    head = document.get("benchmark")
    return SEVERAL in document or (isinstance(head, Mapping) and SEVERAL in head)


def config_of(document: Mapping[str, Any], place: str, folder: str = ".", name: str = "benchmark") -> BenchmarkConfig:
    """The configuration in a dict of the shape of the TOML."""
    if names_several(document):
        raise UsageError(
            f'{place} names several datasets, and this works on one dataset. Put dataset = "..." into the [benchmark] '
            "table of a file of its own; `rankproof benchmark run` takes several."
        )
    check_tables(document, TABLES, place)
    values = read_table(document.get("benchmark", {}), KEYS, f"{place}, [benchmark]")
    modes, inputs, reranks = _modes(document.get("modes", {}), place)
    refuse_reranks(reranks, modes, values.get("depth", 100), place)
    if "dataset" not in values:
        raise UsageError(f'{place} names no dataset. Add dataset = "FOLDER" to its [benchmark] table.')
    baseline = values.pop("baseline", next(iter(modes)))
    if baseline not in modes:
        raise UnknownName(f"mode of {place}", baseline, modes)
    measures = tuple(str(variant) for variant in parse(list(values.pop("measures", DEFAULT_MEASURES))))
    values.setdefault("correction", CORRECTION)
    design = Design(**{key: values.pop(key) for key in _OF_DESIGN & values.keys()}, all_pairs=True)
    limits = read_limits(document.get("limits", {}), place)
    prices, ceiling = read_prices(document.get("cost"), modes, place)
    return BenchmarkConfig(
        name=values.pop("name", name),
        dataset=values["dataset"],
        modes=modes,
        baseline=baseline,
        before={name: max(on, key=lambda other: len(list(modes[other].steps()))) for name, on in inputs.items()},
        measures=measures,
        depth=values.get("depth", 100),
        split=values.get("split", ""),
        by=values.get("segments", ()),
        design=design,
        folder=folder,
        source=place,
        inputs=inputs,
        reranks=reranks,
        limits=limits,
        prices=prices,
        ceiling=ceiling,
        view=_view(values, place),
        failed=values.get("failed", "undecided"),
        timing=_timing(values, Limits(**limits).concurrency, modes, place),
    )


def _timing(values: Mapping[str, Any], at_once: int, modes: Mapping[str, Step], place: str) -> Timing:
    """How times are taken; a live engine is never asked more at once than the limits allow."""
    queries = values.get("latency_queries", DEFAULT_TIMING.queries)
    named = values.get("throughput_concurrency")
    if named and not queries:
        raise UsageError(
            f"{place}, [benchmark]: latency_queries = 0 takes no times, so throughput_concurrency = {named} cannot be "
            "measured. Set latency_queries to 1 or more, or leave throughput_concurrency out."
        )
    if named is not None and named > at_once and any(asks_live_engine(mode) for mode in modes.values()):
        raise UsageError(
            f"{place}, [benchmark]: throughput_concurrency = {named} is more than [limits] allows a live engine "
            f"(concurrency = {at_once}). Raise concurrency in [limits], or say {at_once} or less."
        )
    concurrency = named if named is not None else at_once if at_once > 1 and queries else 0
    return Timing(queries, values.get("latency_warmup", DEFAULT_TIMING.warmup), concurrency)


def _view(values: Mapping[str, Any], place: str) -> PriceView:
    """By which prices quality is looked at; how tokens are counted is refused where nobody counts them."""
    names = values.get("price", DEFAULT_VIEW.names)
    counting = [key for key in ("prompt_depth", "token_pattern") if key in values]
    if counting and "tokens" not in names:
        raise UsageError(
            f"{place}, [benchmark]: {' and '.join(counting)}: tokens are counted where price names them. Add "
            'price = "tokens", or price = ["latency", "tokens"].'
        )
    pattern = values.get("token_pattern", DEFAULT_VIEW.pattern)
    if re.match(pattern, ""):
        raise UsageError(
            f"{place}, [benchmark]: token_pattern {pattern!r} finds tokens of no letters. Let it match one sign or "
            r"more, such as '\w+'."
        )
    return PriceView(names, values.get("prompt_depth", DEFAULT_VIEW.prompt_depth), pattern)


def _modes(table: object, place: str) -> tuple[dict[str, Step], dict[str, tuple[str, ...]], dict[str, DeclaredRerank]]:
    """The pipelines by name; for each the modes that it builds on: those that flow right into it, and what it is
    declared to rerank; and these declarations."""
    if not isinstance(table, Mapping) or not table:
        raise UsageError(f'{place} names no mode. Add a table [modes] with lines such as: lexical = "bm25()"')
    modes: dict[str, Step] = {}
    inputs: dict[str, tuple[str, ...]] = {}
    reranks: dict[str, DeclaredRerank] = {}
    for name, value in table.items():
        if not name.isidentifier():
            raise UsageError(f"{place}: the mode {name!r} needs a name of letters, digits and _.")
        text, declared = read_mode(value, place, name)
        try:
            modes[name] = read_pipeline(text, modes)
        except UsageError as error:
            raise UsageError(f"{place}, mode {name}: {error}") from None
        nearest = tuple(_nearest(modes[name], {step.key: other for other, step in modes.items() if other != name}))
        if declared is not None:
            reranks[name] = declared
            nearest = tuple(dict.fromkeys((*nearest, declared.of)))
        if nearest:
            inputs[name] = nearest
    return modes, inputs, reranks


def _nearest(step: Step, named: Mapping[str, str]) -> Iterator[str]:
    """The named pipelines that flow into a step, and none that flows into one of these."""
    seen: dict[str, None] = {}
    for before in step.inputs:
        seen.update(dict.fromkeys([named[before.key]] if before.key in named else _nearest(before, named)))
    yield from seen


def lacking(config: BenchmarkConfig, runner: Runner) -> dict[str, str]:
    """For each mode that cannot be opened the message of the engine or stage that refuses."""
    reasons = {}
    for name, pipeline in config.modes.items():
        try:
            runner.open([pipeline])
        except UsageError as error:
            reasons[name] = str(error)
    return reasons


def without(config: BenchmarkConfig, modes: Container[str]) -> BenchmarkConfig:
    """The configuration less these modes; the first of the others is the baseline where that was one of them."""
    left = {name: step for name, step in config.modes.items() if name not in modes}
    baseline = config.baseline if config.baseline in left else next(iter(left), "")
    return replace(
        config,
        modes=left,
        baseline=baseline,
        before={name: before for name, before in config.before.items() if name in left and before in left},
        inputs={name: tuple(mode for mode in on if mode in left) for name, on in config.inputs.items() if name in left},
        reranks={name: declared for name, declared in config.reranks.items() if name in left},
    )


STARTER = """\
# A search stack, mode by mode: rankproof benchmark run THIS-FILE
#
# A mode is a pipeline: an engine, and stages that its rankings flow through. A mode may be named in the pipelines
# below it; what modes share runs once. Every engine and stage has a page: rankproof explain bm25

[benchmark]
name = "shop search"
dataset = "sample:shop"                # bundled; or a folder: BEIR, ESCI, TREC files, ...; from where this file is
measures = ["nDCG@10", "RR@10", "R@100"]
segments = ["kind"]                    # columns of the queries
depth = 100                            # documents of each ranking
baseline = "lexical"
confidence = 0.95
significance = "t_or_gaffke"
correction = "holm"                    # over all pairs of modes and measures; segments are a family of their own
seed = 0

[modes]
lexical = "bm25()"
vector = "dense()"
hybrid = "fuse_rrf(lexical, vector, k=60)"
maxsim = "hybrid >> rerank_maxsim(depth=30)"

# [limits]                             # how hard live engines may be asked; these are the defaults
# concurrency = 4                      # requests under way at once
# timeout = 10                         # seconds for one request
# attempts = 5                         # how often a query is asked at most, with growing waits between
# rate = 20                            # requests per second at most; no limit by default

# failed = "undecided"                 # in [benchmark]: what queries without an answer make of the verdict
# latency_queries = 100                # in [benchmark]: queries of each mode that are timed one at a time; 0: no times
# latency_warmup = 5                   # in [benchmark]: requests to each mode before them, which are not counted
# throughput_concurrency = 4           # in [benchmark]: requests under way at once for throughput; 0: not measured

# [datasets]                           # in the place of dataset: every mode on each of them, one verdict over all
# shop = "sample:shop"
# scifact = {path = "../scifact", split = "test"}

# price = ["latency", "tokens", "calls"]  # in [benchmark]: what quality is held against; the default is latency
# prompt_depth = 10                    # in [benchmark]: of how many first documents tokens are counted

# [cost]                               # prices of 1,000 queries: a mode costs the sum of its steps
# currency = "USD"
# max_calls = 2000                     # requests to language models in one run, at most
# max_cost = 1.50                      # what they may cost, by [cost.tokens]
# [cost.steps]
# dense = 0.02
# [cost.modes]                         # or a price of its own
# maxsim = 0.35
# [cost.tokens]                        # prices of a million tokens, by model, for stages that ask one
# "model-name" = {input = 0.15, output = 0.60}
"""


def starter_config() -> str:
    """The text of the file."""
    return STARTER
