"""Haystack's evaluators of retrieval: DocumentMRR, DocumentMAP, DocumentNDCG and DocumentRecall, in the order given.

checked: haystack-ai 3.4.0 (haystack/components/evaluators/document_*.py), by running it
differs: the order is that of the documents; the ideal of nDCG has all judged documents and is not cut, so that nDCG@k
    (a retriever with top_k = k) cannot reach 1 with more than k relevant ones
same: DocumentMRREvaluator is RR, DocumentMAPEvaluator is AP, DocumentNDCGEvaluator is nDCG with the documents' scores
    as grades; DocumentRecallEvaluator is Success as it comes (single_hit) and SetR with mode="multi_hit"; a query
    that retrieves nothing counts as 0
limits: documents are told apart by id there only with document_comparison_field="id"; as it comes, by their texts.
    Every document passed as ground truth is relevant there: pass those of grade 1 and above. No grade below 0 in
    nDCG. DocumentMAPEvaluator of 2.20 divides by the relevant documents found: `AP(denominator=relevant_retrieved)`

Three relevant documents, of which two can be among the first two:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
>>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
>>> mean("nDCG@2", qrels, run)
1.0
>>> mean("nDCG@2", qrels, run, dialect="haystack")
0.76536
"""

from __future__ import annotations

from rankproof.measuring.dialects._limits import refuse_negative_grades
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.reading.records import Order


def limit(table: JudgedTable, variant: Variant) -> None:
    """Grades that are worth something or nothing."""
    if variant.measure.name == "nDCG":
        refuse_negative_grades(table, variant, "Haystack")


OFFERS = (
    Dialect(
        name="haystack",
        page=__doc__,
        reading=Reading(Order(by="given")),
        speaks=("nDCG", "RR", "AP", "Success", "R", "SetR"),
        defaults={"nDCG": {"ideal": "judged_uncut"}},
        limit=limit,
    ),
)
