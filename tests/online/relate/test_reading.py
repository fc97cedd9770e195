"""Past changes from a table and from kept documents: what is read, and what is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.relate.read import assemble, read_changes, standard_error
from rankproof.online.relate.records import MeasuredDifference
from rankproof.online.trial.records import Metric, VariantEffect
from rankproof.online.trial.results import MetricEffect, TrialReading
from rankproof.online.trials.contract import Effect, EffectRequest, VariancePart
from rankproof.proving.sample_ratio import sample_ratio


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_a_table(tmp_path: Path) -> None:
    path = write(
        tmp_path / "changes.csv",
        "change,offline:P@1,offline:AP,offline:AP:se,online:ctr,team\na,0.1,0.2,0.05,,x\nb,,-0.1,,0.3,y\n",
    )
    found = read_changes(path, lower=["ctr"])
    assert (found.measures, found.metrics, found.lower) == (("P@1", "AP"), ("ctr",), {"ctr"})
    a, b = found.changes
    assert dict(a.offline) == {"P@1": MeasuredDifference(0.1), "AP": MeasuredDifference(0.2, 0.05)}
    assert (dict(a.online), dict(b.offline), dict(b.online)) == (
        {},
        {"AP": MeasuredDifference(-0.1)},
        {"ctr": MeasuredDifference(0.3)},
    )


def test_json_lines(tmp_path: Path) -> None:
    rows = [{"change": "a", "offline:AP": 0.1, "online:ctr": 1}, {"change": "b", "offline:AP": None, "online:ctr": 2.5}]
    path = write(tmp_path / "changes.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert [dict(change.offline) for change in read_changes(path).changes] == [{"AP": MeasuredDifference(0.1)}, {}]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("name,offline:AP,online:ctr\na,1,2\n", ["'change'", "name", "offline:AP", "online:ctr"]),
        ("change,online:ctr\na,2\n", ["offline:NAME"]),
        ("change,offline:AP,ctr\na,2,3\n", ["online:NAME"]),
        ("change,offline:AP:se,offline:P@1,online:ctr\na,1,2,3\n", ["column", "offline:AP:se", "offline:AP"]),
        ("change,offline:AP,online:ctr\na,1,2\na,1,2\n", ["line 3", "'a'"]),
        ("change,offline:AP,online:ctr\na,much,2\n", ["line 2", "offline:AP", "'much'"]),
        ("change,offline:AP,offline:AP:se,online:ctr\na,1,-1,2\n", ["line 2", "offline:AP:se", "-1"]),
        ("change,offline:AP,online:ctr\n", ["no change"]),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, text: str, values: list[str]) -> None:
    with raises(InputError, "changes.csv", *values):
        read_changes(write(tmp_path / "changes.csv", text))


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "changes.csv", "change,offline:AP,online:ctr\na,1,2\n")
    with raises(UnknownName) as unknown:
        read_changes(path, lower=["ctrr"])
    assert (unknown.value.name, unknown.value.near) == ("ctrr", ["ctr"])


# ---- kept documents ------------------------------------------------------------------------------


def contrast(measure: str, value: float, effect: float, better: str = "higher", candidate: str = "new") -> dict:
    return {
        "measure": measure, "baseline": "old", "candidate": candidate, "segment": None, "better": better,
        "queries": 25, "difference": {"value": value}, "effect": effect,
    }  # fmt: skip


def comparison(*contrasts: dict, systems: tuple[str, ...] = ("old", "new")) -> dict:
    return {"schema": "comparison/1", "systems": list(systems), "contrasts": list(contrasts)}


def trial(*effects: MetricEffect, method: str = "welch", withheld: str = "") -> dict:
    """What a reading gives for JSON, with what the report puts around it."""
    reading = TrialReading(
        name="t", unit="user", control="control", method=method, confidence=0.95, correction="holm", enter="first",
        planned=None, dates=("2026-01-01",), units={"control": 5, "treatment": 5}, per_day=10.0, dropped={},
        sample_ratio=sample_ratio({"control": 5, "treatment": 5}, {"control": 0.5, "treatment": 0.5}), periods=(),
        variants=(), withheld=withheld, effects=effects,
    )  # fmt: skip
    return {"schema": "trial/1", "trial": reading.to_dict()}


def effect(name: str, value: float, error: float, *, better: str = "higher", scale: str = "absolute") -> MetricEffect:
    half = VariancePart(error**2 / 2, 2000)
    found = read_configured("trials", "welch").item.infer(Effect(value, (half, half), 4000), EffectRequest(), {})
    return MetricEffect(VariantEffect(Metric(name, better=better), "treatment", scale, found), "primary")


def assembled(folder: Path, *changes: tuple[dict, dict], more: str = "") -> str:
    text = ""
    for i, (offline, online) in enumerate(changes):
        (folder / f"{i}.comparison.json").write_text(json.dumps(offline))
        (folder / f"{i}.trial.json").write_text(json.dumps(online))
        text += f'[[change]]\nname = "c{i}"\ncomparison = "{i}.comparison.json"\ntrial = "{i}.trial.json"\n{more}'
    return write(folder / "changes.toml", text)


def test_documents(tmp_path: Path) -> None:
    """A mean of 0.1 that is half a standard deviation over 25 queries: a standard error of 0.2 / 5 = 0.04."""
    online = trial(effect("success", 0.5, 0.1), effect("latency", 3.0, 2.0, better="lower"))
    path = assembled(tmp_path, (comparison(contrast("AP", 0.1, 0.5), contrast("rank", 1.0, 1.0, "lower")), online))
    found = assemble(path)
    (change,) = found.changes
    assert change.offline["AP"] == MeasuredDifference(0.1, pytest.approx(0.04))
    assert change.online["success"] == MeasuredDifference(0.5, pytest.approx(0.1), True)
    assert change.online["latency"] == MeasuredDifference(3.0, pytest.approx(2.0), False)
    assert found.lower == {"rank", "latency"}


@pytest.mark.parametrize("method", ["welch", "sequence(units=9000)", "msprt(effect=0.02)"])
def test_the_standard_error_is_found_again(method: str) -> None:
    call = read_configured("trials", method)
    parts = (VariancePart(0.0004, 3000), VariancePart(0.0004, 3000))
    found = call.item.infer(Effect(0.2, parts, 6000), EffectRequest(0.9), call.values)
    assert isinstance(found, Estimate)
    stored = {"value": 0.2, "low": found.low, "high": found.high, "n": 6000}
    assert standard_error(stored, method, 0.9) == pytest.approx(0.0008**0.5, rel=1e-6)


def test_a_choice_among_several(tmp_path: Path) -> None:
    both = comparison(
        contrast("AP", 0.1, 1.0), contrast("AP", 0.2, 1.0, candidate="other"), systems=("old", "new", "other")
    )
    online = trial(effect("success", 0.5, 0.1))
    with raises(InputError, "0.comparison.json", "new, other", 'candidate = "NAME"'):
        assemble(assembled(tmp_path, (both, online)))
    chosen = assemble(assembled(tmp_path, (both, online), more='candidate = "other"\n'))
    assert chosen.changes[0].offline["AP"].value == 0.2
    with raises(UnknownName) as unknown:
        assemble(assembled(tmp_path, (both, online), more='candidate = "nwe"\n'))
    assert (unknown.value.name, unknown.value.near) == ("nwe", ["new"])


def test_documents_that_are_refused(tmp_path: Path) -> None:
    good = comparison(contrast("AP", 0.1, 1.0)), trial(effect("success", 0.5, 0.1))
    with raises(InputError, "0.comparison.json", "'trial/1'", "comparison/1", "rankproof compare --json"):
        assemble(assembled(tmp_path, (good[1], good[1])))
    with raises(InputError, "0.trial.json", "'comparison/1'", "trial/1", "rankproof trial read --json"):
        assemble(assembled(tmp_path, (good[0], good[0])))
    with raises(InputError, "0.trial.json", "the sample ratio fails"):
        assemble(assembled(tmp_path, (good[0], trial(withheld="the sample ratio fails"))))
    relative = trial(effect("success", 0.5, 0.1, scale="relative"))
    with raises(InputError, "changes.toml", "success", "absolute in 'c0'", "relative in 'c1'"):
        assemble(assembled(tmp_path, good, (good[0], relative)))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("change = 1", ["[[change]]"]),
        ("[[change", ["TOML"]),
        ('[[change]]\nname = "a"', ["change 1", "comparison"]),
        ("[[change]]\nname = 1", ["change 1", "name", "got 1"]),
    ],
)
def test_toml_that_is_refused(tmp_path: Path, text: str, values: list[str]) -> None:
    with raises(InputError, "changes.toml", *values):
        assemble(write(tmp_path / "changes.toml", text))


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    with raises(UnknownName) as unknown:
        assemble(write(tmp_path / "changes.toml", '[[change]]\ntrail = "a"'))
    assert (unknown.value.name, unknown.value.near) == ("trail", ["trial"])
