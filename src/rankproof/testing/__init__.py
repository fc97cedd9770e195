"""For people who test rankings and people who add to rankproof: small tables, worked values, contract kits."""

from rankproof.testing.diagnoses import diagnosed
from rankproof.testing.dialects import mean
from rankproof.testing.rankings import corpus_of, passed, queries_of, replayed, reranked, searched
from rankproof.testing.similarities import alike
from rankproof.testing.subtopics import covering, subtopic_table
from rankproof.testing.tables import ranked, table_of, value

__all__ = [
    "alike",
    "corpus_of",
    "covering",
    "diagnosed",
    "mean",
    "passed",
    "queries_of",
    "ranked",
    "replayed",
    "reranked",
    "searched",
    "subtopic_table",
    "table_of",
    "value",
]
