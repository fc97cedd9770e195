"""What a comparison says in words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.sections import interval, p_phrase, p_text, percent, signed
from rankproof.proving.records import Adjusted, Contrast, Detectable
from rankproof.proving.sections import headline

SHOWN = Contrast(
    "nDCG@10", "bm25", "dense", "", "higher", ("q1", "q2"), 0.4, 0.5, np.array([0.1, 0.1]),
    Estimate(0.1, 0.02, 0.18, 0.01, 0.95, "t", 2), 1.5, 2, 0, 0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "+0.1235"), (-0.5, "-0.5000"), (0.0, "0.0000"), (0.00001, "0.0000"), (-0.0, "0.0000")],
)
def test_a_difference_has_its_sign(value: float, text: str) -> None:
    assert signed(value) == text


def test_p_values_do_not_pretend_to_more_digits_than_they_have() -> None:
    assert (p_text(0.03123), p_text(1e-9), p_text(None)) == ("0.0312", "<0.0001", "none")
    assert (p_phrase(0.5), p_phrase(0)) == ("p = 0.5000", "p < 0.0001")
    assert (percent(0.95), percent(0.995)) == ("95%", "99.5%")


def test_an_end_without_limit_is_said_in_words() -> None:
    assert interval(-0.1, 0.2) == "-0.1000 to +0.2000"
    assert interval(-math.inf, 0.2) == "at most +0.2000"
    assert interval(0.1, math.inf) == "at least +0.1000"
    assert interval(-math.inf, math.inf) == "no bound"


def test_what_is_shown_is_said_with_its_numbers() -> None:
    assert headline(SHOWN) == (
        "dense is significantly better than bm25 in nDCG@10 "
        "(+0.1000, 95% confidence interval +0.0200 to +0.1800, p = 0.0100)."
    )


def test_lower_is_better_turns_the_sentence() -> None:
    assert headline(replace(SHOWN, better="lower")).startswith("dense is significantly worse than bm25")


def test_the_adjusted_p_value_decides() -> None:
    corrected = replace(SHOWN, adjusted=Adjusted(0.2, -0.1, 0.3, "simultaneous"), detectable=Detectable(0.3, 0.8, 40))
    assert corrected.direction == "not shown"
    assert headline(corrected) == (
        "dense and bm25 do not differ significantly in nDCG@10 (+0.1000, adjusted 95% confidence interval "
        "-0.1000 to +0.3000, adjusted p = 0.2000); 2 queries detect a true difference of 0.3000 with 80% power; "
        "the observed one needs about 40 queries."
    )


def test_what_cannot_be_tested_says_why() -> None:
    none = replace(SHOWN, difference=NotEstimable("no query differs", "t", 2, 0.0), segment="lang=en")
    assert headline(none) == "dense and bm25 cannot be compared by a test in nDCG@10 on lang=en: no query differs."
