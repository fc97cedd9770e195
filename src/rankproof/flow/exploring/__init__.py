"""Exploring: the runs of a project on its judgments, from a value to its queries to the documents behind it."""
