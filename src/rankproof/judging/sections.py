"""A calibration and a correction as sections."""

from __future__ import annotations

from rankproof.judging.calibrate import Calibration, JudgeCalibration, SystemOrder
from rankproof.judging.correction.records import Corrected, CorrectedValues
from rankproof.kernel.sections import Section, counted, number, percent, signed
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure, Confusion
from rankproof.proving.judge_bias import GroupBias

NOT_THERE = "none"
SIDE_BY_SIDE = 4


def calibration_sections(calibration: Calibration) -> list[Section]:
    """What there is to say, the summary first."""
    sections = [_summary(calibration)]
    for judge in calibration.judges:
        sections.append(_confusion(judge))
        if judge.stability is not None:
            again = judge.stability
            sections.append(
                Section(
                    f"{judge.name}, {counted(again.passes, 'pass', 'passes')} ({counted(again.pairs, 'pair')})",
                    (f"same grade every time: {interval(again.share)}", f"alpha, ordinal: {interval(again.alpha)}"),
                )
            )
        sections += [_order(judge, order) for order in judge.orders]
        sections += [_favored(judge, kind, found) for kind, found in _families(judge) if found]
    return sections


def interval(figure: AgreementAnswer, sign: bool = False) -> str:
    """A number with its interval; without one, the reason."""
    text = signed if sign else number
    if isinstance(figure, AgreementFigure):
        return f"{text(figure.value)} ({text(figure.low)} to {text(figure.high)})"
    value = NOT_THERE if figure.value is None else text(figure.value)
    return f"{value}, no confidence interval: {figure.reason}"


def _summary(calibration: Calibration) -> Section:
    columns: list[tuple[str, ...]] = [
        ("", "pairs", "kappa", "kappa, linear", "kappa, quadratic", "alpha, ordinal", "same grade")
    ]
    notes: list[str] = []
    for judge in calibration.judges:
        a = judge.agreement
        cells = [a.kappa["none"], a.kappa["linear"], a.kappa["quadratic"], a.alpha["ordinal"], a.share]
        columns.append((judge.name, f"{a.pairs:,}", *map(_cell, cells)))
        reasons = dict.fromkeys(cell.reason for cell in cells if not isinstance(cell, AgreementFigure))
        notes += [f"{judge.name}: no confidence interval: {reason}" for reason in reasons]
        notes += _doubts(judge)
    notes.append(
        f"{percent(calibration.level)} confidence intervals by leaving out one query at a time; kappa: Cohen's, "
        "plain and "
        "weighted; alpha: Krippendorff's"
    )
    queries = counted(calibration.queries, "query", "queries")
    title = f"Judges against {calibration.human}: {counted(calibration.pairs, 'pair')} of {queries}"
    # Few judges stand side by side, where a line holds them; many one below the other.
    rows = tuple(zip(*columns, strict=True)) if len(calibration.judges) <= SIDE_BY_SIDE else tuple(columns)
    return Section(title, tuple(notes), rows)


def _cell(figure: AgreementAnswer) -> str:
    if isinstance(figure, AgreementFigure):
        return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"
    return NOT_THERE if figure.value is None else f"{figure.value:.3f}"


def _doubts(judge: JudgeCalibration) -> list[str]:
    notes = []
    if judge.missing:
        notes.append(f"{judge.name}: {judge.missing:,} pairs that people graded have no grade of it")
    if judge.threshold is not None:
        people, model = judge.threshold
        notes.append(f"{judge.name}: relevant or not, from grade {people} of people and {model} of the judge")
        return notes
    table = judge.agreement.confusion
    used = [level for at, level in enumerate(table.levels) if any(row[at] for row in table.counts)]
    theirs = [level for level, row in zip(table.levels, table.counts, strict=True) if any(row)]
    if used and theirs and max(used) < max(theirs):
        notes.append(
            f"{judge.name} gives no grade above {max(used)}, people up to {max(theirs)}: to compare relevant or not, "
            "say --relevant and --model-relevant"
        )
    return notes


def _confusion(judge: JudgeCalibration) -> Section:
    table: Confusion = judge.agreement.confusion
    head = ("people", *map(str, table.levels), "mean difference")
    rows = [head]
    for level, counts in zip(table.levels, table.counts, strict=True):
        bias = judge.agreement.bias.get(level)
        rows.append((str(level), *(f"{count:,}" for count in counts), "" if bias is None else _signed(bias)))
    return Section(f"{judge.name}: people's grades down, its own across", (), tuple(rows))


