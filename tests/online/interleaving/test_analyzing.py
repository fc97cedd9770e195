"""From a log to a preference: logged lists and rebuilt ones, three systems, balance, and what is left out."""

from __future__ import annotations

import random

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.online.interleaving.logs import InterleavingLog, LoggedPage
from rankproof.online.interleaving.read import analyze
from rankproof.online.interleaving.records import ClickedDocument
from rankproof.online.interleaving.show import ListRecipe

RANKINGS = {
    "old": {"q1": ["a", "b", "c", "d"], "q2": ["e", "f", "g", "h"]},
    "new": {"q1": ["c", "d", "a", "b"], "q2": ["g", "h", "e", "f"]},
    "third": {"q1": ["b", "a", "d", "c"], "q2": ["f", "e", "h", "g"]},
}
TWO = ListRecipe({name: RANKINGS[name] for name in ("old", "new")}, depth=4)
THREE = ListRecipe(RANKINGS, "team_draft_multileave", depth=3)
GOOD = {"c", "g"}  # what new ranks first


def log(recipe: ListRecipe, pages: int, logged: bool, liked: float = 0.8, disliked: float = 0.2) -> InterleavingLog:
    """Users click what is good more often than what is not; every user sees two pages."""
    rng = random.Random(1)
    found = {}
    for i in range(pages):
        key, query = f"s{i}", ("q1", "q2")[i % 2]
        shown = recipe.made(key, query)
        assert shown is not None
        clicks = [
            ClickedDocument(doc, 40.0 if doc in GOOD else None, doc in GOOD)
            for doc in shown.docs
            if rng.random() < (liked if doc in GOOD else disliked)
        ]
        page = LoggedPage(f"log, line {i + 1}", f"u{i // 2}", query, touches=clicks)
        if logged:
            page.shown = shown
        found[key] = page
    return InterleavingLog(found, pages, sum(len(page.touches) for page in found.values()), True)


def test_users_prefer_the_system_that_has_what_they_like_first() -> None:
    found = analyze(log(TWO, 800, logged=True), planned=400, baseline="old")
    (pair,) = found.pairs
    assert (pair.preferred.first, pair.preferred.second, pair.winner) == ("old", "new", "new")
    assert pair.preferred.units == 400
    assert found.balance.even
    assert found.correction is None
    (sentence,) = found.sentences
    share = pair.preferred.share
    assert isinstance(share, Estimate)
    assert sentence == (
        f"Users prefer new to old ({100 * share.value:.1f}% of {share.n} decided units; 95% always-valid interval "
        f"{100 * share.low:.1f}% to {100 * share.high:.1f}%)."
    )


def test_lists_made_anew_say_the_same_as_those_that_were_logged() -> None:
    logged = analyze(log(TWO, 300, logged=True))
    rebuilt = analyze(log(TWO, 300, logged=False), TWO)
    assert (logged.lists, rebuilt.lists) == ("logged", "rebuilt")
    assert logged.pairs == rebuilt.pairs
    assert logged.counts == rebuilt.counts


def test_the_winner_is_named_whichever_comes_first() -> None:
    by_name = analyze(log(TWO, 800, logged=True), planned=None)  # new, old
    (pair,) = by_name.pairs
    assert (pair.preferred.first, pair.winner) == ("new", "new")
    share = pair.preferred.share
    assert isinstance(share, Estimate)
    assert f"Users prefer new to old ({100 * (1 - share.value):.1f}% of" in by_name.sentences[0]
    assert "; 95% interval" in by_name.sentences[0]


def test_no_preference_is_said_to_be_none() -> None:
    found = analyze(log(TWO, 200, logged=True, liked=0.3, disliked=0.3))
    assert found.pairs[0].winner is None
    assert found.sentences[0].startswith("No preference between new and old is shown (old won ")


def test_three_systems_are_three_pairs_that_are_corrected_together() -> None:
    found = analyze(log(THREE, 1500, logged=True), baseline="old", planned=700)
    names = [(pair.preferred.first, pair.preferred.second) for pair in found.pairs]
    assert names == [("old", "new"), ("new", "third"), ("old", "third")]
    assert found.correction == "holm"
    for pair in found.pairs:
        share = pair.preferred.share
        assert isinstance(share, Estimate)
        assert pair.share is not None
        assert pair.margin is not None
        assert pair.share.p_value >= share.p_value
        assert pair.share.low < share.low
        assert pair.share.high > share.high
    assert [pair.winner for pair in found.pairs] == ["new", "new", None]
    assert "for all pairs together" in found.sentences[0]
    assert analyze(log(THREE, 100, logged=True), correction="none").pairs[0].share is None


