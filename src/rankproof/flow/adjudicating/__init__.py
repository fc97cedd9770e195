"""Adjudicating: judgments that hold to qrels, by one method, the same each time."""

from rankproof.flow.adjudicating.settling import SOURCES, acts_hash, adjudicate
from rankproof.flow.adjudicating.summary import summarize

__all__ = ["SOURCES", "acts_hash", "adjudicate", "summarize"]
