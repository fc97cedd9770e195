"""How far judges agree: `judgments agreement`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.judgments.rounds import paragraphs
from rankproof.cli.judgments.store import chosen, opened, project_option, sources_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import InputError
from rankproof.kernel.sections import aligned, counted

if TYPE_CHECKING:
    from rankproof.proving.agreement_records import Agreement, AgreementAnswer


@click.command("agreement")
@click.argument("store")
@project_option
@sources_option
@answer_options
def agreement(store: str, project: str | None, sources: Sequence[str], as_json: bool, output: str | None) -> None:
    """Tell how far judges agree, all together, two by two and with gold answers, each with an interval.

    A judgment that settles a disagreement does not count: its judge had seen the others.

    \b
    rankproof judgments agreement judging.db
    """
    refuse_outputs(output)
    from rankproof.judging.agreement import on_gold, ratings_of_judgments, with_others
    from rankproof.proving.agreement import LEVEL, together
    from rankproof.proving.agreement_records import answer_dict

    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        held = opened_store.judgments.current(chosen_project.slug, settling=False)
        gold = opened_store.gold.all(chosen_project.slug)
        address = opened_store.address
    alone = [act for act in held if act.source.kind in (sources or ("person",))]
    ratings = ratings_of_judgments(alone)
    if len(ratings.judges) < 2 and not gold:
        count = len(ratings.judges)
        raise InputError(
            f"Judges who have given grades in {chosen_project.slug}: {count}. Agreement takes two of them, or gold "
            "questions."
        )
    others, right = with_others(ratings), on_gold(alone, gold)
    whole = together(ratings)
    judges = [
        {
            "judge": judge,
            "graded": int(ratings.given[:, at].sum()),
            "same_as_others": answer_dict(others[judge]),
            "right_on_gold": answer_dict(right[judge]) if judge in right else None,
        }
        for at, judge in enumerate(ratings.judges)
    ]
    if as_json:
        body = {"store": address, "project": chosen_project.slug, "level": LEVEL, "gold_questions": len(gold)}
        text = document("agreement/1", {**body, "each": judges, **whole.to_dict()})
    else:
        graded = {judge: int(ratings.given[:, at].sum()) for at, judge in enumerate(ratings.judges)}
        text = agreed(chosen_project.slug, whole, graded, others, right, LEVEL)
    _output.give(text, output)


def agreed(
    slug: str,
    figures: Agreement,
    graded: Mapping[str, int],
    others: Mapping[str, AgreementAnswer],
    gold: Mapping[str, AgreementAnswer],
    level: float,
) -> str:
    """How far judges agree: all, two by two, each."""
    head = [f"{slug}: {counted(figures.pairs, 'pair')} with grades of two judges or more"]
    together = [["", "agreement", "pairs"]]
    together += [
        [f"Krippendorff's alpha, {name}", _cell(figures.alpha[name]), f"{figures.pairs:,}"]
        for name in ("ordinal", "nominal")
    ]
    if figures.fleiss_grades > 2:
        n = getattr(figures.fleiss, "pairs", 0)
        together.append([f"Fleiss' kappa, {figures.fleiss_grades} grades", _cell(figures.fleiss), f"{n:,}"])
    two = [["judges", "same grade", "kappa", "kappa, quadratic", "pairs"]]
    for (a, b), pair in figures.two.items():
        cells = [pair.share, pair.kappa["none"], pair.kappa["quadratic"]]
        two.append([f"{a}, {b}", *map(_cell, cells), f"{pair.pairs:,}"])
    each = [["judge", "graded", "same as others", *(["right on gold", "gold"] if gold else [])]]
    for judge, count in graded.items():
        right = gold.get(judge)
        known = [] if not gold else [_cell(right), f"{getattr(right, 'pairs', 0):,}"]
        each.append([judge, f"{count:,}", _cell(others[judge]), *known])
    how = f"{level:.0%} intervals by leaving out one query at a time" + ("; on gold: Clopper-Pearson" if gold else "")
    parts = [head, aligned(together, 1), aligned(two, 1) if len(two) > 1 else [], aligned(each, 1), [how]]
    return paragraphs(parts)


def _cell(figure: AgreementAnswer | None) -> str:
    from rankproof.proving.agreement_records import AgreementFigure

    if isinstance(figure, AgreementFigure):
        return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"
    return "none" if figure is None or figure.value is None else f"{figure.value:.3f}"
