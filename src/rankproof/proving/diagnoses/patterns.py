"""The patterns that rankproof looks for in the values of one run, each with its page.

A page says when the pattern is seen, why it matters and what to try; its example is run as a test. Precision and recall
are read against the best that any ranking could reach on these judgments: a query with one relevant document can have
a P@10 of 0.1 at most, one with 300 an R@100 of 0.33. Such values are not low, they are as high as they go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankproof.measuring.gain import ideal_of_retrieved
from rankproof.measuring.measures.ndcg import over_ideal
from rankproof.measuring.names import parse
from rankproof.measuring.views import cut
from rankproof.proving.diagnoses.contract import Chart, Symptom

# What a person looks at, and what a reranker or a patient reader gets.
TOP, DEEP = 10, 100

# Where people call recall high: with four of five relevant documents at hand, a better order is worth more than a
# better search. Low: most relevant documents are out of the reach of anything that comes after.
HIGH_RECALL, LOW_RECALL = 0.8, 0.5
# More than half of what the first page could hold of relevant documents is there; less than a third is.
HIGH_PRECISION, LOW_PRECISION = 0.6, 0.3


@dataclass(frozen=True, slots=True)
class Reached:
    """A mean, and the mean of the best values possible."""

    name: str
    value: float
    best: float

    @property
    def share(self) -> float:
        """The value over the best one."""
        return self.value / self.best

    def __str__(self) -> str:
        at_most = f" of at most {self.best:.3f}" if self.best < 0.9995 else ""
        return f"{self.name} is {self.value:.3f}{at_most}"


def precision(chart: Chart, k: int = TOP) -> Reached:
    """P@k: no ranking can show more relevant documents than there are."""
    best = float((np.minimum(chart.relevant, k) / k).mean())
    return Reached(f"P@{k}", chart.value(f"P(rel={chart.level})@{k}"), best)


def recall(chart: Chart, k: int = DEEP) -> Reached:
    """R@k: no k documents can hold more than k relevant ones."""
    best = float((np.minimum(chart.relevant, k) / chart.relevant).mean())
    return Reached(f"R@{k}", chart.value(f"R(rel={chart.level})@{k}"), best)


# A relevant document is nearly always first; and the best one is on average after the second rank.
HIGH_RR, LOW_RR_OF_BEST = 0.7, 0.5


def best_buried(chart: Chart) -> str | None:
    """RR for any relevant document against RR for the best ones."""
    top = chart.table.pool.top_grade
    having = chart.table.pool.relevant(top) > 0
    if top <= chart.level or not having.any():
        return None
    first = chart.value(f"RR(rel={chart.level})@10")
    best = float(chart.by_query(f"RR(rel={top})@10")[having].mean())
    if first < HIGH_RR or best >= LOW_RR_OF_BEST:
        return None
    many = int(having.sum())
    queries = "the 1 query that has one" if many == 1 else f"the {many} queries that have one"
    return f"RR@10 is {first:.3f}, but only {best:.3f} for documents of grade {top}, on {queries}."


BEST_BURIED = Symptom(
    name="best_buried",
    looks=best_buried,
    page="""\
Best buried: something relevant comes first, and the best documents come after it.

Seen where grades differ: the mean RR@10 is 0.7 or more, and counting only the top grade of the collection, on the
queries that have such a document, it is below 0.5. RR and precision cannot see this.

why: The scoring tells relevant from not relevant, but not the best from the merely related.
try: Train or tune on the grades and not on relevant against not; boost what marks the best documents: title matches,
authority, completeness.

A fair document at rank 1 and the best one at rank 4:

>>> from rankproof.testing import diagnosed
>>> diagnosed("best_buried", {"q": [1, 1, 0, 3]})
'RR@10 is 1.000, but only 0.250 for documents of grade 3, on the 1 query that has one.'
""",
    reason="The scoring tells relevant from not relevant, but not the best from the merely related.",
    remedy="Train or tune on the grades and not on relevant against not; boost what marks the best documents: "
    "title matches, authority, completeness.",
)


# More than half: what is left to win lies in the minority of the queries.
MOST_AT_CEILING = 0.5
# A perfect ranking may miss 1 by the rounding of two sums.
FULL_VALUE = 1 - 1e-9


def ceiling(chart: Chart) -> str | None:
    """The share of queries at the maximum."""
    full = chart.by_query("nDCG@10") >= FULL_VALUE
    if full.mean() <= MOST_AT_CEILING:
        return None
    return f"nDCG@10 is 1 for {int(full.sum())} of {len(full)} queries."


CEILING = Symptom(
    name="ceiling",
    looks=ceiling,
    page="""\
