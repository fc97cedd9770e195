"""For people who add an item to rankproof or test rankings: contract checks, small tables, one function for each shelf.

Any item:
    check_item says what an item still lacks.
Measures, diversity measures, span measures, dialects and similarities:
    value, table_of, ranked; covering, subtopic_table, nuggets; spanned; mean; alike.
Checks:
    show, findings.
Engines and stages:
    searched, passed, reranked, replayed, corpus_of, queries_of, parameters_of.
Significance methods and corrections:
    inferred; adjusted, family, all_pairs.
Rules and diagnoses:
    case_of, rule_on; diagnosed.
Judges, adjudications and selections:
    read_answer; settled, votes; chosen, judgments_of.
Click models, estimators and methods of A/B tests (trials):
    pages_of; logged_decisions, valued; trial_inferred.

`rankproof.testing.collections` has random collections for hypothesis; the pytest plugin is in `rankproof.integrations`.
Every name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.testing.items import check_item
    from rankproof.testing.judging import chosen, judgments_of, read_answer, settled, votes
    from rankproof.testing.rankings import corpus_of, parameters_of, passed, queries_of, replayed, reranked, searched
    from rankproof.testing.ruling import case_of, findings, rule_on, show
    from rankproof.testing.statistics import (
        adjusted,
        all_pairs,
        family,
        inferred,
        logged_decisions,
        pages_of,
        trial_inferred,
        valued,
    )
    from rankproof.testing.tables import (
        alike,
        covering,
        diagnosed,
        mean,
        nuggets,
        ranked,
        spanned,
        subtopic_table,
        table_of,
        value,
    )

_DEFINED_IN = {
    "read_answer": "rankproof.testing.judging",
    "findings": "rankproof.testing.ruling",
    "show": "rankproof.testing.ruling",
    "chosen": "rankproof.testing.judging",
    "judgments_of": "rankproof.testing.judging",
    "logged_decisions": "rankproof.testing.statistics",
    "valued": "rankproof.testing.statistics",
    "diagnosed": "rankproof.testing.tables",
    "mean": "rankproof.testing.tables",
    "adjusted": "rankproof.testing.statistics",
    "all_pairs": "rankproof.testing.statistics",
    "family": "rankproof.testing.statistics",
    "inferred": "rankproof.testing.statistics",
    "check_item": "rankproof.testing.items",
    "pages_of": "rankproof.testing.statistics",
    "corpus_of": "rankproof.testing.rankings",
    "parameters_of": "rankproof.testing.rankings",
    "passed": "rankproof.testing.rankings",
    "queries_of": "rankproof.testing.rankings",
    "replayed": "rankproof.testing.rankings",
    "reranked": "rankproof.testing.rankings",
    "searched": "rankproof.testing.rankings",
    "case_of": "rankproof.testing.ruling",
    "rule_on": "rankproof.testing.ruling",
    "alike": "rankproof.testing.tables",
    "spanned": "rankproof.testing.tables",
    "nuggets": "rankproof.testing.tables",
    "covering": "rankproof.testing.tables",
    "subtopic_table": "rankproof.testing.tables",
    "ranked": "rankproof.testing.tables",
    "table_of": "rankproof.testing.tables",
    "value": "rankproof.testing.tables",
    "trial_inferred": "rankproof.testing.statistics",
    "settled": "rankproof.testing.judging",
    "votes": "rankproof.testing.judging",
}

__all__ = [
    "adjusted",
    "alike",
    "all_pairs",
    "case_of",
    "check_item",
    "chosen",
    "corpus_of",
    "covering",
    "diagnosed",
    "family",
    "findings",
    "inferred",
    "judgments_of",
    "logged_decisions",
    "mean",
    "nuggets",
    "pages_of",
    "parameters_of",
    "passed",
    "queries_of",
    "ranked",
    "read_answer",
    "replayed",
    "reranked",
    "rule_on",
    "searched",
    "settled",
    "show",
    "spanned",
    "subtopic_table",
    "table_of",
    "trial_inferred",
    "value",
    "valued",
    "votes",
]


def __getattr__(name: str) -> object:
    """The name, from the module that defines it."""
    if name in _DEFINED_IN:
        return getattr(import_module(_DEFINED_IN[name]), name)
    raise AttributeError(f"module 'rankproof.testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names: a prompt completes from here."""
    return sorted({*globals(), *__all__})
