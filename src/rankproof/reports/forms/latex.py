r"""A LaTeX table for a paper: booktabs rules, the best value of each measure in bold.

Needs `\usepackage{booktabs}`. Four decimals; whole numbers as such; `undefined` where a query has no value.
The fine print follows as comments, so that the table can be pasted as it is and its facts stay with it.
A comparison has its significance marks explained in the caption; a verdict is a table of its rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase

from rankproof.kernel.sections import number, percent, printable
from rankproof.measuring.records import Evaluation
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.proving.sections import item_title
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import GridCell, grid, notes

# Against a baseline the marks are arrows. Over all pairs each system has a letter, and stands with the letters
# of those it is shown to be better than, as papers of the field have it.


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def flat(text: str) -> str:
    """The text on one line."""
    return printable(re.sub(r"\s", " ", text))


def escaped(text: str) -> str:
    """The text with LaTeX's own characters written out, on one line."""
    return "".join(_SPECIAL.get(c, c) for c in flat(text))


def cell(text: str) -> str:
    """The text as a cell. A row that begins with `[` would be read as the argument of the line end above it."""
    return escaped(text).replace("[", "{[}", 1) if text.startswith("[") else escaped(text)


def row(cells: Iterable[str]) -> str:
    """One row of a tabular."""
    return f"{' & '.join(cells)} \\\\"


def latex_comparison(comparison: Comparison) -> str:
    """A table environment with caption, and the fine print as comments."""
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES]
    over_pairs = any(c.baseline != comparison.systems[0] for c in whole)
    letters = _letters(comparison) if over_pairs else {}
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_caption(comparison, over_pairs)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(comparison.measures)}}}",
        r"\toprule",
        row(["", *map(escaped, comparison.measures)]),
        r"\midrule",
    ]
    for system in comparison.systems:
        name = f"{cell(system)} ({letters[system]})" if letters else cell(system)
        cells = [_value(comparison, whole, system, measure, letters) for measure in comparison.measures]
        lines.append(row([name, *cells]))
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*lines, *(f"% {flat(note)}" for note in comparison.fine_print), ""])


def _letters(comparison: Comparison) -> dict[str, str]:
    """a to z; then aa, ab and so on."""
    return {
        system: ascii_lowercase[at] if at < 26 else ascii_lowercase[at // 26 - 1] + ascii_lowercase[at % 26]
        for at, system in enumerate(comparison.systems)
    }


def _caption(comparison: Comparison, over_pairs: bool) -> str:
    corrected = "" if comparison.correction == "none" else f", {comparison.correction} over {comparison.family.counts}"
    test = f"{item_title('significance', comparison.significance)}{corrected}, {percent(comparison.level)}"
    base = escaped(comparison.systems[0])
    marks = (
        "Letters: significantly better than the systems with these letters"
        if over_pairs
        else rf"$\uparrow$, $\downarrow$: significantly better or worse than {base}"
    )
    return f"{len(comparison.query_ids)} queries. Best in bold. {marks} ({escaped(test)})."


def _value(comparison: Comparison, whole: list[Contrast], system: str, measure: str, letters: dict[str, str]) -> str:
    means = _means(whole, measure)
    lower = any(c.better == "lower" for c in whole if c.measure == measure)
    best = (min if lower else max)(means.values())
    text = number(means[system])
    if means[system] == best and all(c.better != "neither" for c in whole if c.measure == measure):
        text = rf"\textbf{{{text}}}"
    mark = _beaten(whole, system, measure, letters) if letters else _arrow(whole, system, measure)
    return f"{text}$^{{{mark}}}$" if mark else text


def _means(whole: list[Contrast], measure: str) -> dict[str, float]:
    means = {}
    for contrast in whole:
        if contrast.measure == measure:
            means[contrast.baseline] = contrast.baseline_mean
            means[contrast.candidate] = contrast.candidate_mean
    return means


def _arrow(whole: list[Contrast], system: str, measure: str) -> str:
    for contrast in whole:
        if contrast.measure == measure and contrast.candidate == system:
            return {"better": r"\uparrow", "worse": r"\downarrow"}.get(contrast.direction, "")
    return ""


def _beaten(whole: list[Contrast], system: str, measure: str, letters: dict[str, str]) -> str:
    beaten = [c.baseline for c in whole if (c.measure, c.candidate, c.direction) == (measure, system, "better")]
    beaten += [c.candidate for c in whole if (c.measure, c.baseline, c.direction) == (measure, system, "worse")]
    return r"\mathrm{" + "".join(sorted(letters[name] for name in beaten)) + "}" if beaten else ""


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """A tabular environment, and comments."""
    table = grid(evaluations, per_query)
    values = len(table.header) - table.names
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * table.names}{'r' * values}}}",
            r"\toprule",
            row(map(escaped, table.header)),
            r"\midrule",
            *(row(map(_cell, cells)) for cells in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {flat(note)}" for note in notes(evaluations)),
            "",
        ]
    )


def _cell(entry: GridCell) -> str:
    return rf"\textbf{{{cell(entry.text)}}}" if entry.best else cell(entry.text)


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """A table of systems by measures; each query's values are for other forms."""
    return latex_comparison(comparison)


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """A table of the rules with the verdict as its caption; reasons, warnings and fine print are comments."""
    # Evaluations and comparisons need no trials: their modules load only for a verdict.
    from rankproof.reports.verdict_sections import verdict_sections

    rules, *others = verdict_sections(verdict)
    header, *rows = rules.table
    told = [line for part in others for line in (part.title, *part.lines)]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped(rules.title)}.}}",
            rf"\begin{{tabular}}{{{'l' * rules.names}{'r' * (len(header) - rules.names)}}}",
            r"\toprule",
            row(map(escaped, header)),
            r"\midrule",
            *(row(map(cell, cells)) for cells in rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            *(f"% {flat(text)}" for line in told for text in ((line,) if isinstance(line, str) else line)),
            "",
        ]
    )


OFFERS = (Report("latex", __doc__, render, ".tex", "application/x-latex", comparison, verdict),)
