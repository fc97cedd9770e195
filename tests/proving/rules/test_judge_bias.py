"""The rule on whom a judge favors, through the whole gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.proving.test_judge_bias import world
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.proving.gate import gate


def written(folder: Path, lift: float) -> Path:
    human, model, runs = world(lift)
    for name, grades in (("anchor", human), ("model", model)):
        lines = [f"{query} 0 {doc} {grade}\n" for query, docs in grades.items() for doc, grade in docs.items()]
        (folder / f"{name}.trec").write_text("".join(lines))
    for name, ranking in runs.items():
        lines = [f"{q} Q0 {d} {i} {-i} {name}\n" for q, docs in ranking.items() for i, d in enumerate(docs, start=1)]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "groups.tsv").write_text("good.run\tours\npoor.run\ttheirs\n")
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A judge that lifts the candidate by 0.3 grades."""
    return written(tmp_path, 0.3)


def asked(here: Path, baseline: bool = True, **values: Any) -> Any:
    (here / "gate.toml").write_text(
        '[policy]\nqrels = "model.trec"\ncandidate = "good.run"\n'
        + ('baseline = "poor.run"\n' if baseline else "")
        + '[[rule]]\nrule = "judge_bias"\nhuman = "anchor.trec"\n'
        + "".join(f"{key} = {value!r}\n" for key, value in values.items())
    )
    return gate(str(here / "gate.toml"), detail=False)


def test_pass_fail_and_undecided(here: Path) -> None:
    failed = asked(here, at_most=0.1)
    assert failed.status == "FAIL"
    (ruling,) = failed.rulings
    assert isinstance(ruling.answer, Estimate)
    assert ruling.answer.n == 40
    assert 0.1 < ruling.answer.low < ruling.observed < ruling.answer.high
    assert ruling.p_fail is not None
    assert ruling.p_fail < 0.05
    assert asked(here, at_most=0.6).status == "PASS"
    undecided = asked(here, at_most=round(ruling.observed, 3))
    assert undecided.status == "UNDECIDED"
    assert undecided.rulings[0].decides == "Human grades of more queries would decide it; the anchor has 40."


def test_a_neutral_judge_passes(tmp_path: Path) -> None:
    assert asked(written(tmp_path, 0.0), at_most=0.2).status == "PASS"


def test_a_judge_that_disfavors_the_candidate_passes(here: Path) -> None:
    (here / "gate.toml").write_text(
        '[policy]\nqrels = "model.trec"\ncandidate = "poor.run"\nbaseline = "good.run"\n'
        '[[rule]]\nrule = "judge_bias"\nhuman = "anchor.trec"\nat_most = 0\n'
    )
    assert gate(str(here / "gate.toml"), detail=False).status == "PASS"


def test_a_group_against_the_rest(here: Path) -> None:
    plain = asked(here, at_most=0.1).rulings[0].observed
    verdict = asked(here, baseline=False, at_most=0.1, groups="groups.tsv", group="ours")
    assert verdict.status == "FAIL"
    assert verdict.rulings[0].observed == pytest.approx(plain)
    assert "the group ours" in verdict.rulings[0].reason
    assert asked(here, baseline=False, at_most=0.1, groups="groups.tsv", group="theirs").status == "PASS"


def test_a_judge_of_people_s_own_grades_is_decided_by_no_interval(here: Path) -> None:
    verdict = asked(here, at_most=0.1, model="anchor.trec")
    assert verdict.status == "UNDECIDED"
    assert "has no interval: no query differs from another" in verdict.rulings[0].reason


def test_what_is_refused(here: Path) -> None:
    with raises(UsageError, "baseline"):
        asked(here, baseline=False, at_most=0.1)
    with raises(UsageError, here / "gate.toml", "rule 1", "judge_bias", "groups", "group"):
        asked(here, at_most=0.1, group="ours")
    with raises(UsageError, here / "gate.toml", "rule 1", "judge_bias", "model_relevant", "relevant"):
        asked(here, at_most=0.1, model_relevant=1)
    (here / "other.trec").write_text("q99 0 d1 1\n")
    with raises(InputError, here / "other.trec", here / "anchor.trec"):
        asked(here, at_most=0.1, model="other.trec")
