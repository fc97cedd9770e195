"""A Tuning as text for a terminal: the dials that won, the gain on dev beside the gain on test, what to make of it."""

from __future__ import annotations

from rankproof.records.estimate import Answer, Estimate
from rankproof.records.show import number
from rankproof.records.tuning import Against, Gain, Tuning
from rankproof.records.words import interval, p_text, percent, signed
from rankproof.reports._align import aligned
from rankproof.reports._tuning_words import conclusion, shown, spoken, title

NONE = "-"


def tuned(tuning: Tuning) -> str:
    """The whole answer."""
    parts = [[title(tuning)], _dials(tuning), _gains(tuning), [conclusion(tuning), *_reasons(tuning)]]
    parts += [_against(tuning), *_responses(tuning)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _dials(tuning: Tuning) -> list[str]:
    rows = [["dial", "as written", "winner"]]
    rows += [[d.name, shown(d.as_written), shown(tuning.winner.dials[d.name])] for d in tuning.config.dials]
    return aligned(rows, 1)


def _gains(tuning: Tuning) -> list[str]:
    level = percent(tuning.config.benchmark.design.confidence)
    rows = [["", "queries", "as written", "winner", "gain", f"{level} interval", "p"]]
    rows.append(["dev", *_gain(tuning.dev)])
    rows.append(["out of bag", *_gain(tuning.out_of_bag)])
    if tuning.test is not None:
        rows.append(["test", *_gain(tuning.test)])
    said = {
        "dev": "picked on these queries, so it flatters",
        "out of bag": "picked again without the queries it is measured on",
        "test": "never seen by the search",
    }
    return [f"{line}  {said.get(row[0], '')}".rstrip() for line, row in zip(aligned(rows, 1), rows, strict=True)]


def _gain(gain: Gain) -> list[str]:
    values = [NONE if value is None else number(value) for value in (gain.before, gain.after)]
    picked = gain.before is None or not isinstance(gain.answer, Estimate)
    return [f"{gain.queries:,}", *values, *_answer(gain.answer)[:2], NONE if picked else _answer(gain.answer)[2]]


def _answer(answer: Answer) -> tuple[str, str, str]:
    value = signed(answer.value or 0.0)
    if not isinstance(answer, Estimate):
        return value, NONE, NONE
    return value, interval(answer.low, answer.high), p_text(answer.p_value)


def _reasons(tuning: Tuning) -> list[str]:
    return [f"  {reason}" for reason in (*tuning.ruling.reasons, *tuning.notes)]


def _against(tuning: Tuning) -> list[str]:
    if not tuning.against:
        return []
    level = percent(tuning.config.benchmark.design.confidence)
    rows = [["mode", tuning.config.measure, "gain over it", f"{level} interval", "p adjusted"]]
    rows += [_other(other) for other in tuning.against]
    return [f"The tuned {tuning.config.mode} against the other modes, on test:", *aligned(rows, 1)]


def _other(other: Against) -> list[str]:
    value, ends, _ = _answer(other.answer)
    return [other.mode, number(other.value), value, ends, p_text(other.p_adjusted)]


def _responses(tuning: Tuning) -> list[list[str]]:
    """A table for each dial: short ones say more than the chart on a terminal."""
    found = []
    for name, several in tuning.responses.items():
        rows = [[name, "settings", f"mean {tuning.config.measure}", "best", "gain of the best", "interval"]]
        rows += [
            [spoken(at), f"{at.settings:,}", number(at.mean), number(at.best), *_answer(at.gain)[:2]] for at in several
        ]
        found.append(aligned(rows, 1))
    return found
