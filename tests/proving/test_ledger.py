"""The ledger of a gate: attempts counted by content, error spent over them, and every change to the file noticed."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sealed_lines import read_lines
from rankproof.proving import ledger as ledger_module
from rankproof.proving.gate import gate
from rankproof.proving.ledger import Ledger, LedgerEntry, spend_share
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms import github, html, junit, markdown, table

QUERIES = [f"q{i}" for i in range(24)]
QRELS = {query: {"yes": 1, "no": 0} for query in QUERIES}
GAIN = {"rule": "least_gain", "measure": "RR", "at_least": 0}


def run_at(*ranks: int) -> dict[str, dict[str, float]]:
    """A run in which the relevant document of each query in turn stands at one of the ranks."""
    found = {}
    for i, query in enumerate(QUERIES):
        docs = ["no", "x", "y", "z"]
        docs.insert(ranks[i % len(ranks)] - 1, "yes")
        found[query] = {doc: 10.0 - at for at, doc in enumerate(docs)}
    return found


BASE = run_at(2, 2, 1)


def tried(path: Path, candidate: Any, spend: bool = False, *rules: dict[str, Any], **more: Any) -> Verdict:
    policy = {"ledger": {"path": str(path), "spend_error": spend}, "rule": list(rules) or [GAIN]}
    return gate(policy, **{"qrels": QRELS, "baseline": BASE, "candidate": candidate, **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gate.ledger.jsonl"


@pytest.fixture
def three(path: Path) -> Path:
    """A ledger of three attempts."""
    for ranks in ((1, 2, 1), (1, 1, 2), (3, 1, 1)):
        tried(path, run_at(*ranks))
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# ---- counting ------------------------------------------------------------------------------------


def test_attempts_are_counted_and_the_verdict_says_how_many_were_before(path: Path) -> None:
    first, second = tried(path, run_at(1, 2, 1)), tried(path, run_at(1, 1, 2))
    assert (first.ledger.number, first.ledger.tried_before) == (1, 0)
    assert (second.ledger.number, second.ledger.tried_before, second.ledger.attempts) == (2, 1, 2)
    assert [line["attempt"] for line in lines(path)] == [1, 2]
    assert [line["status"] for line in lines(path)] == [first.status, second.status]
    assert lines(path)[1]["before"] == lines(path)[0]["seal"] == first.ledger.seal


def test_the_same_candidate_under_the_same_policy_counts_once(path: Path, tmp_path: Path) -> None:
    """Also from a file, under another name: content counts."""
    candidate = run_at(1, 2, 1)
    tried(path, candidate)
    tried(path, run_at(1, 1, 2))
    rankproof.write(rankproof.read_run(candidate), tmp_path / "other-name.run", "trec")
    again = tried(path, str(tmp_path / "other-name.run"), False, {**GAIN, "title": "another title"})
    assert (again.ledger.number, again.ledger.repeats, again.ledger.attempts) == (1, 1, 2)
    assert len(lines(path)) == 3  # a line per gate all the same


@pytest.mark.parametrize(
    "other",
    [
        {"baseline": run_at(2, 2, 2)},
        {"confidence": 0.9},
        {"significance": "randomization"},
        {"seed": 1},
        {"queries": {query: {"kind": "head"} for query in QUERIES}},
    ],
)
def test_another_policy_baseline_or_seed_is_another_attempt(path: Path, other: dict[str, Any]) -> None:
    tried(path, run_at(1, 2, 1))
    assert tried(path, run_at(1, 2, 1), **other).ledger.number == 2
    assert tried(path, run_at(1, 2, 1), False, {**GAIN, "at_least": 0.01}).ledger.number == 3


def test_latencies_measured_anew_are_another_attempt(path: Path) -> None:
    """Else one could time requests until a budget is met by chance."""
    rule = {"rule": "latency", "percentile": 50, "budget_ms": 250}
    for number, times in enumerate(([100.0] * 9, [101.0] * 9), start=1):
        assert tried(path, run_at(1, 2, 1), False, GAIN, rule, latency=times).ledger.number == number


def test_other_judgments_are_counted_by_themselves_and_told(path: Path) -> None:
    tried(path, run_at(1, 2, 1))
    changed = {**QRELS, "q0": {"yes": 2, "no": 0}}
    verdict = tried(path, run_at(1, 2, 1), qrels=changed)
    assert (verdict.ledger.number, verdict.ledger.elsewhere) == (1, 1)
    assert any("other judgments" in line for line in verdict.ledger.lines())


def test_without_a_ledger_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    verdict = gate({"rule": [GAIN]}, qrels=QRELS, baseline=BASE, candidate=run_at(1, 2, 1))
    assert verdict.ledger is None
    assert "ledger" not in verdict.to_dict()
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_alone_changes_no_ruling(path: Path) -> None:
    with_it = tried(path, run_at(1, 2, 1))
    without = gate({"rule": [GAIN]}, qrels=QRELS, baseline=BASE, candidate=run_at(1, 2, 1))
    assert (with_it.status, with_it.rulings) == (without.status, without.rulings)


def test_a_refused_run_is_no_attempt_and_that_is_told(path: Path) -> None:
    broken = {"q0": {"yes": math.nan}}
    verdict = tried(path, broken, False, GAIN, {"rule": "checks"})
    assert (verdict.status, verdict.ledger) == ("FAIL", None)
    assert any("not counted" in note for note in verdict.notes)
    assert not path.exists()


# ---- spending ------------------------------------------------------------------------------------


def test_the_shares_of_all_attempts_come_to_one() -> None:
    total = sum(spend_share(k) for k in range(1, 100_001))
    assert 0.99999 < total < 1
    assert spend_share(1) == pytest.approx(6 / math.pi**2)


def test_each_attempt_has_its_share_of_the_error(path: Path) -> None:
    for number, ranks in enumerate(((1, 2, 1), (1, 1, 2), (3, 1, 1)), start=1):
        own = {**GAIN, "confidence": 0.9}
        first, second = tried(path, run_at(*ranks), True, GAIN, own).rulings
        assert 1 - first.confidence == pytest.approx(0.05 * 6 / math.pi**2 / number**2)
        assert 1 - second.confidence == pytest.approx(0.10 * 6 / math.pi**2 / number**2)


def test_a_gain_that_passes_as_the_first_attempt_is_undecided_as_the_twentieth(path: Path, tmp_path: Path) -> None:
    """Eight of 24 queries gain a half, four lose a sixth: t = 0.1389 / 0.0546 = 2.54, p = 0.009; alone it has 0.0304,

    as the 20th 0.000076. Tried again it keeps the share that it had.
    """
    good = run_at(1, 2, 1, 1, 3, 1)
    first = tried(tmp_path / "alone.jsonl", good, True)
    assert (first.status, first.rulings[0].observed) == ("PASS", pytest.approx(5 / 36))
    for i in range(19):
        assert tried(path, run_at(*(1 + (i // 4**j) % 4 for j in range(3)), 4), True).ledger.number == i + 1
    late = tried(path, good, True)
    assert (late.status, late.ledger.number) == ("UNDECIDED", 20)
    assert tried(tmp_path / "alone.jsonl", good, True).status == "PASS"


def test_what_passes_without_a_test_is_undecided_where_error_is_spent(path: Path) -> None:
    """The baseline itself: no query changes, so there is no bound, and twenty such candidates must not all pass."""
    assert tried(path, BASE).status == "PASS"
    verdict = tried(path, BASE, True)
    assert (verdict.status, verdict.rulings[0].decides != "") == ("UNDECIDED", True)


def test_attempts_with_the_whole_error_are_told_where_one_spends(path: Path) -> None:
    tried(path, run_at(1, 2, 1))
    verdict = tried(path, run_at(1, 1, 2), True)
    assert (verdict.ledger.number, verdict.ledger.unspent) == (2, 1)
    assert any("whole error" in line for line in verdict.ledger.lines())


def test_spending_needs_a_rule_with_bounds(path: Path) -> None:
    with raises(UsageError, "[ledger]", "spend_error"):
        tried(path, BASE, True, {**GAIN, "basis": "point"})
    mixed = tried(path, run_at(1, 2, 1), True, GAIN, {**GAIN, "basis": "point"})
    assert mixed.ledger.plain == 1
    assert any("plain values" in line for line in mixed.ledger.lines())


@pytest.mark.parametrize(
    ("given", "named"),
    [({}, "path"), ({"path": ""}, "path"), ({"path": "l", "spend": True}, "'spend'"), ({"path": 3}, "3")],
)
def test_a_wrong_table_is_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        gate({"ledger": given, "rule": [GAIN]}, qrels=QRELS, baseline=BASE, candidate=BASE)
    assert named in str(caught.value)
    assert "[ledger]" in str(caught.value)


# ---- forms ---------------------------------------------------------------------------------------


def test_every_form_says_which_attempt_it_is(three: Path) -> None:
    verdict = tried(three, run_at(4, 1, 1), True)
    document = verdict.to_dict()["ledger"]
    assert (document["number"], document["tried_before"], document["share"]) == (4, 3, spend_share(4))
    for form in (table, markdown, junit, github, html):
        told = form.OFFERS[0].verdict(verdict, observed={})
        assert "attempt 4 on these judgments, 3 tried before" in told, form.__name__
        assert "tuning" in told, form.__name__


# ---- the file ------------------------------------------------------------------------------------


def test_a_changed_line_is_refused_with_its_number(three: Path) -> None:
    content = three.read_text().splitlines(keepends=True)
    for at in range(3):
        changed = content[at].replace(f'"attempt": {at + 1}', '"attempt": 9')
        assert changed != content[at]
        three.write_text("".join([*content[:at], changed, *content[at + 1 :]]))
        with raises(InputError, three, f"line {at + 1}"):
            tried(three, run_at(4, 1, 1))


@pytest.mark.parametrize(("kept", "line"), [((1, 2), 1), ((0, 2), 2), ((0, 1), 3), ((), 1), ((1, 0, 2), 1), ((0,), 2)])
def test_removed_and_moved_lines_are_refused_with_their_number(three: Path, kept: tuple[int, ...], line: int) -> None:
    """Those at the end too, which no later line misses."""
    content = three.read_text().splitlines(keepends=True)
    three.write_text("".join(content[i] for i in kept))
    before = three.read_text()
    with raises(InputError, three, f"line {line}"):
        tried(three, run_at(4, 1, 1))
    assert three.read_text() == before


def test_a_removed_ledger_is_noticed(three: Path) -> None:
    three.unlink()
    with raises(InputError, three, "line 1", "3 lines"):
        tried(three, run_at(4, 1, 1))


def test_a_ledger_without_its_head_or_with_a_wrong_one_is_refused(three: Path) -> None:
    head = Path(f"{three}.head")
    whole = head.read_text()
    for wrong in ("", "[]", '{"n": "3", "seal": 1}', '{"n": 0, "seal": ""}'):
        head.write_text(wrong)
        with raises(InputError, head):
            tried(three, run_at(4, 1, 1))
    head.write_text(whole.replace(lines(three)[2]["seal"], "0" * 64))
    with raises(InputError, three, "line 3"):
        tried(three, run_at(4, 1, 1))
    head.unlink()
    with raises(InputError, head):
        tried(three, run_at(4, 1, 1))


def test_a_last_line_made_to_look_torn_is_refused(three: Path) -> None:
    """Half a line may be cut off only where nobody was told of it."""
    three.write_bytes(three.read_bytes()[:-40])
    before = three.read_bytes()
    with raises(InputError, three, "line 3"):
        tried(three, run_at(4, 1, 1))
    assert three.read_bytes() == before


def test_the_half_line_of_a_killed_gate_is_told_and_removed(three: Path) -> None:
    whole = three.read_bytes()
    three.write_bytes(whole + whole.splitlines()[-1][:50])
    verdict = tried(three, run_at(4, 1, 1))
    assert (verdict.ledger.number, verdict.ledger.mended) == (4, True)
    assert any("half a line" in line for line in verdict.ledger.lines())
    assert three.read_bytes().startswith(whole)
    assert len(read_lines(three, LedgerEntry.from_dict)) == 4


def test_what_is_no_ledger_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("a list of things\n")
    with raises(InputError, path, "line 1"):
        tried(path, run_at(1, 2, 1))
    assert path.read_text() == "a list of things\n"


def test_a_ledger_that_is_held_is_waited_for_and_then_refused(three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module.Ledger.__init__, "__defaults__", (0.2,))
    with Ledger(str(three)), raises(UsageError, three, "0.2"):
        tried(three, run_at(4, 1, 1))
    assert tried(three, run_at(4, 1, 1)).ledger.number == 4


def test_a_folder_or_a_full_disk_is_said(path: Path, three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with raises(UsageError, path.parent):
        tried(path.parent, BASE)
    real = os.write

    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with raises(InputError, three, "No space left on device"):
        tried(three, run_at(4, 1, 1))
    monkeypatch.setattr(os, "write", real)
    assert len(lines(three)) == 3
