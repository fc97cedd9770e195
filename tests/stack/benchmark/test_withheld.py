"""Where nothing is decided no form says that a mode is better: queries that failed, modes left out, broken reranks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.stack.benchmark.test_reranks import FIRST, GOOD, MERGED, OF_FIRST, QRELS, runs
from tests.stack.benchmark.test_reranks import QUERIES as RERANKED
from tests.stack.pipeline.items import on_shelves

from rankproof.cli.shared.benchmarking import only
from rankproof.kernel import shelf
from rankproof.kernel.schema_files import bundled
from rankproof.kernel.sections import Screen
from rankproof.proving.direction import direction_shown
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig
from rankproof.stack.benchmark.run import benchmark, measured
from rankproof.stack.benchmark.sections import ship
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground, ModeOutcome

# On the edge: RR of `turned` is higher by 2/3 in ten queries and lower by as much in two. Alone with `plain` that is
# significant; among all five modes it is not.
QUERIES = [Query(f"q{i:02}", f"query {i}", {"half": str(i % 2)}) for i in range(12)]
GRADES = {query.query_id: {"c" if i < 10 else "a": 1} for i, query in enumerate(QUERIES)}
MODES = {
    "plain": "letters()",
    "turned": "plain >> turn(depth=3)",
    "half": "plain >> turn(depth=2)",
    "wide": "letters(step=2)",
    "wider": "letters(step=3)",
}
FORMS = ("table", "markdown", "html", "json")


def config(**keys: object) -> BenchmarkConfig:
    table = {"dataset": "x", "measures": ["RR", "R@1"], "depth": 5, "segments": ["half"], **keys}
    costs = {"steps": {"letters": 0.1, "turn": 0.2}}
    return config_of({"benchmark": table, "modes": MODES, "cost": costs}, "b.toml")


def found(chosen: tuple[str, ...] = (), fails: str = "", **keys: object) -> Benchmark:
    """With these modes and the baseline alone; `fails` has no answer to one query."""
    with on_shelves():
        read = only(config(**keys), chosen)
        runner = Runner(QUERIES, 5, Ground())
        result, outcomes = benchmark(read, QUERIES, read_qrels(GRADES), runner, "0" * 64, 26)
        if fails:
            outcomes[fails] = failing(outcomes[fails])
            result = measured(read, QUERIES, read_qrels(GRADES), outcomes, "0" * 64, 26)
    return result


def failing(outcome: ModeOutcome) -> ModeOutcome:
    *before, last = outcome.steps
    lost = (Failure("q00", "letters", "timeout", "late.", "no answer"),)
    return replace(outcome, steps=(*before, replace(last, failures=lost)))


def told(result: Benchmark) -> dict[str, str]:
    """The benchmark in every form, the table short and whole."""
    texts = {form: shelf.find("reports", form).benchmark(result, per_query=True, observed={}) for form in FORMS}
    short = shelf.find("reports", "table").benchmark(result, per_query=False, observed={}, screen=Screen(full=False))
    return {**texts, "short": short}


def words(document: Any) -> set[str]:
    """Every direction of a difference that stands somewhere in a document."""
    if isinstance(document, dict):
        own = {v for k, v in document.items() if k in ("direction", "shown", "result") and isinstance(v, str)}
        return own.union(*map(words, document.values()))
    return set[str]().union(*map(words, document)) if isinstance(document, list) else set()


def claims(texts: dict[str, str]) -> list[str]:
    """What says somewhere that one mode is better, or which to ship; a legend of colors says nothing."""
    legend = "Blue: significantly better; orange: significantly worse; gray: not significant."
    texts = {form: text.replace(legend, "") for form, text in texts.items()}
    found = [text for text in texts.values() for text in re.findall(r"Ship \w+|significantly (?:better|worse)", text)]
    found += re.findall(r"▲ better|▼ worse|no other mode beats", texts["html"])
    found += re.findall(r"\| (?:better|worse) \|", texts["markdown"])
    for form in ("table", "short"):
        found += re.findall(r"  (?:better|worse)$|no other mode beats", texts[form], re.MULTILINE)
    document = json.loads(texts["json"])
    assert [e.message for e in Draft202012Validator(bundled("benchmark/1")).iter_errors(document)] == []
    return found + sorted(words(document) & {"better", "worse"})


OTHERS = [name for name in MODES if name != "plain"]
PARTS = [chosen for count in range(1, len(OTHERS)) for chosen in combinations(OTHERS, count)]


def test_all_modes_have_a_verdict_in_every_form() -> None:
    """So that what the tests below do not find is there where it belongs."""
    whole = found(tuple(OTHERS))
    assert whole.config.left_out == ()
    texts = told(whole)
    for text in texts.values():
        assert "Not the benchmark" not in text
    for form in ("table", "markdown", "html", "short"):
        assert "Ship plain" in texts[form]
    assert whole.unbeaten["cost"]


@pytest.mark.parametrize("chosen", PARTS)
def test_some_of_the_modes_decide_nothing(chosen: tuple[str, ...]) -> None:
    part = found(chosen)
    assert part.advice is not None
    assert (part.advice.ship, part.advice.path) == (None, ())
    assert part.advice.left_out == tuple(name for name in OTHERS if name not in chosen)
    assert set(part.best.values()) == {None}
    assert part.unbeaten == {}
    texts = told(part)
    assert claims(texts) == []
    sentence = f"{len(chosen) + 1} of 5 modes were run"
    for form in ("table", "markdown", "short"):
        assert sentence in texts[form]
    assert sentence in re.sub("<[^>]+>", "", texts["html"])


def test_on_the_edge_some_of_the_modes_would_have_said_what_all_do_not() -> None:
    """Without what is held above `turned` would be shipped with --mode turned, and is not by the benchmark."""

    def shown(result: Benchmark) -> str:
        contrast = result.comparison.contrast("RR", "turned")
        return direction_shown(contrast.difference, contrast.adjusted, contrast.better)

    whole = found()
    assert whole.advice is not None
    assert (whole.advice.ship, shown(whole)) == ("plain", "not shown")
    assert shown(found(("turned",))) == "better"


@pytest.mark.parametrize("chosen", [(), ("turned",)])
def test_failed_queries_leave_every_word_undecided(chosen: tuple[str, ...]) -> None:
    result = found(chosen, fails="turned", correction="none")
    assert claims(told(found(correction="none"))) != []
    texts = told(result)
    assert claims(texts) == []
    assert words(json.loads(texts["json"])) == {"undecided"}
    assert result.by_segment is not None
    assert {contrast.direction for contrast in result.by_segment.contrasts} == {"undecided"}
    for form in ("table", "markdown", "html", "short"):
        assert "undecided" in texts[form]
        assert "UNDECIDED: 1 of 12 queries has no answer (turned 1)" in re.sub("<[^>]+>", "", texts[form])
    assert ("Not the benchmark's verdict" in ship_of(result)) == bool(chosen)


def ship_of(result: Benchmark) -> str:
    assert result.advice is not None
    return ship(result.advice)


# ---- broken reranks ------------------------------------------------------------------------------


def reranked(folder: Path, baseline: str = "first", *modes: str, **more: Any) -> Benchmark:
    """`merged` is broken, has the best values, and costs least."""
    runs(folder, first=FIRST, good=GOOD, merged=MERGED)
    all_modes: dict[str, Any] = {"first": "replay(path='first.run')"}
    all_modes |= {name: {"pipeline": f"replay(path='{name}.run')", **OF_FIRST} for name in modes or ("merged",)}
    read = config_of(
        {
            "benchmark": {"dataset": "here", "measures": ["RR"], "baseline": baseline, **more},
            "modes": all_modes,
            "cost": {"modes": {name: 3.0 - at for at, name in enumerate(all_modes)}},
        },
        "b.toml",
    )
    runner = Runner(RERANKED, read.depth, Ground(folder=str(folder), read_run=read_run))
    return benchmark(read, RERANKED, read_qrels(QRELS), runner, "0" * 64, 10)[0]


@pytest.mark.parametrize("baseline", ["first", "good", "merged"])
def test_a_broken_mode_is_in_no_claim(tmp_path: Path, baseline: str) -> None:
    result = reranked(tmp_path, baseline, "good", "merged")
    assert result.broken == ("merged",)
    assert result.best == {"RR": "good"}
    assert ship_of(result).startswith("Ship good")
    assert "merged" not in result.unbeaten["cost"]
    by_pair = {(c.baseline, c.candidate): c.direction for c in result.comparison.contrasts}
    assert {d for pair, d in by_pair.items() if "merged" in pair} == {"broken"}
    assert {d for pair, d in by_pair.items() if "merged" not in pair} <= {"better", "worse"}
    texts = told(result)
    for text in texts.values():
        flat = re.sub("<[^>]+>", "", text)
        assert not re.search(r"merged(?: is|, which is)? significantly better|better than merged", flat)
        assert not re.search(r"beats[^;]*merged|merged (?:is|are) beaten", flat)
    assert "broken" in texts["table"]
    document = json.loads(texts["json"])
    assert [e.message for e in Draft202012Validator(bundled("benchmark/1")).iter_errors(document)] == []
    (own,) = [rung for rung in document["advice"]["rungs"] if rung["mode"] == "merged"]
    assert {against["shown"] for against in own["against"]} <= {"broken"}


def test_where_only_one_mode_is_sound_nobody_leads(tmp_path: Path) -> None:
    """`first` is not better than every other mode: there is none left."""
    for baseline in ("first", "merged"):
        result = reranked(tmp_path, baseline)
        assert result.best == {"RR": None}
        assert result.unbeaten == {}
        assert set(claims(told(result))) == {"Ship first", "significantly better"}  # no mode is significantly better