Ceiling reached: most queries already have the greatest value, so these queries cannot show an improvement.

Seen when nDCG@10 is 1 for more than half of the queries.

why: A query at its maximum can only lose. A better system looks no better here, and a comparison finds nothing.
try: Add harder queries, judge deeper, or tell grades apart that are now one.

>>> from rankproof.testing import diagnosed
>>> diagnosed("ceiling", {"q": [1, 0], "r": [1], "s": [0, 1]})
'nDCG@10 is 1 for 2 of 3 queries.'
""",
    reason="A query at its maximum can only lose: a better system looks no better on these queries.",
    remedy="Add harder queries, judge deeper, or tell grades apart that are now one.",
)


# With one document in five unjudged, what was never judged can decide a comparison.
LOW_JUDGED_SHARE = 0.8


def few_judged(chart: Chart) -> str | None:
    """The mean share of judged documents on the first page."""
    share = chart.value("Judged@10")
    return None if share >= LOW_JUDGED_SHARE else f"Judged@10 is {share:.3f}."


FEW_JUDGED = Symptom(
    name="few_judged",
    looks=few_judged,
    page="""\
Few judged: much of what the run shows was never judged, and counts as not relevant.

Seen when less than 80% of the first 10 documents are judged, on average.

why: What was never judged may be relevant: the values are too low by an unknown amount, and a system that finds other
documents than those in the pool is punished for it.
try: Judge what is missing (`rankproof next` proposes what to judge first), or look at the bounds before the values.

>>> from rankproof.testing import diagnosed
>>> diagnosed("few_judged", {"q": [1, None, None, 0]})
'Judged@10 is 0.500.'
""",
    reason="What was never judged counts as not relevant: the values are too low by an unknown amount.",
    remedy="Judge what is missing (`rankproof next` proposes what to judge first), or look at the bounds before "
    "the values.",
    severity="warning",
)


def high_precision_low_recall(chart: Chart) -> str | None:
    """Precision and recall against the best possible."""
    p, r = precision(chart), recall(chart)
    if p.share < HIGH_PRECISION or r.share >= LOW_RECALL:
        return None
    return f"{p}, but {str(r).replace(' is ', ' only ')}."


HIGH_PRECISION_LOW_RECALL = Symptom(
    name="high_precision_low_recall",
    looks=high_precision_low_recall,
    page="""\
High precision with low recall: what is shown is right, and most of what is relevant is never shown.

Seen when P@10 reaches 60% or more of the best possible and R@100 less than 50%. It cannot tell a search that is too
narrow from judgments that come from richer systems than this one.

why: The first page is good, so the scoring works; the documents it never gets to score are the loss.
try: Widen the candidates: synonyms and stemming, fewer required terms, a dense retriever beside the lexical one, a
greater depth.

>>> from rankproof.testing import diagnosed
>>> diagnosed("high_precision_low_recall", {"q": [1] * 8}, relevant=40)
'P@10 is 0.800, but R@100 only 0.200.'
""",
    reason="The first page is good, so the scoring works; the loss is in documents that are never scored.",
    remedy="Widen the candidates: synonyms and stemming, fewer required terms, a dense retriever beside the "
    "lexical one, a greater depth.",
)


def low_precision_high_recall(chart: Chart) -> str | None:
    """Precision and recall against the best possible."""
    p, r = precision(chart), recall(chart)
    if r.share < HIGH_RECALL or p.share >= LOW_PRECISION:
        return None
    return f"{r}, but {str(p).replace(' is ', ' only ')}."


LOW_PRECISION_HIGH_RECALL = Symptom(
    name="low_precision_high_recall",
    looks=low_precision_high_recall,
    page="""\
