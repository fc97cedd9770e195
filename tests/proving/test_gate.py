"""`rankproof.gate`: a policy asked of real runs, with segments, refused runs, missing values and every override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import Refused, UnknownName, UsageError
from rankproof.proving.gate import gate

# One relevant document per query; where it stands gives RR by hand.
QUERIES = ["q1", "q2", "q3", "q4"]
QRELS = {query: {"yes": 1, "no": 0} for query in QUERIES}


def run_at(*ranks: int | None) -> dict[str, dict[str, float]]:
    """A run in which the relevant document of each query stands at a rank; None: it is not there."""
    found: dict[str, dict[str, float]] = {}
    for query, rank in zip(QUERIES, ranks, strict=True):
        docs = ["no", "x", "y", "z"]
        if rank is not None:
            docs.insert(rank - 1, "yes")
        found[query] = {doc: 10.0 - i for i, doc in enumerate(docs)}
    return found


# RR 1, 1/2, 1, 1/4 (mean 0.6875) against 1/2, 1/2, 1, 1 (0.75).
NEW, OLD = run_at(1, 2, 1, 4), run_at(2, 2, 1, 1)
KINDS = {"q1": {"kind": "head"}, "q2": {"kind": "head"}, "q3": {"kind": "tail"}, "q4": {"kind": "tail"}}


def rules(*entries: dict[str, Any], **head: Any) -> dict[str, Any]:
    return {"policy": head, "rule": list(entries)}


def asked(*entries: dict[str, Any], **inputs: Any) -> Any:
    return gate(rules(*entries), **{"qrels": QRELS, "candidate": NEW, "baseline": OLD, **inputs})


def test_the_values_are_those_of_the_runs() -> None:
    verdict = asked(
        {"rule": "least_value", "measure": "RR", "at_least": 0.68, "basis": "point"},
        {"rule": "no_regression", "measure": "RR", "margin": 0.07, "basis": "point"},
    )
    first, second = verdict.rulings
    assert first.observed == pytest.approx(0.6875)
    assert second.observed == pytest.approx(-0.0625)
    assert (verdict.status, verdict.exit_status, bool(verdict)) == ("PASS", 0, True)
    assert second.payers[0].query_id == "q4"
    assert (second.payers[0].before, second.payers[0].value) == (1.0, 0.25)
    assert (verdict.candidate, verdict.baseline) == ("candidate", "baseline")


def test_the_verdict_holds_what_it_rests_on() -> None:
    verdict = asked({"rule": "no_regression", "measure": "RR", "margin": 0.5})
    assert verdict.evaluation is not None
    assert verdict.evaluation["RR"].mean == pytest.approx(0.6875)
    assert verdict.comparison is not None
    assert verdict.comparison.systems == ("baseline", "candidate")
    assert verdict.comparison.contrast("RR").candidate_mean == pytest.approx(0.6875)
    short = gate(
        rules({"rule": "no_regression", "measure": "RR", "margin": 0.5}),
        qrels=QRELS, candidate=NEW, baseline=OLD, detail=False,
    )  # fmt: skip
    assert short.comparison is None
    assert short.rulings == verdict.rulings


def test_a_segment_is_judged_on_its_own_queries() -> None:
    """Head: q1 and q2, RR 0.75; tail: q3 and q4, RR 0.625."""
    entry = {"rule": "least_value", "measure": "RR", "at_least": 0.7, "basis": "point"}
    (head,) = asked({**entry, "segment": "kind=head"}, queries=KINDS).rulings
    assert (head.status, head.observed, head.title) == ("PASS", pytest.approx(0.75), "RR at least 0.7 on kind=head")
    each = asked({**entry, "segment": "kind", "title": "first hit"}, queries=KINDS)
    assert [(r.title, r.status) for r in each.rulings] == [
        ("first hit on kind=head", "PASS"),
        ("first hit on kind=tail", "FAIL"),
    ]
    assert [r.segment for r in each.rulings] == ["kind=head", "kind=tail"]


def test_an_unknown_segment_or_column_is_an_error_with_its_place() -> None:
    entry = {"rule": "least_value", "measure": "RR", "at_least": 0.7}
    with raises(UsageError, "rule 1 (least_value)", "'kind=haed'", "'kind=head'"):
        asked({**entry, "segment": "kind=haed"}, queries=KINDS)
    with raises(UnknownName) as unknown:
        asked({**entry, "segment": "kin"}, queries=KINDS)
    assert (unknown.value.name, unknown.value.near) == ("kin", ["kind"])
    with raises(UsageError, "rule 1 (least_value)", "queries", "[policy]", "--queries"):
        asked({**entry, "segment": "kind=head"})


def test_a_rule_that_compares_needs_a_baseline() -> None:
    with raises(UsageError, "rule 1 (no_regression)", "baseline", "[policy]", "--baseline"):
        gate(rules({"rule": "no_regression", "measure": "RR", "margin": 0.1}), qrels=QRELS, candidate=NEW)


def test_a_policy_without_judgments_or_candidate_says_what_to_add() -> None:
    entry = {"rule": "least_value", "measure": "RR", "at_least": 0.5}
    with raises(UsageError, "rule 1 (least_value)", "candidate", "[policy]", "--candidate"):
        gate(rules(entry), qrels=QRELS)
    with raises(UsageError, "rule 1 (least_value)", "qrels", "[policy]", "--qrels"):
        gate(rules(entry), candidate=NEW)


def test_a_latency_needs_no_run() -> None:
    verdict = gate(rules({"rule": "latency", "percentile": 50, "budget_ms": 100}), latency=[1.0] * 30)
    assert (verdict.status, verdict.evaluation, verdict.comparison) == ("PASS", None, None)


def test_a_run_that_is_the_baseline_passes_without_a_doubt() -> None:
    verdict = asked({"rule": "no_regression", "measure": "RR", "margin": 0.0}, candidate=OLD)
    assert (verdict.status, verdict.rulings[0].basis) == ("PASS", "fact")


def test_a_value_that_the_candidate_lost() -> None:
    """AvgPos is undefined where nothing relevant is retrieved: q4 had a position and has none now."""
    limit = {"rule": "no_query_loses_more", "measure": "AvgPos", "than": 10}
    verdict = asked(
        limit, {"rule": "protected", "measure": "AvgPos", "queries": ["q4"]}, candidate=run_at(2, 2, 1, None)
    )
    assert [ruling.status for ruling in verdict.rulings] == ["FAIL", "FAIL"]
    assert verdict.rulings[0].queries == ("q4",)
    assert verdict.rulings[1].payers[0].before == 1.0


def test_protected_queries_from_a_file(tmp_path: Path) -> None:
    listed = tmp_path / "protected.txt"
    listed.write_text("# the ones that pay\nq1\n\nq4  # a comment\n")
    verdict = asked({"rule": "protected", "measure": "RR", "file": str(listed)})
    assert verdict.rulings[0].queries == ("q4",)
    listed.write_text("# nothing\n")
    with raises(UsageError, "rule 1 (protected)", listed):
        asked({"rule": "protected", "measure": "RR", "file": str(listed)})


def test_the_judged_rate_of_the_first_two() -> None:
    """Judged of the first two: q1 yes, no: 1; q2 no, yes: 1; q3 yes, no: 1; q4 no, x: 0.5. Mean 0.875."""
    (ruling,) = asked({"rule": "judged_rate", "k": 2, "at_least": 0.9}).rulings
    assert (ruling.status, ruling.observed) == ("FAIL", pytest.approx(0.875))


def test_a_faulty_run_fails_the_checks_and_is_not_measured(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.run"
    faulty.write_text("q1 Q0 yes 1 2 t\nq1 Q0 yes 2 1 t\nq2 Q0 yes 1 1 t\n")
    least = {"rule": "least_value", "measure": "RR", "at_least": 0.1}
    verdict = asked(least, {"rule": "checks"}, candidate=str(faulty))
    first, second = verdict.rulings
    assert (verdict.status, first.status, second.status) == ("FAIL", "UNDECIDED", "FAIL")
    assert first.reason.startswith("Not measured: ")
    assert "duplicate_document" in second.reason
    assert (verdict.candidate, verdict.evaluation) == ("faulty", None)
    with raises(Refused) as refused:
        asked(least, candidate=str(faulty))
    assert [finding.code for finding in refused.value.findings] == ["duplicate_document"]


def test_warnings_fail_strict_checks_only() -> None:
    short = {query: {"yes": 1.0} for query in QUERIES}
    assert asked({"rule": "checks"}, candidate=short).status == "PASS"
    strict = asked({"rule": "checks", "strict": True}, candidate=short)
    assert strict.status == "FAIL"
    assert "shallow" in strict.rulings[0].reason
    assert asked({"rule": "checks", "strict": True, "allow": ["shallow"]}, candidate=short).status == "PASS"


def test_the_choices_of_evaluate_are_followed() -> None:
    """Only the first document counts: RR is 1 in q1 and q3."""
    policy = rules({"rule": "least_value", "measure": "RR", "at_least": 0.6, "basis": "point"})
    verdict = gate({**policy, "evaluate": {"depth": 1}}, qrels=QRELS, candidate=NEW)
    assert verdict.rulings[0].observed == pytest.approx(0.5)


def test_methods_that_speak_of_something_else_are_refused() -> None:
    with raises(UsageError, "rule 1 (least_value)", "'sign'", "bca", "t"):
        asked({"rule": "least_value", "measure": "RR", "at_least": 0.5}, significance="sign")


def test_chance_comes_from_the_seed() -> None:
    entry = {"rule": "no_regression", "measure": "RR", "margin": 0.01}
    one, again = (asked(entry, significance="studentized", seed=3).rulings for _ in range(2))
    assert one == again


def test_runs_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    paths = []
    for side, run in (("new", NEW), ("old", OLD)):
        (tmp_path / side).mkdir()
        paths.append(str(tmp_path / side / "search.run"))
        rankproof.write(rankproof.read_run(run), paths[-1], "trec")
    entry = {"rule": "no_regression", "measure": "RR", "margin": 0.5}
    verdict = asked(entry, candidate=paths[0], baseline=paths[1])
    assert (verdict.candidate, verdict.baseline) == tuple(paths)


def test_prepared_runs_and_run_records_are_taken_as_they_are() -> None:
    qrels = rankproof.prepare(QRELS)
    prepared = qrels.prepare(NEW, name="prepared")
    verdict = gate(
        rules({"rule": "least_value", "measure": "RR", "at_least": 0.1}, {"rule": "checks"}),
        qrels=qrels, candidate=prepared,
    )  # fmt: skip
    assert (verdict.candidate, verdict.rulings[1].status) == ("prepared", "PASS")
    record = rankproof.read_run(NEW, name="record")
    verdict = gate(
        rules({"rule": "least_value", "measure": "RR", "at_least": 0.1}, {"rule": "checks"}),
        qrels=QRELS, candidate=record,
    )  # fmt: skip
    assert (verdict.candidate, verdict.rulings[1].status) == ("record", "PASS")


def test_topics_stand_beside_the_queries_that_pay() -> None:
    verdict = asked(
        {"rule": "no_query_loses_more", "measure": "RR", "than": 0.1}, topics={"q4": "red shoes", "q1": "blue shoes"}
    )
    assert verdict.rulings[0].payers[0].text == "red shoes"


def test_a_pass_because_nothing_changed_says_so() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    run = {f"q{i}": ["b", "a"] for i in range(3)}
    rule = {"rule": "no_regression", "measure": "RR", "margin": 0.02}
    verdict = gate({"rule": [rule]}, qrels=qrels, baseline=run, candidate=run)
    assert verdict.status == "PASS"
    assert any("nothing changed on these 3 queries" in note for note in verdict.notes)
