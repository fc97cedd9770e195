"""The command line: one file per command, loaded when that command runs. Read, call flow, show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The entry point of the command `rankproof`: runs one command and exits with its status."""
    try:
        from rankproof.cli.shared.root import cli
    except KeyboardInterrupt:  # before there is anything that could answer it better
        raise SystemExit(130) from None
    cli.main(args, prog_name="rankproof")
    raise SystemExit(0)
