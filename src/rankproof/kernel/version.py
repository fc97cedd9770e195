"""The version of rankproof, for every package to import."""

__version__ = "0.1.0"