Low precision with high recall: nearly everything relevant is found, among much that is not.

Seen when R@100 reaches 80% or more of the best possible and P@10 less than 30%.

why: The candidates hold the answers; what is in the way is what stands before them.
try: Rerank the first 100 with a stronger model, or tighten the match: more weight on titles and phrases, filters,
a minimum of matching terms.

Of 4 relevant documents all are in the first 100, one in the first 10, where 4 could be:

>>> from rankproof.testing import diagnosed
>>> diagnosed("low_precision_high_recall", {"q": [1] + [0] * 20 + [1, 1, 1]})
'R@100 is 1.000, but P@10 only 0.100 of at most 0.400.'
""",
    reason="The candidates hold the answers; what is in the way is what stands before them.",
    remedy="Rerank the first 100 with a stronger model, or tighten the match: more weight on titles and phrases, "
    "filters, a minimum of matching terms.",
)


# The RR of a relevant document at rank 2.
LOW_RR_OF_ALL = 0.5


def low_rr(chart: Chart) -> str | None:
    """The mean of RR@10, and how often it is 1."""
    values = chart.by_query(f"RR(rel={chart.level})@10")
    mean, first = values.mean(), int((values == 1).sum())
    if mean >= LOW_RR_OF_ALL:
        return None
    return f"RR@10 is {mean:.3f}: the first relevant document is at rank 1 in {first} of {len(values)} queries."


LOW_RR = Symptom(
    name="low_rr",
    looks=low_rr,
    page="""\
Low RR: on average the first relevant document comes after the second rank.

Seen when the mean RR@10 is below 0.5. Where one good answer is enough, this is what people feel.

why: Readers look at the first result or two; with an RR below 0.5 these are usually not relevant.
try: Look at the first result of the worst queries: exact titles, names and fresh documents are often missed. Boost
exact matches, or rerank the first 10.

>>> from rankproof.testing import diagnosed
>>> diagnosed("low_rr", {"q": [0, 0, 1], "r": [0, 1]})
'RR@10 is 0.417: the first relevant document is at rank 1 in 0 of 2 queries.'
""",
    reason="Readers look at the first result or two; with an RR below 0.5 these are usually not relevant.",
    remedy="Look at the first result of the worst queries: exact titles, names and fresh documents are often "
    "missed. Boost exact matches, or rerank the first 10.",
)


# One query in ten: enough that mending them moves the mean more than most changes of a ranking formula.
MANY_WITHOUT_ANSWER = 0.1


def nothing_found(chart: Chart) -> str | None:
    """The queries without any success, and how the others do."""
    none = chart.by_query(f"Success(rel={chart.level})@100") == 0
    if none.mean() < MANY_WITHOUT_ANSWER:
        return None
    others = chart.by_query("nDCG@10")[~none]
    rest = f"; the others have nDCG@10 {others.mean():.3f}" if len(others) else ""
    count = f"{int(none.sum())} of {len(none)} queries"
    return f"{count} have no relevant document in the first 100 ({chart.names(none)}){rest}."


NOTHING_FOUND = Symptom(
    name="nothing_found",
    looks=nothing_found,
    page="""\
Nothing found: for a part of the queries not one relevant document is in the first 100.

Seen when that holds for a tenth of the queries or more. The mean hides it: the other queries may be perfect.

why: A failure on a part of the queries usually has one cause, and no reranker can mend it.
try: Read these queries side by side: another language, rare words, numbers, misspellings, a filter, documents that
are not in the index.

