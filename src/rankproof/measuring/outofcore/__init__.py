"""Runs larger than memory, read in pieces of whole queries and joined with judgments to the same judged table."""
