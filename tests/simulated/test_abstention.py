"""A threshold picked on dev looks better there than it is; the verdict on test is not fooled.

Scores of queries without an answer are skewed, discrete or heavy-tailed; the true false-answer rate of every threshold
is known. A PASS for a threshold whose true rate is above the limit may happen in 5 of 100 cases.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.effort import examples

from rankproof.proving.abstention import prove_abstention

LIMIT = 0.1
# Name -> (draw, true probability of a score of t or more).
WORLDS = {
    "skewed": (lambda rng, n: rng.exponential(size=n), lambda t: float(np.exp(-max(t, 0.0)))),
    "heavy tails": (lambda rng, n: rng.standard_cauchy(size=n), lambda t: float(stats.cauchy.sf(t))),
    "few values": (
        lambda rng, n: rng.binomial(6, 0.3, size=n).astype(float),
        lambda t: float(stats.binom.sf(np.ceil(t) - 1, 6, 0.3)),
    ),
}


def simulate(world: str, guarded: bool, dev: int, test: int, rounds: int) -> list[tuple[float, float, str]]:
    """The rate of dev, the true rate and the verdict, for each round."""
    draw, true_rate = WORLDS[world]
    rng = np.random.default_rng(7)
    told = []
    for _ in range(rounds):
        sides = []
        for name, count in (("dev", dev), ("test", test)):
            scores = dict(zip((f"{name}{i}" for i in range(count)), draw(rng, count).tolist(), strict=True))
            sides.append((scores, dict.fromkeys(scores, False)))
        proof = prove_abstention(sides[0], sides[1], at_most=LIMIT, guarded=guarded)
        told.append((proof.dev.false_answer_rate or 0.0, true_rate(proof.threshold), proof.status))
    return told


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("world", WORLDS)
def test_a_threshold_beyond_the_limit_is_rarely_proven(world: str, guarded: bool) -> None:
    rounds = 3 * examples(300)
    told = simulate(world, guarded, 60, 120, rounds)
    wrong = sum(true > LIMIT and status == "PASS" for _, true, status in told)
    assert wrong <= stats.binom.ppf(0.999, rounds, 0.05)
    fails = sum(true <= LIMIT and status == "FAIL" for _, true, status in told)
    assert fails <= stats.binom.ppf(0.999, rounds, 0.05)


def test_the_rate_of_dev_flatters_and_the_guard_helps() -> None:
    """Picked by the plain rate, the threshold is beyond the limit in about half of the cases, dev never says so."""
    rounds = 3 * examples(300)
    plain, guarded = (simulate("skewed", choice, 60, 400, rounds) for choice in (False, True))
    assert all(rate <= LIMIT for rate, _, _ in plain)
    beyond = [sum(true > LIMIT for _, true, _ in told) / rounds for told in (plain, guarded)]
    assert beyond[0] > 0.3
    assert beyond[1] < 0.1
    passed = [sum(status == "PASS" for _, _, status in told) / rounds for told in (plain, guarded)]
    assert passed[1] > passed[0] + 0.3
