"""Fetch runs: ask the pipelines or engines of a configuration."""

from rankproof.cli.runs.fetch import command

__all__ = ["command"]
