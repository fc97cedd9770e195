"""Tuning: parameters searched on dev queries, the winner measured on queries that the search never saw."""
