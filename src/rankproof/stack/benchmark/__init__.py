"""Benchmarks: every mode of a stack on the same queries, measured, compared and explained stage by stage."""
