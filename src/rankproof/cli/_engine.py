"""Where a run is read and joined: on this machine, or on Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli._compare_options import together
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.flow.prepared import PreparedQrels, PreparedRun

Prepare = Callable[..., "PreparedRun"]

options = together(
    [
        click.option(
            "--memory",
            metavar="SIZE",
            help="About how much memory reading a run may take, such as 512MB; larger runs are read in pieces. "
            "1GB by default. Never changes a result.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "spark"]),
            default="local",
            show_default=True,
            help="Where runs are read and joined. Never changes a result.",
        ),
        click.option(
            "--master",
            metavar="URL",
            help="With --engine spark: the cluster, such as local[4], spark://host:7077 or yarn.",
        ),
    ]
)


def preparing(engine: str, master: str | None, memory: str | None, qrels: PreparedQrels) -> Prepare:
    """What prepares a run with these judgments: `prepare(path, **reading)`. A Spark session ends with the command."""
    if engine == "local":
        if master is not None:
            raise UsageError("--master names a Spark cluster: add --engine spark.")
        return lambda path, **reading: qrels.prepare(path, memory=memory, **reading)
    if memory is not None:
        raise UsageError("--memory is for this machine; on Spark, executors have what the cluster gives them.")
    from rankproof.scale._session import session
    from rankproof.scale.spark import prepare_run

    spark = click.get_current_context().with_resource(session(master))

    def prepare(path: Any, threads: int = 0, **reading: Any) -> PreparedRun:
        return prepare_run(spark, qrels, path, **reading)

    return prepare