def _signed(figure: AgreementAnswer) -> str:
    if isinstance(figure, AgreementFigure):
        return f"{figure.value:+.2f} ({figure.low:+.2f} to {figure.high:+.2f})"
    return NOT_THERE if figure.value is None else f"{figure.value:+.2f}"


def _order(judge: JudgeCalibration, order: SystemOrder) -> Section:
    rows = [("system", "people", judge.name)]
    rows += [(name, number(value), number(order.model[name])) for name, value in order.human.items()]
    lines = [f"Kendall's tau: {interval(order.tau)}", f"tau AP: {interval(order.tau_ap)}"]
    lines += [f"the other way round: {first} before {second} by people" for first, second in order.swapped]
    return Section(
        f"{judge.name}: systems by {order.measure} ({counted(order.queries, 'query', 'queries')})",
        tuple(lines),
        tuple(rows),
    )


def _families(judge: JudgeCalibration) -> tuple[tuple[str, tuple[GroupBias, ...]], ...]:
    return ("system", judge.systems), ("group", judge.groups)


def _favored(judge: JudgeCalibration, kind: str, found: tuple[GroupBias, ...]) -> Section:
    rows = [(kind, "pairs", "error, to the rest", "at equal grades", "p, Holm")]
    for one in found:
        p = "" if one.p_adjusted is None else f"{one.p_adjusted:.3f}"
        rows.append((one.name, f"{one.pairs:,}", _signed(one.error), _signed(one.at_equal_grades), p))
    answers = [(one, answer) for one in found for answer in (one.error, one.at_equal_grades)]
    reasons = dict.fromkeys(
        f"{one.name}: no confidence interval: {answer.reason}"
        for one, answer in answers
        if not isinstance(answer, AgreementFigure)
    )
    lines = (
        *reasons,
        "error: the judge's grade less people's; at equal grades: among documents with the same human grade; above 0 "
        "the judge favors it",
    )
    return Section(f"{judge.name}: whom it favors, by {kind} (first {judge.bias_depth} documents)", lines, tuple(rows))


HEAD = ("run", "naive", "people alone", "corrected", "over queries too", "weight of the model")


def correction_sections(corrected: CorrectedValues) -> list[Section]:
    """Measure by measure, then what to know."""
    sections = []
    for measure in dict.fromkeys(one.measure for one in corrected.estimates):
        mine = [one for one in corrected.estimates if one.measure == measure]
        rows = [HEAD]
        for one in mine:
            name = one.run if one.baseline is None else f"{one.run} - {one.baseline}"
            text = number if one.baseline is None else signed
            weight = "" if one.weight is None else f"{one.weight:.2f}"
            alone, both = _correction_cell(one, one.human), _correction_cell(one, one.corrected)
            rows.append((name, text(one.naive), alone, both, _ends(one), weight))
        notes = _noted(mine)
        answers = [answer for one in mine for answer in (one.human, one.corrected, one.over_queries)]
        reasons = dict.fromkeys(answer.reason for answer in answers if not isinstance(answer, AgreementFigure))
        notes += [f"no confidence interval: {reason}" for reason in reasons]
        sections.append(Section(measure, tuple(notes), tuple(rows)))
    lines = (
        f"{counted(corrected.frame, 'pair')} of {counted(corrected.queries, 'query', 'queries')}, of which people "
        f"graded {corrected.human:,}; "
        "drawn by: "
        f"{corrected.design}",
        f"{percent(corrected.level)} confidence intervals: what all people's grades of these pairs and queries "
        "would give; over queries too: what they would give for many queries like these",
        "naive: the model's grades taken as they stand; corrected: right although the model errs",
        *corrected.notes,
    )
    return [*sections, Section("What this rests on", lines)]


def _correction_cell(one: Corrected, figure: AgreementAnswer) -> str:
    text = number if one.baseline is None else signed
    if isinstance(figure, AgreementFigure):
        return f"{text(figure.value)} ({text(figure.low)} to {text(figure.high)})"
    return "none" if figure.value is None else text(figure.value)


def _ends(one: Corrected) -> str:
    """The interval over queries; its value stands beside it already."""
    text = number if one.baseline is None else signed
    answer = one.over_queries
    return f"{text(answer.low)} to {text(answer.high)}" if isinstance(answer, AgreementFigure) else "none"


def _noted(estimates: list[Corrected]) -> list[str]:
    """Each note once, with the estimates that it is about where it is not about all."""
    notes = []
    for note in dict.fromkeys(one.note for one in estimates if one.note):
        about = [one for one in estimates if one.note == note]
        names = ", ".join(one.run if one.baseline is None else f"{one.run} - {one.baseline}" for one in about)
        notes.append(note if len(about) == len(estimates) else f"{names}: {note}")
    return notes
