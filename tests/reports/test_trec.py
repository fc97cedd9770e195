"""The form `trec`: order, names, and what is printed only for one query or only for all."""

from __future__ import annotations

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings
from rankproof.reports.forms.trec import OFFERS, trec_lines
from rankproof.testing.tables import table_of

# q10 before q2 in bytewise order; q3 is missing from the run.
QRELS = {"q2": {"a": 1, "b": 0}, "q10": {"a": 2, "c": 1, "d": -1}, "q3": {"a": 1}}
RUN = {"q2": {"b": 2.0, "a": 1.0}, "q10": {"a": 3.0, "x": 2.0, "d": 1.0}}


def evaluate(measures: str, **choices: object) -> Evaluation:
    settings = Settings(dialect="trec_eval", **choices)
    return evaluate_tables(lambda order: table_of(QRELS, RUN, order), parse(measures), settings, run_name="r.txt")


def columns(lines: list[str]) -> list[tuple[str, str, str]]:
    return [(name.rstrip(), query, text) for name, query, text in (line.split("\t") for line in lines)]


def test_measures_in_trec_evals_order_and_cutoffs_ascending() -> None:
    found = columns(trec_lines(evaluate("RR@10 P.5,1 recip_rank map num_q"), per_query=False))
    # q2: first relevant at rank 2; q10: at rank 1. AP of q10 is 1/2, of q2 1/2.
    assert found == [
        ("num_q", "all", "2"),
        ("map", "all", "0.5000"),
        ("recip_rank", "all", "0.7500"),
        ("P_1", "all", "0.5000"),
        ("P_5", "all", "0.2000"),
        ("RR@10", "all", "0.7500"),
    ]


def test_queries_bytewise_and_what_only_one_side_prints() -> None:
    found = columns(trec_lines(evaluate("runid gm_map num_ret relstring", complete=True), per_query=True))
    assert found == [
        ("num_ret", "q10", "3"),
        ("relstring", "q10", "'2-.'"),
        ("num_ret", "q2", "2"),
        ("relstring", "q2", "'01'"),
        ("num_ret", "q3", "0"),
        ("relstring", "q3", "''"),
        ("runid", "all", "r.txt"),
        ("num_ret", "all", "5"),
        # (1/2 * 1/2 * 0.00001) ^ (1/3)
        ("gm_map", "all", "0.0136"),
    ]


def test_parameters_said_replace_the_usual_ones() -> None:
    """As in trec_eval, `-m official -m P.3` prints P_3 alone."""
    names = [name for name, _, _ in columns(trec_lines(evaluate("official P.3"), per_query=False))]
    assert [name for name in names if name.startswith("P_")] == ["P_3"]
    assert "iprec_at_recall_0.50" in names


def test_names_keep_what_was_typed() -> None:
    lines = trec_lines(evaluate("utility.1.0,-2,0,0 ndcg.1=2,2=3.50"), per_query=False)
    assert [name for name, _, _ in columns(lines)] == ["utility_1.0,-2,0,0", "ndcg_1=2,2=3.50"]


def test_exact_line() -> None:
    assert trec_lines(evaluate("map"), per_query=False) == ["map                   \tall\t0.5000"]


def test_render_puts_one_run_after_another() -> None:
    (report,) = OFFERS
    text = report.render([evaluate("map"), evaluate("map")], per_query=False, observed={"seconds": 1.0})
    assert text == "map                   \tall\t0.5000\n" * 2
