"""Risks of a gate: ties, unjudged documents and findings, on runs made to fool it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.proving.fooling_runs import (
    ALL_EQUAL,
    BASE,
    LOWER,
    NO_LOSS,
    QRELS,
    QUERIES,
    REVERSED,
    Ranking,
    behind,
    decide,
    ranked,
)
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.errors import Refused
from rankproof.proving.gate import gate
from rankproof.proving.gate_record import policy_again
from rankproof.proving.supposed import _worst_mixture

# ---- ties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        NO_LOSS,
        {**NO_LOSS, "basis": "point"},
        {"rule": "least_gain", "measure": "AP@100", "at_least": 0.0},
        {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.8},
        {"rule": "no_query_loses_more", "measure": "RR", "than": 0.3},
        {"rule": "protected", "measure": "RR", "queries": ["q01"]},
    ],
    ids=lambda rule: f"{rule['rule']} {rule.get('basis', '')}".strip(),
)
def test_a_candidate_whose_scores_are_all_equal_does_not_pass(rule: dict[str, Any]) -> None:
    """It passed: its relevant ids happen to sort last."""
    (ruling,) = decide(rule, baseline=BASE, candidate=ALL_EQUAL).rulings
    assert ruling.status == "UNDECIDED"
    assert "Documents with equal scores could be in another order" in ruling.reason
    assert "would fail" in ruling.reason
    assert ruling.decides
    (kept,) = decide(rule, baseline=BASE, candidate=ALL_EQUAL, risks="report").rulings
    assert kept.status == "PASS"
    assert kept.risks == ruling.risks


def test_the_reach_of_ties_is_that_of_both_extreme_orders() -> None:
    """RR at worst 1/8 (behind 7 others) and at best 1; the baseline has 1 on every query."""
    rule = {"rule": "no_regression", "measure": "RR", "margin": 0.01}
    (ruling,) = decide({**rule, "basis": "point"}, baseline=BASE, candidate=ALL_EQUAL).rulings
    assert "could be anything from -0.8750 to 0.0000, and at one end of it the rule would fail" in ruling.reason


def test_a_baseline_with_ties_is_looked_at_too() -> None:
    rule = {"rule": "least_gain", "measure": "RR", "at_least": 0.1}
    unlucky = {q: dict.fromkeys(("ZZ", *docs), 1.0) for q, docs in BASE.items()}  # an unjudged one sorts first
    (ruling,) = decide(rule, baseline=unlucky, candidate=BASE).rulings
    assert ruling.status == "UNDECIDED"


def test_ties_that_cannot_change_the_status_change_nothing() -> None:
    """Two documents that are not relevant are tied in every query; and where even the worst order passes."""
    tied = {q: {**docs, "A0": 1.5, "A1": 1.5} for q, docs in BASE.items()}
    (plain,) = decide({**NO_LOSS, "margin": 0.3}, baseline=BASE, candidate=tied).rulings
    assert (plain.status, plain.risks) == ("PASS", ())
    one = {q: {**docs, "Z0": docs["Z1"]} for q, docs in BASE.items()}
    (ruling,) = decide({**NO_LOSS, "basis": "point"}, baseline=BASE, candidate=one).rulings
    assert (ruling.status, ruling.risks) == ("PASS", ())


def test_the_same_run_on_both_sides_passes_whatever_is_tied() -> None:
    """One rule for ties orders both alike."""
    (ruling,) = decide(NO_LOSS, baseline=ALL_EQUAL, candidate=ALL_EQUAL).rulings
    assert (ruling.status, ruling.risks) == ("PASS", ())


def test_a_few_changed_queries_beside_tied_ones_that_did_not_change() -> None:
    """39 of 40 rankings are the same, ties included; only q01 changed, by little."""
    changed = {**ALL_EQUAL, "q01": ranked("Z2", "Z1", "Z0", *(f"A{i}" for i in range(7)))}
    rule = {"rule": "no_query_loses_more", "measure": "RR", "than": 0.3}
    (ruling,) = decide(rule, baseline=ALL_EQUAL, candidate=changed).rulings
    assert (ruling.status, ruling.risks) == ("PASS", ())


def test_values_over_all_orders_have_no_ties_at_risk() -> None:
    rule = {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.3}
    (ruling,) = decide(rule, candidate=ALL_EQUAL, evaluate={"ties": "expected"}).rulings
    assert (ruling.status, ruling.risks) == ("PASS", ())


@pytest.mark.parametrize("dialect", ["rankproof", "trec_eval"])
@pytest.mark.parametrize("depth", [None, 3])
def test_a_depth_that_splits_ties_does_not_hide_them(dialect: str, depth: int | None) -> None:
    rule = {"rule": "no_regression", "measure": "AP", "margin": 0.01}
    evaluate = {"dialect": dialect} | ({} if depth is None else {"depth": depth})
    (ruling,) = decide(rule, baseline=BASE, candidate=ALL_EQUAL, evaluate=evaluate).rulings
    assert ruling.status == "UNDECIDED"
    assert "equal scores" in ruling.reason


def test_where_the_reach_of_split_ties_is_not_known_nothing_is_decided() -> None:
    rule = {"rule": "least_value", "measure": "MinPos", "at_most": 2.0, "basis": "point"}
    (ruling,) = decide(rule, candidate=ALL_EQUAL, evaluate={"depth": 3}).rulings
    assert ruling.status == "UNDECIDED"
    assert "is not known" in ruling.reason


def test_a_bound_that_is_worst_between_the_ends() -> None:
    """Each change is about 0.05 at the least and 0.95 at the greatest, and passes there; a few high ones spread it."""
    queries = QUERIES[:30]
    qrels = {q: {"z": 1, "b": 0} for q in queries}
    candidate = {q: dict.fromkeys(("z", *(f"a{i}" for i in range(9))), 1.0) for q in queries}
    baseline = {
        q: ranked(*(f"n{i}" for i in range(19 + at % 2)), "z") for at, q in enumerate(queries)
    }  # RR 1/20 or 1/21
    rule = {"rule": "least_gain", "measure": "RR", "at_least": 0.045}
    policy = {"policy": {"significance": "t"}, "rule": [rule]}
    (ruling,) = gate(policy, qrels=qrels, baseline=baseline, candidate=candidate).rulings
    assert ruling.status == "UNDECIDED"
    assert "with some queries at each end the rule would be undecided" in ruling.reason


def test_no_mixture_of_ends_is_worse_than_the_one_found() -> None:
    """All 2^8 mixtures of ends of equal widths."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        low = rng.uniform(-0.2, 0.2, 8)
        high = low + 0.7

        def bound(up: Any, low: Any = low, high: Any = high) -> float:
            x = np.where(up, high, low)
            return float(x.mean() - 2 * x.std(ddof=1) / np.sqrt(len(x)))

        every = [bound([(m >> i) & 1 == 1 for i in range(8)]) for m in range(256)]
        assert bound(_worst_mixture(low, high)) == pytest.approx(min(every))


