"""Logs with propensities, policies and curves from files: what is read, and what is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.counterfactual.estimate_log import learned_curve, read_curve, setting_of
from rankproof.online.counterfactual.logs import GAP, TWICE, read_choices, read_columns, read_placed
from rankproof.online.counterfactual.policies import read_policy
from rankproof.testing.statistics import pages_of

ROWS = """page,query_id,doc_id,rank,clicked,propensity,session
p1,q,a,1,1,0.5,s1
p2,q,b,1,0,0.5,s1
p1,q,b,2,0,0.25,s1
p2,q,a,2,true,0.75,s1
p1,r,a,1,no,1,s2
"""


def write(folder: Path, text: str, name: str = "log.csv") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_rows_of_a_page_may_stand_anywhere(tmp_path: Path) -> None:
    """p1 of q and p1 of r are two pages."""
    placed, left_out = read_placed(write(tmp_path, ROWS), {}, propensities=True)
    pages = placed.pages
    assert placed.propensities is not None
    assert placed.propensities.tolist() == [[0.5, 0.25], [0.5, 0.75], [1.0, 1.0]]
    assert pages.clicks.tolist() == [[True, False], [False, True], [False, False]]
    assert [pages.pairs.named(pair) for pair in pages.shown[1]] == [("q", "b"), ("q", "a")]
    assert pages.lengths.tolist() == [2, 2, 1]
    assert pages.sessions is not None
    assert pages.sessions.tolist() == [0, 0, 1]
    assert left_out == {}


def test_columns_by_other_names_and_without_propensities(tmp_path: Path) -> None:
    text = ROWS.replace("doc_id", "item").replace("propensity", "p").replace("session", "who")
    placed, _ = read_placed(write(tmp_path, text), read_columns(("doc=item", "session=who")), propensities=False)
    assert placed.propensities is None
    assert placed.pages.sessions is not None


def test_worthless_pages_are_left_out_and_counted(tmp_path: Path) -> None:
    more = "p3,q,a,1,0,1,s\np3,q,b,3,0,1,s\np4,q,a,1,0,1,s\np4,q,a,2,0,1,s\np5,q,a,1,0,1,s\np5,q,b,1,0,1,s\n"
    placed, left_out = read_placed(write(tmp_path, ROWS + more), {}, propensities=True)
    assert len(placed.pages) == 3
    assert left_out == {GAP: 2, TWICE: 1}
    head = ROWS.splitlines()[0]
    with raises(InputError, "log.csv", "2", "ranks", "twice"):
        read_placed(write(tmp_path, f"{head}\n{more}"), {}, propensities=True)


@pytest.mark.parametrize(
    ("row", "values"),
    [
        ("p9,q,a,1,1,0,s", ["propensity", "got 0"]),
        ("p9,q,a,1,1,1.5,s", ["propensity", "1.5"]),
        ("p9,q,a,1,1,,s", ["propensity", "nothing"]),
        ("p9,q,a,0,1,1,s", ["rank", "got 0"]),
        ("p9,q,a,1.5,1,1,s", ["rank", "1.5"]),
        ("p9,q,a,,1,1,s", ["rank", "nothing"]),
        ("p9,q,a,1,,1,s", ["clicked", "missing"]),
        ("p9,,a,1,1,1,s", ["query_id", "missing"]),
    ],
)
def test_a_row_that_cannot_be_trusted_is_refused_with_its_place(tmp_path: Path, row: str, values: list[str]) -> None:
    with raises(InputError, "log.csv", "line 7", *values):
        read_placed(write(tmp_path, f"{ROWS}{row}\n"), {}, propensities=True)


def test_choices_with_rewards_of_either_kind(tmp_path: Path) -> None:
    head = "query_id,action,propensity,reward\n"
    found = read_choices(write(tmp_path, f"{head}q,a,0.5,2.5\nq,b,1,-1\n"), {})
    assert (found.rewards.tolist(), found.propensities.tolist(), found.units) == ([2.5, -1.0], [0.5, 1.0], None)
    lines = '{"query_id": "q", "action": 7, "propensity": 0.5, "reward": true, "session": "s"}\n'
    flagged = read_choices(write(tmp_path, lines, "log.jsonl"), {})
    assert (flagged.names, flagged.rewards.tolist(), flagged.units.tolist()) == (("7",), [1.0], [0])
    with raises(InputError, "log.csv", "line 2", "reward"):
        read_choices(write(tmp_path, f"{head}q,a,0.5,\n"), {})
    with raises(InputError, "log.csv", "query_id, action, propensity, reward"):
        read_choices(write(tmp_path, head), {})
    with raises(InputError, "log.csv", "action_id", "list_id", "--column action=NAME"):
        read_choices(write(tmp_path, "query_id,propensity,reward\nq,1,1\n"), {})
    with raises(InputError, "log.csv", "'wins'", "reward"):
        read_choices(write(tmp_path, f"{head}q,a,0.5,1\n"), {"reward": "wins"})


def test_columns_as_typed() -> None:
    assert read_columns(("doc=item", "rank=pos")) == {"doc": "item", "rank": "pos"}
    with raises(UsageError, "WHAT=NAME", "doc=item", "'doc'"):
        read_columns(("doc",))
    with raises(UnknownName) as unknown:
        read_columns(("docs=a",))
    assert (unknown.value.name, unknown.value.near) == ("docs", ["doc"])
    with raises(UsageError, "doc", "a and b"):
        read_columns(("doc=a", "doc=b"))


def test_a_policy_sums_to_one(tmp_path: Path) -> None:
    head = "query_id,action,probability\n"
    assert read_policy(write(tmp_path, f"{head}q,a,0.25\nq,b,0.75\n")) == {"q": {"a": 0.25, "b": 0.75}}
    for rows, values in (
        ("q,a,0.25\nq,b,0.5\n", ["line 2", "'q'", "0.75"]),
        ("q,a,1.5\n", ["line 2", "probability", "1.5"]),
        ("q,a,0.5\nq,a,0.5\n", ["line 3", "'a'", "'q'", "probability"]),
        ("", ["rows", "query_id", "action", "probability"]),
    ):
        with raises(InputError, "log.csv", *values):
            read_policy(write(tmp_path, head + rows))


def test_a_curve_from_json_and_from_a_table(tmp_path: Path) -> None:
    """It ends before the first rank that is missing, and is taken over rank 1."""
    ranks = [{"rank": 1, "value": 0.8, "low": 0.8}, {"rank": 2, "value": 0.4}, {"rank": 4, "value": 0.1}]
    kept = {"models": [{"rank": 9, "value": 1}], "curve": {"model": "position_based", "ranks": ranks}}
    assert read_curve(write(tmp_path, json.dumps(kept), "c.json")).tolist() == [1.0, 0.5]
    assert read_curve(write(tmp_path, json.dumps(ranks), "c.json")).tolist() == [1.0, 0.5]
    assert read_curve(write(tmp_path, "rank,examination\n2,0.25\n1,0.5\n", "c.csv")).tolist() == [1.0, 0.5]
    for text, values in (
        ("[]", ["rank", "value", "clicks fit --json"]),
        ('{"curve": null}', ["rank", "value", "clicks fit --json"]),
        ("rank,examination\n2,0.5\n", ["rank 1", "once"]),
        ("rank,examination\n1,0.5\n1,0.4\n", ["rank 1", "once"]),
        ("rank,examination\n1,0.5\n2,0\n", ["examination", "above 0"]),
    ):
        with raises(InputError, tmp_path / "c", *values):
            read_curve(write(tmp_path, text, "c"))


def test_a_curve_that_the_log_cannot_tell() -> None:
    with raises(InputError, "log", "rank 1"):
        learned_curve(pages_of("q: a B"), "log")
    with raises(InputError, "log", "document", "ranks", "--examination"):
        learned_curve(pages_of("q: A B"), "log")
    assert learned_curve(pages_of("q: A b", "q: b A"), "log").values.tolist() == [1.0, 1.0]


def test_the_setting_that_can_be_meant(tmp_path: Path) -> None:
    ranked = write(tmp_path, ROWS)
    chosen = write(tmp_path, "query_id,action,propensity,reward\n", "chosen.csv")
    assert setting_of(chosen, {}, None, None, None) == "action"
    assert setting_of(ranked, {}, None, "position_based", None) == "examination"
    assert setting_of(ranked, {}, "list", None, None) == "list"
    assert setting_of(ranked, {}, None, None, "policy.csv") == "action"
    with raises(
        UsageError, ranked, "rank", "--setting placement", "--setting list", "--setting action", "--examination"
    ):
        setting_of(ranked, {}, None, None, None)
    with raises(UsageError, "standard input", "--setting placement", "--setting list", "--setting action"):
        setting_of("-", {}, None, None, None)
    with raises(UsageError, "setting examination", "--setting list"):
        setting_of(ranked, {}, "list", "position_based", None)
    with raises(UsageError, "--policy", "list", "--run"):
        setting_of(ranked, {}, "list", None, "policy.csv")
