"""For people who add an item to rankproof or test rankings: contract checks, small tables, one function for each shelf.

Any item:
    check_item says what an item still lacks.
Measures, diversity measures, dialects and similarities:
    value, table_of, ranked; covering, subtopic_table; mean; alike.
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

`rankproof.testing.collections` has random collections for hypothesis, and `rankproof.testing.plugin` is the pytest
plugin. Every name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.testing.answers import read_answer as read_answer
    from rankproof.testing.checking import findings as findings
    from rankproof.testing.checking import show as show
    from rankproof.testing.choices import chosen as chosen
    from rankproof.testing.choices import judgments_of as judgments_of
    from rankproof.testing.decisions import logged_decisions as logged_decisions
    from rankproof.testing.decisions import valued as valued
    from rankproof.testing.diagnoses import diagnosed as diagnosed
    from rankproof.testing.dialects import mean as mean
    from rankproof.testing.families import adjusted as adjusted
    from rankproof.testing.families import all_pairs as all_pairs
    from rankproof.testing.families import family as family
    from rankproof.testing.inference import inferred as inferred
    from rankproof.testing.items import check_item as check_item
    from rankproof.testing.pages import pages_of as pages_of
    from rankproof.testing.rankings import corpus_of as corpus_of
    from rankproof.testing.rankings import parameters_of as parameters_of
    from rankproof.testing.rankings import passed as passed
    from rankproof.testing.rankings import queries_of as queries_of
    from rankproof.testing.rankings import replayed as replayed
    from rankproof.testing.rankings import reranked as reranked
    from rankproof.testing.rankings import searched as searched
    from rankproof.testing.ruling import case_of as case_of
    from rankproof.testing.ruling import rule_on as rule_on
    from rankproof.testing.similarities import alike as alike
    from rankproof.testing.subtopics import covering as covering
    from rankproof.testing.subtopics import subtopic_table as subtopic_table
    from rankproof.testing.tables import ranked as ranked
    from rankproof.testing.tables import table_of as table_of
    from rankproof.testing.tables import value as value
    from rankproof.testing.trials import trial_inferred as trial_inferred
    from rankproof.testing.votes import settled as settled
    from rankproof.testing.votes import votes as votes

_DEFINED_IN = {
    "read_answer": "rankproof.testing.answers",
    "findings": "rankproof.testing.checking",
    "show": "rankproof.testing.checking",
    "chosen": "rankproof.testing.choices",
    "judgments_of": "rankproof.testing.choices",
    "logged_decisions": "rankproof.testing.decisions",
    "valued": "rankproof.testing.decisions",
    "diagnosed": "rankproof.testing.diagnoses",
    "mean": "rankproof.testing.dialects",
    "adjusted": "rankproof.testing.families",
    "all_pairs": "rankproof.testing.families",
    "family": "rankproof.testing.families",
    "inferred": "rankproof.testing.inference",
    "check_item": "rankproof.testing.items",
    "pages_of": "rankproof.testing.pages",
    "corpus_of": "rankproof.testing.rankings",
    "parameters_of": "rankproof.testing.rankings",
    "passed": "rankproof.testing.rankings",
    "queries_of": "rankproof.testing.rankings",
    "replayed": "rankproof.testing.rankings",
    "reranked": "rankproof.testing.rankings",
    "searched": "rankproof.testing.rankings",
    "case_of": "rankproof.testing.ruling",
    "rule_on": "rankproof.testing.ruling",
    "alike": "rankproof.testing.similarities",
    "covering": "rankproof.testing.subtopics",
    "subtopic_table": "rankproof.testing.subtopics",
    "ranked": "rankproof.testing.tables",
    "table_of": "rankproof.testing.tables",
    "value": "rankproof.testing.tables",
    "trial_inferred": "rankproof.testing.trials",
    "settled": "rankproof.testing.votes",
    "votes": "rankproof.testing.votes",
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
