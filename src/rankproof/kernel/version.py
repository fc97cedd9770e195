"""The version of rankproof: a fact that every room may know."""

__version__ = "0.1.0"
