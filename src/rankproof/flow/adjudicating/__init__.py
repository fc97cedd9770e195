"""Adjudicating: judgments that hold to qrels, by one method, the same each time."""

from rankproof.flow.adjudicating.settling import DEFAULT, SOURCES, acts_hash, adjudicate
from rankproof.flow.adjudicating.summary import summarize

__all__ = ["DEFAULT", "SOURCES", "acts_hash", "adjudicate", "summarize"]
