"""Tuning: dials turned on dev queries, the winner held against queries that the search never saw."""
