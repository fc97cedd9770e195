"""scikit-learn's ndcg_score and dcg_score: the documents passed are all there is, and ties are averaged.

checked: scikit-learn 1.9, by running it
differs: the ideal of nDCG is the best order of the retrieved documents, so what was not retrieved costs nothing; the
    value of tied documents is the mean over all their orders (`ignore_ties=False`); a query missing from the run is
    not passed and does not count
limits: `y_true` holds the grades of the retrieved documents, 0 for unjudged ones; no grade below 0, at least two
    documents (scikit-learn refuses both)

The ranking has all that it retrieved in the best order; another relevant document is missing:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 1, "b": 0, "c": 1}}
>>> run = {"q": {"a": 2.0, "b": 1.0}}
>>> mean("nDCG", qrels, run)
0.61315
>>> mean("nDCG", qrels, run, dialect="sklearn")
1.0

With both at the same score, rank 1 and rank 2 are equally likely for the relevant one:

>>> mean("nDCG", qrels, {"q": {"a": 1.0, "b": 1.0}}, dialect="sklearn")
0.81546
"""

from __future__ import annotations

from rankproof.measuring.dialects._limits import refuse
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant


def limit(table: JudgedTable, variant: Variant) -> None:
    """Refuses input that scikit-learn does not accept."""
    refuse(
        table.count(table.grade < 0) > 0, table, variant,
        "there are grades below 0 among the retrieved documents, which ndcg_score refuses.",
        "Write them as 0, or leave the dialect out.",
    )  # fmt: skip
    refuse(
        table.retrieved < 2, table, variant,
        "fewer than two documents were retrieved, and scikit-learn refuses to rank one.",
        "Leave such queries out of the run, or leave the dialect out.",
    )  # fmt: skip


OFFERS = (
    Dialect(
        name="sklearn",
        page=__doc__,
        reading=Reading(missing="drop", ties="expected"),
        speaks=("nDCG", "DCG"),
        defaults={"nDCG": {"ideal": "retrieved"}},
        limit=limit,
    ),
)
