"""Indexes that benchmarks search, made and filled from the dataset of a configuration."""
