"""The rule on a judge's agreement with people, through the whole gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.proving.gate import gate
from rankproof.testing.ruling import case_of, rule_on


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """People, and a judge that gives people's grade to three of four pairs."""
    rng = np.random.default_rng(0)
    human, model = [], []
    for query in range(30):
        for doc in range(12):
            grade = int(rng.integers(0, 4))
            said = grade if rng.random() < 0.75 else int(rng.integers(0, 4))
            human.append(f"q{query} 0 d{doc} {grade}\n")
            model.append(f"q{query} 0 d{doc} {said}\n")
    (tmp_path / "anchor.trec").write_text("".join(human[:240]))  # of 20 queries
    (tmp_path / "model.trec").write_text("".join(model))
    (tmp_path / "run").write_text("".join(f"q{query} Q0 d{query % 12} 1 1 t\n" for query in range(30)))
    return tmp_path


def asked(here: Path, **values: Any) -> Any:
    (here / "gate.toml").write_text(
        '[policy]\nqrels = "model.trec"\ncandidate = "run"\n[[rule]]\nrule = "judge_agreement"\n'
        'human = "anchor.trec"\n' + "".join(f"{key} = {value!r}\n" for key, value in values.items())
    )
    return gate(str(here / "gate.toml"), detail=False)


def test_pass_fail_and_undecided(here: Path) -> None:
    """kappa is about 0.72, with bounds about 0.06 to each side."""
    passed = asked(here, at_least=0.5)
    assert passed.status == "PASS"
    (ruling,) = passed.rulings
    assert isinstance(ruling.answer, Estimate)
    assert ruling.answer.n == 20
    assert 0.5 < ruling.answer.low < ruling.observed < ruling.answer.high
    assert "lower bound" in ruling.reason
    assert asked(here, at_least=0.9).status == "FAIL"
    undecided = asked(here, at_least=round(ruling.observed, 3))
    assert undecided.status == "UNDECIDED"
    assert undecided.rulings[0].decides == "Human grades of more queries would decide it; the anchor has 20."


def test_the_policys_qrels_are_the_judge_unless_another_is_named(here: Path) -> None:
    assert asked(here, at_least=0.9, model="anchor.trec").rulings[0].observed == 1.0


def test_perfect_agreement_is_decided_by_no_interval(here: Path) -> None:
    verdict = asked(here, at_least=0.4, model="anchor.trec")
    assert verdict.status == "UNDECIDED"
    assert "has no interval: no query differs from another" in verdict.rulings[0].reason
    assert asked(here, at_least=0.4, model="anchor.trec", basis="point").status == "PASS"


def test_other_statistics(here: Path) -> None:
    plain = asked(here, at_least=0.5).rulings[0].observed
    for statistic in ("kappa_quadratic", "alpha_ordinal", "same_grade"):
        ruling = asked(here, at_least=0.5, statistic=statistic).rulings[0]
        assert ruling.observed != plain
        assert ruling.reason.startswith(f"{statistic} of the judge with people is ")
    assert asked(here, at_least=0.5, relevant=2).rulings[0].observed != plain


def test_what_is_refused(here: Path) -> None:
    with raises(UsageError, here / "gate.toml", "rule 1", "judge_agreement", "model_relevant", "relevant"):
        asked(here, at_least=0.5, model_relevant=1)
    (here / "other.trec").write_text("q99 0 d1 1\n")
    with raises(InputError, here / "other.trec", here / "anchor.trec"):
        asked(here, at_least=0.5, model="other.trec")


def test_the_plain_statistic() -> None:
    case = case_of(agreed=(0.41, 0.30, 0.50, 0.6))
    ruling = rule_on(case, "judge_agreement", human="a", at_least=0.4, basis="point")
    assert ruling.status == "PASS"
    assert ruling.reason == (
        "kappa of the judge with people is 0.4100, which meets 0.4000; the plain statistic is compared "
        '(basis = "point"), so chance is not ruled out.'
    )
    assert rule_on(case_of(), "judge_agreement", human="a", at_least=0.4, basis="point").status == "UNDECIDED"
