"""Retrieval by ranges of text: gold spans and retrieved chunks as [start, end) in documents, and measures."""