>>> from rankproof.testing import diagnosed
>>> diagnosed("nothing_found", {"q": [1], "r": [0, 0]}, relevant=1)
'1 of 2 queries have no relevant document in the first 100 (r); the others have nDCG@10 1.000.'
""",
    reason="A failure on a part of the queries usually has one cause, and no reranker can mend it.",
    remedy="Read these queries side by side: another language, rare words, numbers, misspellings, a filter, "
    "documents that are not in the index.",
    severity="warning",
)


# Half of the gain of the best order is lost.
LOW_NDCG = 0.5


def poor_order(chart: Chart) -> str | None:
    """nDCG@10 against recall, and what the same documents could have."""
    value, r = chart.value("nDCG@10"), recall(chart)
    if value >= LOW_NDCG or r.share < HIGH_RECALL:
        return None
    best = _ndcg_of_best_order(chart)
    return f"nDCG@10 is {value:.3f} while {r}; the best order of the same {DEEP} documents has nDCG@10 {best:.3f}."


def _ndcg_of_best_order(chart: Chart) -> float:
    """The mean nDCG@10 of the first 100 documents in their best order."""
    (variant,) = parse("nDCG@10")
    retrieved = cut(chart.table, DEEP)
    reach = ideal_of_retrieved(retrieved, variant.k, variant["gain"], variant["rel"], variant["discount"])
    return float(over_ideal(reach, chart.table, variant).mean())


POOR_ORDER = Symptom(
    name="poor_order",
    looks=poor_order,
    page="""\
Low nDCG with high recall: the relevant documents are there, in a poor order.

Seen when R@100 reaches 80% or more of the best possible and the mean nDCG@10 is below 0.5.

why: Order is all that is missing: the best order of the same 100 documents would have a far greater nDCG@10.
try: A reranker over the first 100, or a better blend of the scores that are there. More candidates will not help.

The one relevant document at rank 11 or below: nDCG@10 is 0, and in the best order of the same documents 1:

>>> from rankproof.testing import diagnosed
>>> diagnosed("poor_order", {"q": [0] * 10 + [1]})
'nDCG@10 is 0.000 while R@100 is 1.000; the best order of the same 100 documents has nDCG@10 1.000.'
""",
    reason="Order is all that is missing: the relevant documents are among the candidates.",
    remedy="Put a reranker over the first 100, or blend the scores that are there better. More candidates will "
    "not help.",
)


# More than a twentieth of recall is out of reach: as much as many improvements are worth.
LEAST_REACHABLE_RECALL = 0.95


def recall_capped(chart: Chart) -> str | None:
    """The best recall at 100, or at the depth of the run."""
    deepest = int(chart.table.retrieved.max(initial=0))
    if deepest == 0:
        return None
    k = min(DEEP, deepest)
    r = recall(chart, k)
    if r.best >= LEAST_REACHABLE_RECALL:
        return None
    capped = chart.relevant > k
    many, whole = int(capped.sum()), len(capped)
    have = f"{many} of {whole} {'query has' if whole == 1 else 'queries have'}"
    than = f"the {k} that were retrieved" if deepest < DEEP else f"{k}"
    return f"R@{k} cannot exceed {r.best:.3f}: {have} more relevant documents than {than} ({chart.names(capped)})."


RECALL_CAPPED = Symptom(
    name="recall_capped",
    looks=recall_capped,
    page="""\
Recall capped: queries have more relevant documents than the ranking has places.

Seen when the best mean R@k that rankings of this depth could reach is below 0.95, with k 100 or the depth of the run
where that is less.

why: Part of the missing recall is no fault of the search: no ranking of this depth could have it.
try: Retrieve deeper, read recall at a greater cutoff, or ask for R(denominator=min_k), which can reach 1.

Three documents for four relevant ones: at most 3/4.

>>> from rankproof.testing import diagnosed
>>> diagnosed("recall_capped", {"q": [1, 0, 1]}, relevant=4)
'R@3 cannot exceed 0.750: 1 of 1 query has more relevant documents than the 3 that were retrieved (q).'
""",
    reason="Part of the missing recall is no fault of the search: no ranking of this depth could have it.",
    remedy="Retrieve deeper, read recall at a greater cutoff, or ask for R(denominator=min_k), which can reach 1.",
)

OFFERS = (
    BEST_BURIED, CEILING, FEW_JUDGED, HIGH_PRECISION_LOW_RECALL, LOW_PRECISION_HIGH_RECALL, LOW_RR, NOTHING_FOUND,
    POOR_ORDER, RECALL_CAPPED,
)  # fmt: skip
# Where doctest looks for examples that stand in no docstring.
__test__ = {item.name: item.page for item in OFFERS}
