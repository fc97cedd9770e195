"""Interleaving: one list of several rankings, what clicks on it say, and how sure that is."""
