"""An overview that follows the acts says what adjudicating and summarizing all of them says, at every moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.judging.store.acts import graded, undone

from rankproof.judging.adjudicate import adjudicate, golden, summarize
from rankproof.judging.overview import JudgingOverview
from rankproof.judging.records import SCALES, SETTLING, Judgment, JudgmentSource, Project
from rankproof.judging.store import open_store
from rankproof.web.overviews import Overviews

SCALE = SCALES["graded"]
METHODS = ("settled", "majority(ties='lower')", "newest", "trusted(judges=['b'], otherwise='majority')", "mean")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "m"]),
        st.sampled_from(["d1", "d2"]),
        st.sampled_from([0, 1, 3, 7, "cannot_tell", "later", "settle", "undo"]),
    ),
    max_size=14,
)


def act_of(step: tuple[str, str, int | str], before: list[Judgment]) -> Judgment | None:
    judge, doc, what = step
    if what == "undo":
        mine = [act for act in before if act.judge == judge and not act.withdraws]
        return replace(undone(mine[-1]), source=mine[-1].source) if mine else None
    source = JudgmentSource("model", "m-1") if judge == "m" else JudgmentSource()
    if what == "settle":
        return graded(2, judge, doc_id=doc, source=SETTLING, time="2031-05-04T03:02:01.000000Z")
    act = graded(1, judge, doc_id=doc, source=source, time="2031-05-04T03:02:01.000000Z")
    return replace(act, grade=what) if isinstance(what, int) else replace(act, grade=None, reason=what)


@given(steps=STEPS, parts=st.integers(1, 5), data=st.data())
@settings(max_examples=examples(60), deadline=None)
@pytest.mark.parametrize("sources", [("person",), ("person", "model", "clicks")])
def test_it_says_the_same_after_every_part(sources, steps, parts: int, data) -> None:
    said: list[Judgment] = []
    for step in steps:
        act = act_of(step, said)
        if act is not None:
            said.append(act)
    following = JudgingOverview(SCALE)
    for start in range(0, max(1, len(said)), parts):
        following.record(said[start : start + parts])
        held = in_force(said[: start + parts])
        for method in METHODS:
            same_as_all(following, held, method, sources)
        alone = [act for act in held if act.source.kind in sources]
        summary = summarize(alone)
        assert [(one.judge, one.grades, one.cannot_tell, one.later) for one in following.judges(sources)] == [
            (one.judge, one.grades, one.cannot_tell, one.later) for one in summary.judges
        ]
        split = following.split("settled", sources, 0, 100, True)
        assert split.pairs == summary.split


def same_as_all(following: JudgingOverview, held: list[Judgment], method: str, sources: tuple[str, ...]) -> None:
    every = adjudicate(held, SCALE, method, sources=sources)
    counts = following.counts(method, sources)
    assert (counts.settled, counts.unresolved) == (len(every.qrels.rows), len(every.unresolved))
    assert counts.how == every.settled_how
    assert counts.grades == dict(sorted(every.qrels.grades.items()))
    assert counts.queries == len(every.qrels)
    assert following.qrels(method, sources) == every.qrels.to_dict()
    assert following.golden(method, sources, set()) == len(golden(every, set()))


def in_force(said: list[Judgment]) -> list[Judgment]:
    """By the rule as it is written, without anything of the overview."""
    withdrawn = {act.withdraws for act in said}
    newest = {
        (act.judge, act.doc_id, act.settles): i
        for i, act in enumerate(said)
        if not act.withdraws and act.key not in withdrawn
    }
    return [said[i] for i in sorted(newest.values())]


def test_each_look_takes_in_what_is_new_from_whoever_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    with open_store(path) as store, open_store(path) as other:
        project = Project("shop", "Shop")
        store.projects.add(project, by="ann")
        overviews = Overviews(store)
        for number, (writer, judge) in enumerate(((store, "a"), (other, "b"), (other, "c"))):
            writer.judgments.add("shop", graded(number, judge))
            with overviews.of(project) as overview:
                assert overview.people == {"a", "b", "c"} & {chr(97 + i) for i in range(number + 1)}
                assert len(overview.current()) == number + 1
        read: list[int] = []
        news = store.judgments.news
        store.judgments.news = lambda slug, after=0: (read.append(after), news(slug, after))[1]  # type: ignore[assignment]
        with overviews.of(project):
            pass
        assert read
        assert all(read)  # never again from the beginning
        first = overviews.agreement(project, ("person",))
        assert overviews.agreement(project, ("person",)) is first
        store.judgments.add("shop", graded(3, "d"))
        assert overviews.agreement(project, ("person",)) is not first
