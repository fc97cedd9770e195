"""The table [datasets] of a benchmark: one configuration for each dataset, all with the same modes and measures.

    [datasets]
    shop = "sample:shop"
    scifact = {path = "../scifact", split = "test", segments = ["kind"]}

A mode that is not run everywhere would have no mean over datasets, so every mode is run on every dataset. Where a
pipeline needs something else on each (an index, a run), `{dataset}` in its text stands for the dataset's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.specs.kinds import Kind, Text, Texts
from rankproof.kernel.specs.tables import read_table
from rankproof.stack.benchmark.config import SEVERAL, config_of
from rankproof.stack.benchmark.records import BenchmarkConfig

# What a pipeline's text may name for the dataset that it runs on.
PLACE = "{dataset}"
KEYS: Mapping[str, Kind] = {"path": Text(), "split": Text(), "segments": Texts()}
# A name is a folder of the report, and stands between quotes in pipelines.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
# Names that Windows keeps for devices, and that end as no folder may.
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


@dataclass(frozen=True, slots=True, eq=False)
class DatasetsConfig:
    """One benchmark on several datasets.

    name     of the whole; that of each dataset's configuration says which dataset it is of
    configs  by dataset: the same modes, baseline, measures and design, in the order of the table
    source   the file
    """

    name: str
    configs: Mapping[str, BenchmarkConfig]
    source: str

    @property
    def first(self) -> BenchmarkConfig:
        """The first dataset's: modes, measures and design are those of all."""
        return next(iter(self.configs.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The datasets."""
        return tuple(self.configs)

    def each(self, change: Callable[[BenchmarkConfig], BenchmarkConfig]) -> DatasetsConfig:
        """The same with every dataset's configuration changed."""
        return replace(self, configs={name: change(config) for name, config in self.configs.items()})

    def only(self, dataset: str) -> BenchmarkConfig:
        """The configuration of one dataset: an ordinary benchmark."""
        if dataset not in self.configs:
            raise UnknownName(f"dataset of {self.source}", dataset, self.configs)
        return self.configs[dataset]


def datasets_config_of(
    document: Mapping[str, object], place: str, folder: str = ".", name: str = "benchmark"
) -> DatasetsConfig:
    """The configuration of several datasets in a dict of the shape of the TOML."""
    head = document.get("benchmark", {})
    if not isinstance(head, Mapping):
        raise UsageError(f"{place}, [benchmark] must be a table of keys and values; got {head!r:.80}.")
    if SEVERAL not in document:
        raise UsageError(
            f"{place}: several datasets are a table of their own, which gives each a name. Take datasets out of "
            '[benchmark] and write below it: [datasets], with lines such as: shop = "sample:shop"'
        )
    if "dataset" in head:
        raise UsageError(
            f"{place} has dataset = {head['dataset']!r} in [benchmark] and a table [datasets]. Name one dataset in "
            "[benchmark], or all of them in [datasets]."
        )
    sources = _sources(document[SEVERAL], place)
    whole = head["name"] if isinstance(head.get("name"), str) else name
    configs = {
        dataset: config_of(
            {
                **{key: value for key, value in document.items() if key != SEVERAL},
                "benchmark": {**head, **source, "name": f"{whole} on {dataset}"},
                "modes": _filled(document.get("modes", {}), dataset),
            },
            place,
            folder,
        )
        for dataset, source in sources.items()
    }
    return DatasetsConfig(str(whole), configs, place)


def _sources(table: object, place: str) -> dict[str, dict[str, object]]:
    """By dataset what of [benchmark] is its own: dataset, and split and segments where it says them."""
    where = f"{place}, [datasets]"
    if not isinstance(table, Mapping):
        raise UsageError(f'{where} must be a table with lines such as: shop = "sample:shop"; got {table!r:.80}.')
    if len(table) < 2:
        raise UsageError(
            f"{where} names {'one dataset alone' if table else 'no dataset'}. Add lines such as: "
            'shop = "sample:shop"; or put dataset = "..." into [benchmark] for one alone.'
        )
    sources: dict[str, dict[str, object]] = {}
    for name, value in table.items():
        _refuse_name(name, sources, where)
        own = read_table({"path": value} if isinstance(value, str) else value, KEYS, f"{where}, {name}")
        if not own.get("path"):
            raise UsageError(f'{where}, {name}: path is missing. Say where it is: {name} = {{path = "FOLDER"}}')
        same = [other for other, there in sources.items() if there == _as_benchmark(own)]
        if same:
            raise UsageError(
                f"{where}: {same[0]} and {name} are the same data, which would count twice, as if its queries had "
                "been asked of other people. Leave one out, or give each another split."
            )
        sources[name] = _as_benchmark(own)
    return sources


def _as_benchmark(own: Mapping[str, object]) -> dict[str, object]:
    return {"dataset": own["path"], **{key: own[key] for key in ("split", "segments") if key in own}}


def _refuse_name(name: str, others: Mapping[str, object], where: str) -> None:
    if not _NAME.fullmatch(name) or name.endswith(".") or name.partition(".")[0].casefold() in _DEVICES:
        raise UsageError(
            f"{where}: {name!r} cannot name a dataset, since it names a folder of the report. Use letters, digits, "
            "_, - and . (64 at most), such as scifact-test."
        )
    twin = [other for other in others if other.casefold() == name.casefold()]
    if twin:
        raise UsageError(f"{where}: {twin[0]} and {name} would be one folder where case is not told apart. Rename one.")


def _filled(modes: object, dataset: str) -> object:
    """The table of modes with the dataset's name in every text."""
    if isinstance(modes, str):
        return modes.replace(PLACE, dataset)
    if isinstance(modes, Mapping):
        return {key: _filled(value, dataset) for key, value in modes.items()}
    return modes