def test_a_judged_rate_that_ties_decide() -> None:
    """All judged documents sort last among twenty that are tied: first by the rule, last by another."""
    tied = {q: dict.fromkeys([*docs, *(f"0{i}" for i in range(10))], 1.0) for q, docs in QRELS.items()}
    rule = {"rule": "judged_rate", "k": 10, "at_least": 0.8}
    (ruling,) = decide(rule, candidate=tied).rulings
    assert (ruling.status, ruling.observed) == ("UNDECIDED", 1.0)
    assert "from 0.0000 to 1.0000" in ruling.reason


# ---- findings ------------------------------------------------------------------------------------


def test_a_baseline_whose_ids_do_not_meet_the_judgments_is_not_beaten() -> None:
    """A reversed candidate passed against lower-cased ids."""
    (ruling,) = decide(NO_LOSS, baseline=LOWER, candidate=REVERSED).rulings
    assert ruling.status == "UNDECIDED"
    assert "[no_common_document]" in ruling.reason
    assert "letter case" in ruling.reason


def test_a_baseline_that_answers_no_judged_query_is_refused_or_told_where_that_is_allowed() -> None:
    other = {f"x{q}": docs for q, docs in BASE.items()}
    with pytest.raises(Refused):
        decide(NO_LOSS, baseline=other, candidate=REVERSED)
    verdict = decide(NO_LOSS, baseline=other, candidate=REVERSED, evaluate={"allow": ["no_common_query"]})
    assert verdict.warnings[0].startswith("baseline lacks 40 of 40 judged queries")


def test_a_finding_about_the_baseline_does_not_touch_a_rule_on_the_candidate() -> None:
    rule = {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.5}
    (ruling,) = decide(rule, baseline=LOWER, candidate=BASE).rulings
    assert (ruling.status, ruling.risks) == ("PASS", ())


def test_a_finding_that_the_policy_allows_is_as_the_policy_says() -> None:
    """What is unjudged stays a risk: the baseline has nothing that is judged."""
    checks = {"rule": "checks", "allow": ["no_common_document"]}
    verdict = decide(NO_LOSS, checks, baseline=LOWER, candidate=REVERSED)
    assert "[no_common_document]" not in verdict.rulings[0].reason
    assert "100% of baseline are unjudged" in verdict.rulings[0].reason
    assert verdict.rulings[1].status == "PASS"


