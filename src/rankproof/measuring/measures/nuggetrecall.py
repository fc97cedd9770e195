"""Nugget recall: how much of the facts that an answer needs the first k documents hold.

A nugget is a fact, vital to an answer or okay to have. A document supports it or supports it partly; of each nugget the
best support among the first k counts, 1 or 0.5. `score` says over which nuggets: `all` alike, `vital` ones only, or
`weighted`, where an okay nugget counts half as much as a vital one. With `strict` partial support counts nothing.
`rankproof.read_nuggets` reads nuggets as judgments by subtopic, with these grades: 1 okay in part, 2 okay, 3 vital in
part, 4 vital.

range: 0 to 1
undefined: no judged document supports a nugget that counts; counts as 0
source: Pradeep et al., Initial nugget evaluation results for the TREC 2024 RAG track with the AutoNuggetizer framework,
    2024, whose scores are of answers; here they are of the documents that were retrieved

Vital a and b, okay c. The first document supports a (A: in full, a: in part), the second supports c in full; b is
missed. All: (1 + 0 + 1) / 3; vital: 1 / 2; weighted: (1 + 0 + 0.5 x 1) / (1 + 1 + 0.5).

>>> from rankproof.testing import nuggets
>>> nuggets("NuggetRecall@2", vital="ab", okay="c", ranking=["A", "C"], missed=["B"])
0.6667
>>> nuggets("NuggetRecall(score=vital)@2", vital="ab", okay="c", ranking=["A", "C"], missed=["B"])
0.5
>>> nuggets("NuggetRecall(score=weighted)@2", vital="ab", okay="c", ranking=["A", "C"], missed=["B"])
0.6

Support in part counts half, and strictly nothing:

>>> nuggets("NuggetRecall(score=vital)@2", vital="ab", okay="c", ranking=["a", "C"], missed=["B"])
0.25
>>> nuggets("NuggetRecall(score=vital,strict=true)@2", vital="ab", okay="c", ranking=["a", "C"], missed=["B"])
0.0
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Choice, Flag, Param
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._diversity import subtopics_of
from rankproof.measuring.measures.contract import Mask, Measure, Values, Variant

SCORE = Param(
    "score", Choice(("all", "vital", "weighted")), "all", "over all nuggets, vital ones, or okay ones by half"
)
STRICT = Param("strict", Flag(), False, "support in part counts nothing, instead of half")

# Grades of nuggets in judgments by subtopic: from VITAL on the nugget is vital; even grades are full support.
VITAL = 3
# What an okay nugget counts by score.
OKAY = {"all": 1.0, "vital": 0.0, "weighted": 0.5}


def best_support(table: JudgedTable, variant: Variant, keep: NDArray[np.bool_]) -> Values:
    """Support of each nugget, counted over all queries, by the entries of a mask: 0, 0.5 or 1."""
    given = subtopics_of(table, variant)
    first = np.concatenate(([0], np.cumsum(given.number)))
    query = np.repeat(np.arange(len(table)), np.diff(given.start))
    support = np.zeros(int(first[-1]))
    part = 0.0 if variant["strict"] else 0.5
    worth = np.where(given.grade <= 0, 0.0, np.where(given.grade % 2 == 0, 1.0, part))
    np.maximum.at(support, (first[query] + given.subtopic)[keep], worth[keep])
    return support


def weights(table: JudgedTable, variant: Variant) -> tuple[NDArray[np.int64], Values]:
    """The query of each nugget, and what it counts; 0 for one that no document supports."""
    given = subtopics_of(table, variant)
    first = np.concatenate(([0], np.cumsum(given.number)))
    query = np.repeat(np.arange(len(table)), np.diff(given.start))
    grade = np.zeros(int(first[-1]), dtype=np.int64)
    np.maximum.at(grade, first[query] + given.subtopic, given.grade)
    weight = np.where(grade >= VITAL, 1.0, OKAY[variant["score"]])
    return np.repeat(np.arange(len(table)), given.number), np.where(grade > 0, weight, 0.0)


def nugget_recall(table: JudgedTable, variant: Variant) -> Values:
    """Support within the first k, over the weight of the nuggets."""
    given = subtopics_of(table, variant)
    within = np.zeros(len(table.pool.grade), dtype=bool)
    within[table.doc[table.within(variant.k)]] = True
    support = best_support(table, variant, within[given.doc])
    query, weight = weights(table, variant)
    whole = np.bincount(query, weights=weight, minlength=len(table))
    held = np.bincount(query, weights=weight * support, minlength=len(table))
    values: Values = np.divide(held, whole, out=np.zeros(len(table)), where=whole > 0)
    return values


def without_nuggets(table: JudgedTable, variant: Variant) -> Mask:
    """No nugget that counts is supported by any judged document."""
    query, weight = weights(table, variant)
    none: Mask = np.bincount(query, weights=weight, minlength=len(table)) == 0
    return none


OFFERS = (
    Measure(
        name="NuggetRecall",
        page=__doc__,
        formula=r"\mathrm{NuggetRecall@}k = \frac{1}{|T|} \sum_{t \in T} \max_{i \leq k} s_t(d_i), "
        r"\quad s_t(d) \in \{0, \tfrac{1}{2}, 1\} \text{ the support of nugget } t",
        compute=nugget_recall,
        params=(SCORE, STRICT),
        undefined=without_nuggets,
        prefers="nothing known",
        needs_subtopics=True,
        spellings=("nugget_recall",),
    ),
)
