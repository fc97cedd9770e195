"""Keeping reports in a project: `judgments keep`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._judging import answer_options, chosen, opened, project_option, refuse_output


@click.command("keep")
@click.argument("store")
@click.argument("reports", type=click.Path(), nargs=-1, required=True)
@project_option
@answer_options
def keep(store: str, reports: Sequence[str], project: str | None, as_json: bool, output: str | None) -> None:
    """Keep REPORTS in a project, to look at them under Explore: what evaluate, compare and gate wrote as JSON.

    All of them are kept or none; the same report again is the same.

    \b
    rankproof evaluate qrels.trec bm25.run --save bm25.json
    rankproof gate policy.toml --json -o verdict.json
    rankproof judgments keep judging.db bm25.json verdict.json
    """
    refuse_output(output)
    from rankproof.cli._judging_setup import who
    from rankproof.flow.exploring.kept import parse_kept
    from rankproof.flow.source import open_source
    from rankproof.reports._align import printable

    read = [(path, *parse_kept(open_source(path).text(), path)) for path in reports]
    with opened(store) as kept:
        into = chosen(kept, project)
        there = {one.sha256 for one in kept.experiments.all(into.slug)}
        told = []
        for path, body, found in read:
            digest = kept.experiments.add(into.slug, found.kind, found.name[:200], body, who())
            told.append(
                {"file": path, "kind": found.kind, "name": found.name, "sha256": digest, "added": digest not in there}
            )
            there.add(digest)
        address = kept.address
    if as_json:
        _output.give(document("kept-reports/1", {"store": address, "project": into.slug, "reports": told}), output)
        return
    lines = [
        f"{one['file']}: {one['kind']} of {one['name']}, SHA-256 {str(one['sha256'])[:12]}"
        + ("" if one["added"] else " (there already)")
        for one in told
    ]
    _output.give("".join(f"{printable(line)}\n" for line in lines), output)
