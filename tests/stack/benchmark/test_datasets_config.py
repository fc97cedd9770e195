"""The table [datasets]: one configuration for each dataset, and what is refused before anything is read."""

from __future__ import annotations

from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.datasets.config import DatasetsConfig, datasets_config_of

MODES = {"lexical": "bm25()", "other": "bm25(k1=2)"}


def read(datasets: object, modes: object = MODES, **head: object) -> DatasetsConfig:
    return datasets_config_of({"benchmark": head, "datasets": datasets, "modes": modes}, "b.toml", "there", "b")


def test_each_dataset_has_a_configuration_of_its_own() -> None:
    found = read(
        {"shop": "sample:shop", "sci-fact": {"path": "../scifact", "split": "test", "segments": ["kind"]}},
        split="dev", name="both", measures=["AP"], depth=7,
    )  # fmt: skip
    assert found.name == "both"
    assert found.names == ("shop", "sci-fact")
    shop, science = found.configs.values()
    assert (shop.name, shop.dataset, shop.split, shop.by) == ("both on shop", "sample:shop", "dev", ())
    assert (science.dataset, science.split, science.by) == ("../scifact", "test", ("kind",))
    assert shop.folder == science.folder == "there"
    for own in (shop, science):
        assert (own.measures, own.depth, own.baseline, own.source) == (("AP",), 7, "lexical", "b.toml")
    assert found.only("shop") is shop
    with raises(UnknownName, "shopp", "'shop'"):
        found.only("shopp")


def test_a_pipeline_may_name_the_dataset_that_it_runs_on() -> None:
    found = read(
        {"a": "x", "b": "y"},
        {
            "lexical": "replay(path='{dataset}/bm25.run')",
            "other": "fuse_rrf(lexical, replay(path='runs/{dataset}.run'))",
            "ranked": {"pipeline": "replay(path='{dataset}.run')", "rerank_of": "lexical", "depth": 5},
        },
    )
    assert found.configs["b"].modes["lexical"].text == "replay(path='b/bm25.run')"
    assert found.configs["a"].modes["other"].text == "fuse_rrf(replay(path='a/bm25.run'), replay(path='runs/a.run'))"
    assert found.configs["b"].inputs["other"] == ("lexical",)
    assert found.configs["b"].modes["ranked"].text == "replay(path='b.run')"
    assert found.configs["b"].reranks["ranked"].of == "lexical"


@pytest.mark.parametrize(
    ("datasets", "words"),
    [
        ({}, ("names no dataset", 'shop = "sample:shop"')),
        ({"shop": "x"}, ("one dataset alone", "[benchmark]")),
        (["a", "b"], ("must be a table", "['a', 'b']")),
        ("a", ("must be a table",)),
        ({"shop": "x", "b": 3}, ("[datasets], b", "3")),
        ({"shop": "x", "b": {}}, ("b: path is missing",)),
        ({"shop": "x", "b": ""}, ("b: path", "''")),
        ({"shop": "x", "b": {"path": ["y"]}}, ("path",)),
        ({"shop": "x", "b": "x"}, ("shop and b", "same data", "twice")),
        ({"shop": "x", "Shop": "y"}, ("shop and Shop", "one folder")),
        ({"shop": "x", "a/b": "y"}, ("'a/b'", "folder of the report")),
        ({"shop": "x", "..": "y"}, ("'..'",)),
        ({"shop": "x", "": "y"}, ("''",)),
        ({"shop": "x", "it's": "y"}, ("cannot name",)),
        ({"shop": "x", "größe": "y"}, ("größe",)),
        ({"shop": "x", "two words": "y"}, ("two words",)),
        ({"shop": "x", "NUL.txt": "y"}, ("NUL.txt",)),
        ({"shop": "x", "ends.": "y"}, ("ends.",)),
        ({"shop": "x", "a" * 65: "y"}, ("64 at most",)),
    ],
)
def test_what_cannot_be_several_datasets_is_refused(datasets: object, words: tuple[str, ...]) -> None:
    with raises(UsageError, "b.toml", *words):
        read(datasets)


def test_a_key_that_is_none_is_told_what_is_near() -> None:
    with raises(UnknownName, "'spilt'", "'split'", "[datasets], b"):
        read({"shop": "x", "b": {"path": "y", "spilt": "test"}})


def test_the_same_data_in_another_split_is_another_dataset() -> None:
    found = read({"dev": {"path": "x", "split": "dev"}, "test": {"path": "x", "split": "test"}})
    assert [own.split for own in found.configs.values()] == ["dev", "test"]


def test_one_dataset_and_several_exclude_each_other() -> None:
    with raises(UsageError, "dataset = 'x'", "[datasets]"):
        read({"a": "y", "b": "z"}, dataset="x")


def test_a_list_is_told_how_to_be_a_table() -> None:
    document: dict[str, Any] = {"benchmark": {"datasets": ["x", "y"]}, "modes": MODES}
    with raises(UsageError, "a table of their own", "[datasets]"):
        datasets_config_of(document, "b.toml")


@pytest.mark.parametrize("document", [{"datasets": {"a": "x", "b": "y"}}, {"benchmark": {"datasets": ["x"]}}])
def test_what_works_on_one_dataset_says_so(document: dict[str, object]) -> None:
    with raises(UsageError, "several datasets", "works on one", "rankproof benchmark run"):
        config_of({**document, "modes": MODES}, "b.toml")


def test_what_is_wrong_in_every_dataset_is_said_as_of_one() -> None:
    with raises(UsageError, "b.toml", "bm25"):
        read({"a": "x", "b": "y"}, {"lexical": "bm25(k9=1)"})
