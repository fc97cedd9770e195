"""Users who click without reading: no method lets a side earn more, and where wins decide, no side wins more often."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.interleaving.logs import InterleavingLog, LoggedPage
from rankproof.online.interleaving.preference import preferred
from rankproof.online.interleaving.read import analyze, credit_clicks
from rankproof.online.interleaving.records import ClickedDocument
from rankproof.online.interleaving.show import interleave

METHODS = ("team_draft", "team_draft_multileave", "probabilistic", "optimized")
# The second moves one document to the top: many small leads against one great one.
RANKINGS = {"first": list("abcdef"), "second": list("fabcde")}
UNITS = 3000


def log(method: str) -> InterleavingLog:
    """One click for each unit, by rank alone."""
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 7)
    pages = {}
    for i in range(UNITS):
        shown = interleave(RANKINGS, f"s{i}", method, 6)
        doc = shown.docs[rng.choice(6, p=weights / weights.sum())]
        pages[f"s{i}"] = LoggedPage("log", f"u{i}", "q", shown, touches=[ClickedDocument(doc)])
    return InterleavingLog(pages, UNITS, UNITS, True)


@pytest.mark.parametrize("method", METHODS)
def test_nobody_is_preferred(method: str) -> None:
    (pair,) = analyze(log(method)).pairs
    even = read_configured("interleavings", method).item.even_wins
    assert pair.by == ("share" if even else "margin")
    assert pair.winner is None
    margin = pair.preferred.margin
    assert isinstance(margin, Estimate)
    assert margin.low < 0 < margin.high
    if even:
        decided = pair.preferred.wins + pair.preferred.losses
        assert abs(pair.preferred.wins / decided - 0.5) < 4 * math.sqrt(0.25 / decided)
    else:
        assert isinstance(pair.preferred.share, NotEstimable)


def test_the_share_of_wins_would_have_been_fooled_by_optimized() -> None:
    """Why the margin decides: most clicks win a little for the first, few win much for the second."""
    outcomes = [
        credit_clicks(str(page.unit), page.shown, page.touches)
        for page in log("optimized").pages.values()
        if page.shown
    ]
    found = preferred(outcomes, "first", "second")
    assert isinstance(found.share, Estimate)
    assert found.share.high < 0.35
    assert found.margin.value == pytest.approx(0, abs=0.03)


def test_a_sentence_about_the_margin() -> None:
    """Every second user clicks "f", which the second has first, and nobody anything else."""
    logged = log("optimized")
    for i, page in enumerate(logged.pages.values()):
        page.touches = [ClickedDocument("f")] if i % 2 else []
    (sentence,) = analyze(logged, planned=None).sentences
    assert sentence.startswith("Users prefer second to first (+")
    assert f"credit in a unit, of {UNITS:,}; 95% interval +" in sentence


def test_a_method_that_is_none_of_ours_is_decided_by_the_margin() -> None:
    logged = log("team_draft")
    for page in logged.pages.values():
        assert page.shown is not None
        page.shown = type(page.shown)("home made", *(getattr(page.shown, name) for name in page.shown.__slots__[1:]))
    assert analyze(logged).pairs[0].by == "margin"
