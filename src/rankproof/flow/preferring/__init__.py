"""Preferring: variants side by side: who is on which side, and what a round of preferences, picks and flags came to."""

from rankproof.flow.preferring.batch import summarize
from rankproof.flow.preferring.sets import QuerySet, query_sets
from rankproof.flow.preferring.sides import shuffled
from rankproof.flow.preferring.standing import settled_grades, standing

__all__ = ["QuerySet", "query_sets", "settled_grades", "shuffled", "standing", "summarize"]
