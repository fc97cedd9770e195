"""What is displayed beside the first measure changes nothing that is decided by it."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pytest
from tests.stack.pipeline.items import on_shelves

from rankproof.kernel import shelf
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground

# `letters` answers a, b, c, d, e. In 8 of 12 queries c is relevant, in 2 it is a, in 2 it is b. RR of `turned` is
# higher in the eight and lower in two, which is close to the line between significant and not.
QUERIES = [Query(f"q{i:02}", f"query {i}", {"half": str(i % 2), "third": str(i % 3)}) for i in range(12)]
GRADES = {query.query_id: {"c" if i < 8 else "a" if i < 10 else "b": 1} for i, query in enumerate(QUERIES)}
MODES = {"plain": "letters()", "turned": "plain >> turn(depth=3)", "half": "plain >> turn(depth=2)"}
SECONDARY = ("R@1", "P@3", "AP")
SEGMENTS = ("half", "third")
FORMS = ("table", "markdown", "html", "json")


def run(measures: tuple[str, ...], segments: tuple[str, ...], primary: str = "first") -> Benchmark:
    keys = {"dataset": "x", "measures": ["RR", *measures], "depth": 5, "primary": primary}
    keys |= {"segments": [*segments]} if segments else {}
    with on_shelves():
        config = config_of({"benchmark": keys, "modes": MODES}, "b.toml")
        runner = Runner(QUERIES, 5, Ground())
        found, _ = benchmark(config, QUERIES, read_qrels(GRADES), runner, "0" * 64, 26)
    return found


def decided(measures: tuple[str, ...], segments: tuple[str, ...], primary: str = "first") -> str:
    found = run(measures, segments, primary)
    assert found.advice is not None
    return json.dumps([found.advice.to_dict(), found.best["RR"]])


def verdicts(found: Benchmark) -> dict[str, object]:
    """What each form says of the first measure: the sentence of the verdict, and each pair's result."""
    texts = {form: shelf.find("reports", form).benchmark(found, per_query=False, observed={}) for form in FORMS}
    document = json.loads(texts["json"])
    pairs = [(c["baseline"], c["candidate"], c["direction"]) for c in document["comparison"]["contrasts"]
             if (c["measure"], c["segment"]) == ("RR", "")]  # fmt: skip
    plain = re.sub("<[^>]+>", "", texts["html"])
    return {
        "json": [document["advice"], document["best"]["RR"], pairs],
        "html": re.findall(r"Ship \w+[^.]*\.", plain)[:1],
        "markdown": [
            re.findall(r"- Ship .*", texts["markdown"]),
            re.findall(r"### Verdict by (.*)", texts["markdown"]),
        ],
        "table": [re.findall(r"  Ship .*", texts["table"]), part(texts["table"], "What each stage buys in RR")],
    }


def part(text: str, title: str) -> list[str]:
    """The last word of each row below a title."""
    lines = text[text.index(f"{title}\n") :].splitlines()[1:]
    return [line.split()[-1] for line in lines[: lines.index("")] if line.startswith("  ") and "/" in line]


def subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [chosen for count in range(len(names) + 1) for chosen in combinations(names, count)]


@pytest.mark.parametrize("segments", subsets(SEGMENTS))
@pytest.mark.parametrize("measures", subsets(SECONDARY))
def test_secondary_measures_and_segments_change_no_verdict(
    measures: tuple[str, ...], segments: tuple[str, ...]
) -> None:
    assert decided(measures, segments) == decided((), ())


@pytest.mark.parametrize(("measures", "segments"), [(SECONDARY, SEGMENTS), (SECONDARY, ()), ((), SEGMENTS)])
def test_every_form_says_the_same_of_the_first_measure(measures: tuple[str, ...], segments: tuple[str, ...]) -> None:
    alone = verdicts(run((), ()))
    assert verdicts(run(measures, segments)) == alone
    assert all(alone.values())


def test_where_every_measure_decides_they_are_one_family() -> None:
    """By choice, and so the numbers differ: what the test above holds is not held by chance."""
    assert decided(SECONDARY, (), primary="all") != decided((), (), primary="all")
