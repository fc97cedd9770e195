"""Highlighting: which stretches of a text are words of a query, in any script, and at which offsets."""