def test_the_checks_look_at_the_baseline() -> None:
    (ruling,) = decide({"rule": "checks"}, baseline=LOWER, candidate=BASE).rulings
    assert ruling.status == "FAIL"
    assert "no_common_document" in ruling.reason


def test_the_judged_rate_of_the_baseline_counts() -> None:
    rule = {"rule": "judged_rate", "k": 5, "at_least": 0.8}
    assert decide(rule, candidate=BASE).status == "PASS"
    (ruling,) = decide(rule, baseline=LOWER, candidate=BASE).rulings
    assert (ruling.status, ruling.observed) == ("FAIL", 0.0)
    assert ruling.reason == "Judged@5 is 1.0000 for candidate and 0.0000 for baseline, which misses 0.8000."


# ---- unjudged documents --------------------------------------------------------------------------


def unjudged(run: dict[str, Ranking], share: float) -> dict[str, Ranking]:
    """The run with the relevant documents of some queries replaced by others that nobody judged."""
    some = set(list(run)[: round(share * len(run))])
    return {
        q: {f"new{doc}" if q in some and doc.startswith("Z") else doc: score for doc, score in docs.items()}
        for q, docs in run.items()
    }


def test_a_baseline_that_is_judged_less_is_not_beaten_by_it() -> None:
    """Half of what the baseline finds has no judgment; the candidate is worse on the rest, and passed."""
    candidate = {q: behind(docs) for q, docs in BASE.items()}
    (ruling,) = decide(NO_LOSS, baseline=unjudged(BASE, 0.9), candidate=candidate).rulings
    assert ruling.status == "UNDECIDED"
    assert "of baseline are unjudged" in ruling.reason
    (kept,) = decide(NO_LOSS, baseline=unjudged(BASE, 0.9), candidate=candidate, risks="report").rulings
    assert kept.status == "PASS"


def test_a_candidate_that_is_judged_less_does_not_fail_by_it() -> None:
    (ruling,) = decide(NO_LOSS, baseline=BASE, candidate=unjudged(BASE, 0.9)).rulings
    assert ruling.status == "UNDECIDED"
    assert "of candidate are unjudged" in ruling.reason


def test_runs_that_are_judged_to_the_same_degree_are_compared_as_ever() -> None:
    """All that both miss could be relevant, and it is a note, or no gate with unjudged documents would decide."""
    base, worse = unjudged(BASE, 0.5), unjudged(REVERSED, 0.5)
    verdict = decide(NO_LOSS, baseline=base, candidate=worse)
    assert verdict.status == "FAIL"
    assert any(note.startswith("unjudged: of the first 10 documents") for note in verdict.notes)
    assert verdict.warnings == ()


def test_judgments_that_name_relevant_documents_only_do_not_hold_a_better_candidate_back() -> None:
    """A run that finds more is judged more there, which says nothing of what people looked at: gains were undecided."""
    qrels = {f"q{i}": {f"r{k}": 1 for k in range(10)} for i in range(30)}

    def found(relevant: int) -> dict[str, list[str]]:
        other = [f"x{k}" for k in range(10 - relevant)]
        return {query: [f"r{k}" for k in range(relevant)] + other for query in qrels}

    gain = {"rule": "least_gain", "measure": "P@10", "at_least": 0.0}
    verdict = gate({"rule": [gain]}, qrels=qrels, baseline=found(3), candidate=found(6))
    assert verdict.status == "PASS"
    assert any("name relevant documents only" in note for note in verdict.notes)
    assert verdict.warnings == ()
    some = {query: {**docs, "x9": 0} for query, docs in qrels.items()}
    assert gate({"rule": [gain]}, qrels=some, baseline=found(3), candidate=found(6)).status == "UNDECIDED"


def test_a_pass_although_the_candidate_is_judged_less_stays_one_and_is_told() -> None:
    """What is unjudged counts against the candidate already."""
    candidate = {q: ranked("Z0", "Z1", "Z2", "u1", "u2", "u3") for q in QUERIES}
    verdict = decide(NO_LOSS, baseline=REVERSED, candidate=candidate)
    assert verdict.status == "PASS"
    assert "of candidate are unjudged" in verdict.warnings[0]


