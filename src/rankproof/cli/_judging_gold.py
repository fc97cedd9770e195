"""Questions whose answer is known: `judgments gold`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._judging import answer_options, chosen, opened, project_option, refuse_output
from rankproof.cli._types import ShelfName
from rankproof.errors import InputError


@click.command("gold")
@click.argument("store")
@click.argument("file", type=click.Path())
@project_option
@click.option("--share", type=click.FloatRange(0, 1), help="Of the questions that judges get, this share is gold.")
@click.option("--withdraw", is_flag=True, help="Take the questions of FILE back.")
@click.option("--format", "form", type=ShelfName("formats", "qrels"), help="The format of FILE; by content otherwise.")
@click.option("--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault.")
@answer_options
def gold(
    store: str,
    file: str,
    project: str | None,
    share: float | None,
    withdraw: bool,
    form: str | None,
    allow: Sequence[str],
    as_json: bool,
    output: str | None,
) -> None:
    """Make the pairs of FILE gold questions: qrels of any format, whose grades are known to be right.

    Judges cannot tell them from others. How often each is right is under Settle and in `judgments agreement`.

    \b
    rankproof judgments gold judging.db gold.trec --share 0.05
    """
    refuse_output(output)
    from rankproof.cli._judging_round_text import golden
    from rankproof.cli._judging_setup import who
    from rankproof.flow.collect import read_qrels
    from rankproof.records.assignment import GoldAnswer

    read = read_qrels(file, form, allow=allow)
    with opened(store) as kept:
        found = chosen(kept, project)
        held = {(one.query_id, one.doc_id): one.grade for one in kept.gold.all(found.slug)}
        queries = {query.query_id for query in kept.items.queries(found.slug)}
        answers = [GoldAnswer(q, doc, grade) for q, docs in read.to_dict().items() for doc, grade in docs.items()]
        for one in answers:
            if one.query_id not in queries:
                raise InputError(f"{read.name}: the project {found.slug!r} has no query {one.query_id!r}.")
            if one.grade not in found.scale.grades:
                raise InputError(
                    f"{read.name}: {one.doc_id!r} for {one.query_id!r} has grade {one.grade}, and the scale "
                    f"{found.scale.name!r} has {', '.join(map(str, found.scale.grades))}. Nothing was added."
                )
        if withdraw:
            new = [replace(one, withdrawn=True) for one in answers if (one.query_id, one.doc_id) in held]
        else:
            new = [one for one in answers if held.get((one.query_id, one.doc_id)) != one.grade]
        kept.gold.add(found.slug, new)
        if share is not None and share != found.gold:
            found = replace(found, gold=share)
            kept.projects.change(found, who())
        told = {
            "store": kept.address,
            "project": found.slug,
            "file": read.name,
            "added": 0 if withdraw else len(new),
            "withdrawn": len(new) if withdraw else 0,
            "there": 0 if withdraw else len(answers) - len(new),
            "questions": len(kept.gold.all(found.slug)),
            "share": found.gold,
        }
    _output.give(document("gold/1", told) if as_json else golden(told), output)
