"""`rankproof explain`: the page of anything on a shelf, in any accepted spelling."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.kernel import shelf

EVERYTHING = [(kind, name) for kind in shelf.KINDS for name in shelf.offered(kind)]


def explain(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["explain", *args])


@pytest.mark.parametrize(("kind", "name"), EVERYTHING, ids=[f"{kind}-{name}" for kind, name in EVERYTHING])
def test_every_item_has_a_page(kind: str, name: str) -> None:
    told = explain(name)
    assert told.exit_code == 0, told.output
    item = shelf.offered(kind)[name]
    assert f"{name} ({shelf.KINDS[kind]})" in told.stdout
    assert item.page.strip() in told.stdout
    for param in getattr(item, "params", ()):
        assert param.meaning in told.stdout


def test_the_list_names_everything() -> None:
    lines = [line.split() for line in explain().stdout.splitlines()]
    names = {line[0] for line in lines if line}
    assert names >= {*shelf.KINDS, *(name for _, name in EVERYTHING)}


@pytest.mark.parametrize(
    ("spelling", "means"),
    [
        ("mrr@10", "RR@10"),
        ("ndcg@5", "nDCG@5"),
        ("recall", "R"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("ndcg_cut_10", "nDCG@10"),
        ("recip_rank", "RR"),
        ("P.5,10", "P@5, P@10"),
    ],
)
def test_a_spelling_says_which_definition_it_means(spelling: str, means: str) -> None:
    told = explain(spelling)
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[0] == f"{spelling} means {means}"
    assert "(measure)" in told.stdout


def test_parameters_come_with_meaning_and_default() -> None:
    assert "gain      [linear]  what a grade is worth" in explain("nDCG").stdout


def test_json() -> None:
    document = json.loads(explain("mrr@10", "--json").stdout)
    assert document["asked"] == "mrr@10"
    assert document["means"] == ["RR@10"]
    (page,) = document["pages"]
    assert (page["kind"], page["name"]) == ("measure", "RR")
    assert {p["name"] for p in page["parameters"]} == {"rel"}
    shelves = json.loads(explain("--json").stdout)["shelves"]
    assert set(shelves) == {*shelf.KINDS, "concepts"}
    assert set(json.loads(explain("formats", "--json").stdout)["shelves"]) == {"formats"}


def test_an_unknown_name_offers_its_neighbors() -> None:
    told = explain("duplicate_documents")
    assert told.exit_code == 2
    assert "Did you mean 'duplicate_document'" in told.stderr


def test_a_wrong_parameter_is_explained_and_not_called_unknown() -> None:
    told = explain("nDCG(gian=exp2)@10")
    assert told.exit_code == 2
    assert "No parameter of nDCG is called 'gian'" in told.stderr