def test_where_the_reach_of_unjudged_documents_is_not_known_nothing_is_decided() -> None:
    candidate = {q: behind(docs) for q, docs in BASE.items()}
    runs = {"baseline": unjudged(BASE, 0.9), "candidate": candidate}
    (ruling,) = decide(NO_LOSS, **runs, evaluate={"dialect": "trec_eval"}).rulings
    assert ruling.status == "UNDECIDED"
    assert "How far that reaches is not known" in ruling.reason
    # The other way around what is unjudged counts against the candidate already.
    better = {q: ranked("Z0", "Z1", "Z2", "u1", "u2", "u3") for q in QUERIES}
    (kept,) = decide(NO_LOSS, baseline=REVERSED, candidate=better, evaluate={"dialect": "trec_eval"}).rulings
    assert (kept.status, kept.risks) == ("PASS", ())
    (condensed,) = decide(NO_LOSS, **runs, evaluate={"judged_only": True}).rulings
    assert condensed.risks == ()  # unjudged documents are not in these rankings


def test_the_share_of_a_segment_is_that_of_its_queries() -> None:
    """The unjudged queries of the baseline are all of one kind, and too few to be seen in the whole."""
    kinds = {q: {"kind": "new" if at < 2 else "old"} for at, q in enumerate(QUERIES)}
    rule = {"rule": "no_query_loses_more", "measure": "RR", "than": 0.3, "segment": "kind"}
    base = unjudged(BASE, 0.05)
    candidate = {q: behind(docs) if kinds[q]["kind"] == "new" else docs for q, docs in BASE.items()}
    new, old = decide(rule, baseline=base, candidate=candidate, queries=kinds).rulings
    assert (new.segment, new.status) == ("kind=new", "UNDECIDED")
    assert (old.segment, old.status) == ("kind=old", "PASS")


def test_an_empty_run_of_queries_and_missing_ones_are_told() -> None:
    short = {q: docs for q, docs in BASE.items() if q > "q05"}
    verdict = decide(NO_LOSS, baseline=short, candidate=BASE)
    assert verdict.warnings == (
        "baseline lacks 5 of 40 judged queries, which count as empty rankings (q01, q02, q03, q04, q05).",
    )


# ---- the policy, the manifest and the ledger -----------------------------------------------------


def test_risks_are_on_record_and_verified_and_make_another_attempt(tmp_path: Path) -> None:
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.proving.verify import verify

    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))
    for name, run in (("base", BASE), ("equal", ALL_EQUAL)):
        lines = (f"{q} Q0 {d} {i} {s} {name}\n" for q, docs in run.items() for i, (d, s) in enumerate(docs.items(), 1))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = {
        "qrels": str(tmp_path / "qrels"),
        "baseline": str(tmp_path / "base.run"),
        "candidate": str(tmp_path / "equal.run"),
    }
    attempts = []
    for risks, status in (("undecided", "UNDECIDED"), ("report", "PASS")):
        policy = {
            "policy": {"risks": risks},
            "ledger": {"path": str(tmp_path / "tried.jsonl")},
            "rule": [NO_LOSS],
        }
        verdict = gate(policy, **files)
        assert verdict.status == status
        assert verdict.ledger is not None
        attempts.append(verdict.ledger.number)
        manifest = ExperimentManifest.from_dict({**verdict.manifest, "observed": {}}, "manifest")
        assert manifest.parameters["gate"]["risks"] == risks
        assert verify(manifest, "/").verified
    assert attempts == [1, 2]


def test_a_manifest_from_before_risks_were_looked_at_was_decided_without_them() -> None:
    gated = {"rules": [NO_LOSS], "confidence": 0.95, "attempt": None}
    assert policy_again(gated, {}, {})[0].risks == "report"
    assert policy_again({**gated, "risks": "undecided"}, {}, {})[0].risks == "undecided"


@needs_shared_data
def test_few_rulings_on_real_runs_are_at_risk() -> None:
    """Seven runs of TREC DL 2020, every ordered pair, five rules: a gate that is always undecided is of no use."""
    folder = SHARED / "dl20"
    rules = [
        NO_LOSS,
        {"rule": "least_gain", "measure": "AP@100", "at_least": 0.0},
        {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.4},
        {"rule": "no_query_loses_more", "measure": "RR@10", "than": 0.5},
        {"rule": "judged_rate", "k": 10, "at_least": 0.5},
    ]
    judged = rankproof.prepare(str(folder / "qrels.trec"))
    runs = [judged.prepare(str(path)) for path in sorted((folder / "runs").iterdir())]
    rulings = []
    for baseline, candidate in itertools.permutations(runs, 2):
        told, kept = (
            gate({"policy": {"risks": risks}, "rule": rules}, qrels=judged, baseline=baseline, candidate=candidate)
            for risks in ("undecided", "report")
        )
        rulings += list(zip(told.rulings, kept.rulings, strict=True))
    turned = [(one.rule, one.status, other.status) for one, other in rulings if one.status != other.status]
    assert len(rulings) == 210
    assert turned == [("least_gain", "UNDECIDED", "PASS")]
