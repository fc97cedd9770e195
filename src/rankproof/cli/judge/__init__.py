"""Let models judge under supervision: LLM as a judge, checked."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("judge", cls=parts("run", "calibrate", "estimate", "plan"))
def command() -> None:
    """Grades by models: how far they can be trusted, and values that stay right although they err."""
