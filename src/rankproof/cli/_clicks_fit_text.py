"""A ClickStudy as text: the log and what was dropped, models by their fit, the curve of looks, and the grades."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.flow.clicks.examination import Curve
from rankproof.flow.clicks.judging import Judged
from rankproof.flow.clicks.studying import ClickStudy
from rankproof.records.show import number
from rankproof.records.words import percent
from rankproof.reports._align import aligned, printable

EVENTS = {"click": "a click", "dwell": "a click that satisfies", "conversion": "a conversion"}


def shown(study: ClickStudy, files: Sequence[str], qrels: str | None, grades: str | None) -> str:
    """The whole answer for a terminal."""
    parts = [_log(study, files), _dropped(study), _models(study)]
    if study.curve is not None:
        parts.append(_curve(study.curve, study.signal))
    parts.append(_grades(study.judged))
    written = [
        f"{what}: {printable(path)}" for what, path in (("Qrels", qrels), ("Grades", grades)) if path is not None
    ]
    parts.append(written)
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _log(study: ClickStudy, files: Sequence[str]) -> list[str]:
    name = printable(files[0]) if len(files) == 1 else f"{len(files)} files"
    counts = [_many(study.pages, "page")]
    if study.sessions is not None:
        counts.append(_many(study.sessions, "session"))
    counts += [_many(study.queries, "query"), _many(study.pairs, "pair"), _many(study.acts.clicked, "click")]
    lines = [f"{name}: {', '.join(counts)}"]
    done = study.acts
    if done.satisfied or done.unsatisfied:
        lines.append(
            f"  of the clicks {done.satisfied:,} satisfied ({study.stay:g} seconds or more), {done.unsatisfied:,} did "
            f"not, for {done.unknown:,} it is not known"
        )
    if done.converted:
        lines.append(f"  {_many(done.converted, 'conversion')}")
    if study.signal != "click":
        lines.append(f"  models learn {EVENTS[study.signal]} in place of a click")
    lines += [f"  {printable(note)}" for note in study.notes]
    return lines


def _dropped(study: ClickStudy) -> list[str]:
    rows = [["dropped", "pages", "clicks"]]
    took = [one for one in study.dropped if one.pages or one.clicks]
    rows += [[one.why, f"{one.pages:,}" if one.why.startswith("pages") else "", f"{one.clicks:,}"] for one in took]
    idle = [
        one.name if one.limit is None else f"{one.name} ({one.limit:g})" for one in study.dropped if one not in took
    ]
    return [*(aligned(rows, 1) if took else []), *([f"nothing dropped by: {', '.join(idle)}"] if idle else [])]


def _models(study: ClickStudy) -> list[str]:
    fits = study.fits
    rows = [["model", "perplexity", "given clicks above", "log-likelihood"]]
    rows += [
        [
            one.text,
            number(one.held_out.marginal.mean),
            number(one.held_out.conditional.mean),
            number(one.held_out.log_likelihood),
        ]
        for one in fits.tried
    ]
    table = aligned(rows, 1)
    marks = ["", *("  best" if one is fits.best else "" for one in fits.tried)]
    what = "of odd number" if study.split == "pages" else "of sessions of odd number"
    return [
        f"Learned from {_many(fits.training, 'page')}, tested on {fits.testing:,} {what}; perplexity is the mean over "
        "ranks:",
        *(line + mark for line, mark in zip(table, marks, strict=True)),
    ]


def _curve(found: Curve, signal: str) -> list[str]:
    rows = [["rank", "looks", "interval"]]
    rows += [
        [str(one.rank), number(one.value), "" if one.rank == 1 else f"{number(one.low)} to {number(one.high)}"]
        for one in found.ranks
    ]
    method = f", {found.resamples} resamples" if found.resamples else ""
    return [
        f"Looks against rank 1, by {found.model}, {percent(found.level)} intervals over "
        f"{_many(found.units, found.unit)}{method}:",
        *aligned(rows, 0),
        *(printable(f"  {note}") for note in found.notes),
    ]


def _grades(found: Judged) -> list[str]:
    rows = [["grade", "from", "pairs", "mean confidence"]]
    taken = ["", *(f"{step.signal} {step.limit:.4g}" for step in found.steps)]
    rows += [
        [str(grade), taken[grade], f"{pairs:,}", "" if sure is None else number(sure)]
        for grade, pairs, sure in found.by_grade()
    ]
    how = f", limits at the shares {', '.join(f'{s:g}' for s in found.shares)} of pairs" if found.shares else ""
    return [
        f"Grades by {found.model}, from the chance at rank 1{how}:",
        *aligned(rows, 2),
        f"left out: {_many(found.few, 'pair')} shown fewer than {_many(found.showings, 'time')}, "
        f"{found.unsure:,} less sure than {found.confidence:g}",
    ]


def _many(count: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural}"
