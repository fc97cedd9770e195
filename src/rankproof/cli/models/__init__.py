"""Fetch models of vectors; show their prefixes, license and hashes."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("models", cls=parts("fetch", shown=("list", "show")))
def command() -> None:
    """Models of vectors that are fetched once and named in pipelines: dense(model='e5-small-v2')."""