@pytest.mark.parametrize(("credit", "unknown"), [("click", False), ("dwell", True), ("conversion", False)])
def test_what_counts(credit: str, unknown: bool) -> None:
    found = analyze(log(TWO, 200, logged=True), credit=credit)
    assert (found.counts.unknown > 0) == unknown
    assert (found.counts.counted < found.counts.clicks) == (credit != "click")
    if unknown:
        assert any("no dwell time" in warning for warning in found.warnings)


def test_without_balance_nothing_is_said() -> None:
    """Every second list that begins with a document of "new" was lost."""
    whole = log(TWO, 1500, logged=True)
    kept = {}
    for i, (key, page) in enumerate(whole.pages.items()):
        assert page.shown is not None
        if page.shown.teams[0] == "old" or i % 2:
            kept[key] = page
    found = analyze(InterleavingLog(kept, len(kept), whole.clicks, True))
    assert not found.balance.even
    assert len(found.sentences) == 1
    assert "no preference is stated" in found.sentences[0]


def test_a_few_pages_that_differ_are_left_out_and_many_are_refused() -> None:
    whole = log(TWO, 400, logged=True)
    for i in range(3):
        whole.pages[f"s{i}"].docs = ("x", "y")
        whole.pages[f"s{i}"].shown = None
    whole.pages["s9"].changed = True
    found = analyze(whole, TWO)
    assert (found.counts.mismatched, found.counts.changed, found.counts.pages) == (3, 1, 396)
    whole.pages["s10"].changed = True
    with raises(InputError, "5 of 400", "log, line 1", "2", "3", "key"):
        analyze(whole, TWO)


@pytest.mark.parametrize("wrong", [{"experiment": "other"}, {"method": "probabilistic"}, {"depth": 3}])
def test_a_recipe_that_is_not_the_servers_is_refused(wrong: dict) -> None:
    taken = {"rankings": TWO.rankings, "depth": 4, **wrong}
    with raises(InputError, "log, line 1", "100", "runs", "method", "depth", "experiment"):
        analyze(log(TWO, 100, logged=True), ListRecipe(**taken))


def test_clicks_that_belong_nowhere_are_counted() -> None:
    whole = log(TWO, 100, logged=True)
    whole.pages["lost"] = LoggedPage("log, line 900", "u1", touches=[ClickedDocument("a")] * 30)
    whole.pages["s0"].touches.append(ClickedDocument("nowhere"))
    found = analyze(InterleavingLog(whole.pages, 200, whole.clicks + 31, True))
    assert (found.counts.stray, found.counts.dropped) == (30, 1)
    assert any("clicks have a key without a list" in warning for warning in found.warnings)


def test_a_query_that_no_run_has_is_counted() -> None:
    whole = log(TWO, 100, logged=False)
    whole.pages["s0"].query = "q9"
    assert analyze(whole, TWO).counts.unranked == 1
    whole.pages["s1"].query = None
    with raises(InputError, "log, line 2", "'s1'", "query_id"):
        analyze(whole, TWO)


def test_without_units_each_page_is_its_own_and_that_is_warned_of() -> None:
    whole = log(TWO, 100, logged=True)
    for page in whole.pages.values():
        page.unit = None
    found = analyze(InterleavingLog(whole.pages, 100, whole.clicks, False))
    assert found.pairs[0].preferred.units == 100
    assert any("no column of units" in warning for warning in found.warnings)
    with raises(InputError, "log, line 1", "'s0'", "unit"):
        analyze(InterleavingLog(whole.pages, 100, whole.clicks, True))


def test_documents_alone_need_the_runs() -> None:
    whole = log(TWO, 10, logged=False)
    with raises(InputError, "InterleavedList.to_dict", "--run"):
        analyze(whole)
    whole.pages["s0"].docs = ("a", "c")
    with raises(InputError, "log, line 1", "clicks", "--run"):
        analyze(whole)


def test_wrong_questions_are_refused() -> None:
    whole = log(TWO, 10, logged=True)
    with raises(UnknownName) as unknown:
        analyze(whole, baseline="nwe")
    assert (unknown.value.name, unknown.value.near) == ("nwe", ["new"])
    with raises(UnknownName) as unknown:
        analyze(whole, credit="clik")
    assert (unknown.value.name, unknown.value.near) == ("clik", ["click"])
    with raises(UsageError, "confidence", "95"):
        analyze(whole, level=95)
    with raises(UsageError, "tukey", "holm"):
        analyze(log(THREE, 10, logged=True), correction="tukey")
