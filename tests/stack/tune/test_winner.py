"""The winning configuration: the file's own text with other pipelines, which reads back."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from tests.stack.tune.made import RELEVANT, SPLITS, at_hand, collection, tuned

from rankproof.stack.tune.config import tune_config_of
from rankproof.stack.tune.records import Tuning
from rankproof.stack.tune.winner import MARK, winning_config

TEXT = """\
# ours
[benchmark]
dataset = "here"        # not moved
measures = ["RR"]

[modes]
plain = 'spelled()'     # tuned
final = "plain >> cutoff(depth=6)"

[tune]
dev = "dev"
test = "test"
dials.plain.first = ["a", "b", "c"]
"""
INLINE = """\
modes = {plain = "spelled()", final = "plain >> cutoff(depth=6)"}
benchmark = {dataset = "here", measures = ["RR"], confidence = 0.9}
tune = {dev = "dev", test = "test", dials = {"plain.first" = ["a", "b", "c"]}}
"""


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    with at_hand():
        yield


def found(text: str, relevant: dict[str, str] | None = None) -> Tuning:
    return tuned(tune_config_of(tomllib.loads(text), "t.toml"), collection(relevant or RELEVANT, SPLITS))[0]


def test_only_the_pipeline_of_the_parameter_is_another() -> None:
    lines = winning_config(found(TEXT), TEXT).split("\n")
    head, body = lines[:3], lines[4:]
    assert head[0].startswith(f"{MARK} ")
    assert "t.toml: final in RR, 3 settings by grid, seed 0." in head[0]
    assert "on which it was picked: +0.4167, 95% interval" in head[1]
    assert "which the search never saw: +0.5556, 95% interval" in head[2]
    changed = [(now, before) for now, before in zip(body, TEXT.split("\n"), strict=True) if now != before]
    assert changed == [("plain = \"spelled(first='c')\"     # tuned", "plain = 'spelled()'     # tuned")]


@pytest.mark.parametrize("text", [TEXT, INLINE])
def test_it_reads_back_to_the_winner(text: str) -> None:
    written = tomllib.loads(winning_config(found(text), text))
    assert written["modes"] == {"plain": "spelled(first='c')", "final": "plain >> cutoff(depth=6)"}
    before = tomllib.loads(text)
    assert {**written, "modes": before["modes"]} == before
    assert tune_config_of(written, "t.toml").benchmark.modes["final"].text == "spelled(first='c') >> cutoff(depth=6)"


def test_where_nothing_is_better_the_file_is_as_it_was() -> None:
    written = winning_config(found(TEXT, {**RELEVANT, **dict.fromkeys(SPLITS["dev"], "a")}), TEXT)
    assert written.endswith(f"\n\n{TEXT}")
    assert "No setting did better on dev" in written
