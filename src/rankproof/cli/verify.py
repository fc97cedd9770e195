"""Compute an experiment again from its manifest."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.proving.verify import Verification

# Values that differ and are shown one by one to a person; --json has all of them.
MOST_SHOWN = 20


@click.command("verify")
@click.argument("manifest", type=click.Path())
@click.option("--qrels", type=click.Path(), help="Where the qrels are now, when they are not where the manifest says.")
@click.option("--run", "runs", metavar="NAME=PATH", multiple=True, help="Where a run is now; may be repeated.")
@click.option(
    "--other",
    "others",
    metavar="ROLE=PATH",
    multiple=True,
    help="Where a further file (queries) is now; may be repeated.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    default=1e-12,
    show_default=True,
    help="The largest relative difference of values that count as equal.",
)
@answer_options
def command(
    manifest: str,
    qrels: str | None,
    runs: Sequence[str],
    others: Sequence[str],
    tolerance: float,
    as_json: bool,
    output: str | None,
) -> int:
    """Compute the experiment of MANIFEST again: same inputs, same values, same verdict?

    MANIFEST may also be a verdict that `rankproof gate --json` saved; its files are sought from the working folder.

    Exit status: 0 verified, 1 something differs, 2 wrong usage.

    \b
    rankproof compare qrels.trec bm25.run dense.run --manifest experiment.json
    rankproof verify experiment.json
    rankproof verify experiment.json --run dense=elsewhere/dense.run
    rankproof gate policy.toml --json -o verdict.json
    rankproof verify verdict.json
    """
    refuse_outputs(output)
    from rankproof.proving.verify import SCHEMA, read_experiment, verify

    began = time.perf_counter()
    record, is_verdict = read_experiment(manifest)
    folder = os.curdir if is_verdict or manifest == "-" else os.path.dirname(os.path.realpath(manifest))
    verification = verify(
        record, folder, qrels=qrels, runs=_places("run", runs), others=_places("other", others), tolerance=tolerance
    )
    seconds = time.perf_counter() - began
    _output.give(document(SCHEMA, verification.to_dict(), seconds) if as_json else _text(record, verification), output)
    return verification.exit_status


def _places(option: str, texts: Sequence[str]) -> Mapping[str, str]:
    places = {}
    for one in texts:
        name, equals, path = one.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"--{option} {one!r} says no place. Write a name, '=' and a path: --{option} NAME=PATH.")
        places[name] = path
    return places


def _text(manifest: ExperimentManifest, verification: Verification) -> str:
    from rankproof.kernel.sections import printable
    from rankproof.reading.finding import count

    values = [d for d in verification.discrepancies if d.problem == "value_differs"]
    others = [d for d in verification.discrepancies if d.problem != "value_differs"]
    lines = (
        [f"verified: {count(verification.compared, 'value')} equal"]
        if verification.verified
        else [_differs(verification, len(values))]
    )
    lines += [f"  {d.message}" for d in (*others, *values[:MOST_SHOWN])]
    if len(values) > MOST_SHOWN:
        lines.append(f"  and {len(values) - MOST_SHOWN:,} more; --json gives all of them")
    title = f"{verification.manifest} ({verification.name})" if verification.name else verification.manifest
    runs = ", ".join(manifest.run_ids)
    lines += ["", f"experiment: {title}, {manifest.kind} of {runs}, written by rankproof {manifest.rankproof}"]
    if verification.compared:
        allowed = f"equal: the same up to a relative difference of {verification.tolerance:g}"
        largest = f"the largest is {verification.largest:.2g}" if verification.largest else "all are equal bit for bit"
        lines.append(f"{allowed}; {largest}" if verification.verified else allowed)
    lines += [f"note: {note}" for note in verification.notes]
    return "\n".join(map(printable, lines)) + "\n"


def _differs(verification: Verification, values: int) -> str:
    from rankproof.reading.finding import count

    counts = {
        "missing": sum(d.problem == "input_missing" for d in verification.discrepancies),
        "changed": sum(d.problem == "input_changed" for d in verification.discrepancies),
    }
    parts = [f"{count(number, 'input')} {what}" for what, number in counts.items() if number]
    if not verification.compared:
        parts.append("nothing was compared")
    elif values:
        parts.append(f"{values} of {count(verification.compared, 'value')} differ")
    else:
        parts.append(f"{count(verification.compared, 'value')} equal all the same")
    return f"DIFFERS: {', '.join(parts)}"
