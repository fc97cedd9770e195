"""The options of `clicks fit`: how a log is read, what is dropped, what is learned, and how values become grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.options import together
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.online.clicks.qrels import GradeMapping

reading = together(
    [
        click.option(
            "--schema",
            type=click.Path(),
            metavar="TOML",
            help="Which column is what, where names do not say it: see docs/clicks.md.",
        ),
        click.option(
            "--depth", type=click.IntRange(1), default=50, show_default=True, help="The last rank that is read."
        ),
        click.option(
            "--stay", type=float, default=30.0, show_default=True, help="Seconds on a document from which it satisfied."
        ),
        click.option(
            "--early",
            type=float,
            default=5.0,
            show_default=True,
            help="Seconds that a click may come before its page, for clocks that differ.",
        ),
        click.option(
            "--drop",
            metavar="RULE=LIMIT",
            multiple=True,
            help="Change a rule on sessions, or turn it off: robot_agent=off, too_many_pages=500, too_fast=120, "
            "clicks_all=0.9, time_backward=60 are the rules with their limits; may be repeated.",
        ),
    ]
)
learning = together(
    [
        click.option(
            "-m",
            "--model",
            "models",
            multiple=True,
            metavar="MODEL",
            help="A click model, with its choices: 'user_browsing(passes=20)'; may be repeated. Default: all.",
        ),
        click.option(
            "--signal",
            type=click.Choice(["click", "dwell", "conversion"]),
            default="click",
            show_default=True,
            help="What counts as the event: a click, a click that satisfied, or a conversion.",
        ),
        click.option(
            "--test",
            "split",
            type=click.Choice(["pages", "sessions"]),
            default="pages",
            show_default=True,
            help="What is held out: pages of odd number, or all pages of sessions of odd number.",
        ),
        click.option(
            "--curve",
            default="position_based",
            show_default=True,
            metavar="MODEL",
            help="Whose curve of looks, or none.",
        ),
        click.option("--level", type=float, default=0.95, show_default=True, help="The level of its intervals."),
        click.option(
            "--resamples",
            type=click.IntRange(20),
            default=200,
            show_default=True,
            help="For the curve of another model than position_based.",
        ),
        click.option(
            "--seed", type=click.IntRange(0), default=0, show_default=True, help="What resamples are drawn with."
        ),
    ]
)
grading = together(
    [
        click.option(
            "--limits",
            metavar="L1,L2,...",
            help="Grades by the probability of the signal at rank 1: from L1 on grade 1, and so on. Default: "
            "0.1,0.3,0.5.",
        ),
        click.option(
            "--shares",
            metavar="S1,S2,...",
            help="Grades by shares of pairs instead: 0.5,0.8 gives grade 1 from the median on, 2 to the best fifth.",
        ),
        click.option(
            "--steps",
            metavar="SIGNAL=L1,...",
            help="Grades by several signals instead: click=0.1,dwell=0.1,conversion=0.02 are grades 1, 2 and 3.",
        ),
        click.option("--grade-model", metavar="MODEL", help="The model that grades. Default: the one that fits best."),
        click.option(
            "--least-showings",
            type=click.IntRange(1),
            default=10,
            show_default=True,
            help="Leave out pairs that were shown less often.",
        ),
        click.option(
            "--least-confidence",
            type=float,
            default=0.5,
            show_default=True,
            help="Leave out pairs whose grade is less sure.",
        ),
        click.option("--qrels", type=click.Path(), help="Write the grades as qrels; the ending says the format."),
        click.option(
            "--grades",
            type=click.Path(),
            help="Write the grades with value, confidence and counts to this .csv, .tsv or .jsonl.",
        ),
    ]
)


def mapping_of(limits: str | None, shares: str | None, steps: str | None, signal: str) -> GradeMapping:
    """The mapping that the options name."""
    from rankproof.online.clicks.qrels import limits_mapping, shares_mapping, steps_mapping

    given = [
        name for name, text in (("--limits", limits), ("--shares", shares), ("--steps", steps)) if text is not None
    ]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are several ways to grade. Give one of them.")
    if shares is not None:
        return shares_mapping(_numbers(shares, "--shares", "0.5,0.8"))
    if steps is not None:
        return steps_mapping(_named(steps))
    return (
        limits_mapping(signal=signal)
        if limits is None
        else limits_mapping(_numbers(limits, "--limits", "0.1,0.3"), signal)
    )


def _numbers(text: str, option: str, example: str) -> list[float]:
    return _each(text.split(","), float, f"{option} is written {example}; {text!r} came.")


def _named(text: str) -> dict[str, float]:
    wrong = f"--steps is written click=0.1,dwell=0.1,conversion=0.02; {text!r} came."
    parts = [tuple(part.strip() for part in item.split("=")) for item in text.split(",")]
    if any(len(part) != 2 for part in parts) or len({part[0] for part in parts}) != len(parts):
        raise UsageError(wrong)
    return dict(zip((part[0] for part in parts), _each([part[1] for part in parts], float, wrong), strict=True))


def _each(items: Sequence[str], kind: Callable[[str], Any], wrong: str) -> list[Any]:
    try:
        return [kind(item) for item in items]
    except ValueError:
        raise UsageError(wrong) from None
