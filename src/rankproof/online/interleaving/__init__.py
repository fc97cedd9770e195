"""Interleaving: one list of several rankings, what clicks on it tell, and how sure that is."""
