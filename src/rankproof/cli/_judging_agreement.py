"""How far judges agree: `judgments agreement`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._judging import answer_options, chosen, opened, project_option, refuse_output, sources_option
from rankproof.errors import InputError


@click.command("agreement")
@click.argument("store")
@project_option
@sources_option
@answer_options
def agreement(store: str, project: str | None, sources: Sequence[str], as_json: bool, output: str | None) -> None:
    """Tell how far judges agree, all together, two by two and with gold answers, each with an interval.

    What somebody said to settle a disagreement does not count: they had seen what the others said.

    \b
    rankproof judgments agreement judging.db
    """
    refuse_output(output)
    from rankproof.cli._judging_round_text import agreed
    from rankproof.flow.agreement.each import on_gold, with_others
    from rankproof.flow.agreement.gathering import ratings_of_judgments
    from rankproof.flow.agreement.judges import LEVEL, together
    from rankproof.records.agreement import found_dict

    with opened(store) as kept:
        found = chosen(kept, project)
        held = kept.judgments.current(found.slug, settling=False)
        gold = kept.gold.all(found.slug)
        address = kept.address
    alone = [act for act in held if act.source.kind in (sources or ("person",))]
    ratings = ratings_of_judgments(alone)
    if len(ratings.judges) < 2 and not gold:
        count = len(ratings.judges)
        raise InputError(
            f"Judges who have given grades in {found.slug}: {count}. Agreement takes two of them, or gold questions."
        )
    others, right = with_others(ratings), on_gold(alone, gold)
    whole = together(ratings)
    judges = [
        {
            "judge": judge,
            "graded": int(ratings.given[:, at].sum()),
            "same_as_others": found_dict(others[judge]),
            "right_on_gold": found_dict(right[judge]) if judge in right else None,
        }
        for at, judge in enumerate(ratings.judges)
    ]
    if as_json:
        body = {"store": address, "project": found.slug, "level": LEVEL, "gold_questions": len(gold)}
        text = document("agreement/1", {**body, "each": judges, **whole.to_dict()})
    else:
        graded = {judge: int(ratings.given[:, at].sum()) for at, judge in enumerate(ratings.judges)}
        text = agreed(found.slug, whole, graded, others, right, LEVEL)
    _output.give(text, output)
