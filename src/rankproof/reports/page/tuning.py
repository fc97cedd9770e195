"""Tuning: the page of a search over parameters: the result, gains side by side, the response to each parameter."""

from __future__ import annotations

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import confidence_interval, interval, number, p_text, signed
from rankproof.reports.charts.stack import Reply, response_chart
from rankproof.reports.page.elements import Column, PageSection, Safe, bullets, figure, listed, table, tag
from rankproof.reports.page.page import page
from rankproof.stack.tune.records import Gain, Response, Tuning
from rankproof.stack.tune.wording import conclusion, response_text, title, value_text

NONE = "none"
# Settings beyond these are in the JSON.
MOST_SETTINGS = 50


def tuning_page(tuning: Tuning) -> str:
    """The whole document."""
    head = (
        tag("h1", conclusion(tuning), class_="claim"),
        tag("p", title(tuning), class_="numbers"),
        bullets([*tuning.ruling.reasons, *tuning.notes], "also"),
        _facts(tuning),
    )
    sections = (_gains(tuning), _against(tuning), *_responses(tuning), _settings(tuning))
    return page(f"{tuning.config.benchmark.name}, tuned · rankproof", "tuning", head, sections)


def _facts(tuning: Tuning) -> Safe:
    config = tuning.config
    return listed(
        [
            ("Mode", config.mode),
            ("Measure", config.measure),
            ("Settings", f"{len(tuning.settings):,} by {config.method}"),
            ("Queries", f"dev {len(tuning.dev_queries):,}, test {tuning.test_queries:,}"),
            ("Seed", str(config.seed)),
        ]
    )


def _gains(tuning: Tuning) -> PageSection:
    ends = confidence_interval(tuning.config.benchmark.design.confidence)
    columns = [
        Column("queries", "name"), Column("n"), Column("as written"), Column("winner"), Column("gain"),
        Column(ends), Column("p"),
    ]  # fmt: skip
    rows = [["dev, on which it was picked", *_gain(tuning.dev)]]
    rows.append(["out of bag: picked again without the queries it is measured on", *_gain(tuning.out_of_bag)])
    if tuning.test is not None:
        rows.append(["test, never seen by the search", *_gain(tuning.test)])
    parameters = table(
        "Parameters",
        [Column("parameter", "name"), Column("as written"), Column("winner")],
        [
            [d.name, value_text(d.as_written), value_text(tuning.winner.parameters[d.name])]
            for d in tuning.config.parameters
        ],
    )
    lede = "What did the search find, and what is it worth on queries it never saw?"
    winner = tag("p", "Winner: ", tag("code", tuning.winner.pipeline))
    return PageSection(
        "gain", "Gain", lede, (table("The winner against the file as written", columns, rows), parameters, winner)
    )


def _gain(gain: Gain) -> list[str]:
    values = [NONE if value is None else number(value) for value in (gain.before, gain.after)]
    p = p_text(gain.answer.p_value) if isinstance(gain.answer, Estimate) and gain.before is not None else NONE
    return [f"{gain.queries:,}", *values, signed(gain.answer.value or 0.0), _ends(gain.answer), p]


def _ends(answer: Answer) -> str:
    return interval(answer.low, answer.high) if isinstance(answer, Estimate) else NONE


def _against(tuning: Tuning) -> PageSection | None:
    if not tuning.against:
        return None
    config = tuning.config
    ends = confidence_interval(config.benchmark.design.confidence)
    columns = [
        Column("mode", "name"), Column(config.measure), Column(f"gain of {config.mode}"), Column(ends),
        Column("adjusted p"), Column("pipeline", "words"),
    ]  # fmt: skip
    rows = [
        [
            o.mode, number(o.value), signed(o.answer.value or 0.0), _ends(o.answer), p_text(o.p_adjusted), o.pipeline,
        ]
        for o in tuning.against
    ]  # fmt: skip
    caption = f"The tuned {config.mode} against the other modes, on test"
    return PageSection("modes", "Other modes", f"Is the tuned {config.mode} better than they are?", (
        table(caption, columns, rows),
    ))  # fmt: skip


def _responses(tuning: Tuning) -> list[PageSection]:
    parts = []
    for at, (parameter, several) in enumerate(tuning.responses.items(), 1):
        columns = [
            Column(parameter, "name"), Column("settings"), Column(f"mean {tuning.config.measure}"), Column("best"),
            Column("gain of the best"), Column("confidence interval"),
        ]  # fmt: skip
        rows = [
            [
                response_text(r), f"{r.settings:,}", number(r.mean), number(r.best), signed(r.gain.value or 0.0),
                _ends(r.gain),
            ]
            for r in several
        ]  # fmt: skip
        numbers = table(f"Values of {parameter} on dev", columns, rows)
        parts.append(PageSection(f"parameter-{at}", parameter, None, (_drawn(tuning, parameter, several), numbers)))
    return parts


def _drawn(tuning: Tuning, parameter: str, several: tuple[Response, ...]) -> Safe:
    measure, sign = tuning.config.measure, -1.0 if tuning.better == "lower" else 1.0
    written = tuning.settings[0].mean
    replies = [_reply(found, sign, written, bool(tuning.scale)) for found in several]
    tips = [
        [response_text(r), f"best {number(r.best)}", f"mean {number(r.mean)}", f"{r.settings} settings"]
        for r in several
    ]
    caption = (
        "Dot: the best setting with this value, and the confidence interval of its gain over the file as written "
        "(dashed). Tick: the mean of all settings with this value. All on dev, where the best was picked: it flatters."
    )
    label = f"Gain in {measure} by {parameter}: the table below has the numbers."
    return figure(lambda look: response_chart(replies, parameter, measure, look), label, caption, tips=tips)


def _reply(found: Response, sign: float, written: float, scaled: bool) -> Reply:
    answer = found.gain
    ends = (answer.low, answer.high) if isinstance(answer, Estimate) else (None, None)
    best = answer.value or 0.0
    mean = best if scaled else sign * (found.mean - written)  # a mean of logarithms is no difference of means
    return Reply(response_text(found), best, mean, *ends)


def _settings(tuning: Tuning) -> PageSection:
    sign = -1.0 if tuning.better == "lower" else 1.0
    order = sorted(tuning.settings, key=lambda setting: (-sign * setting.mean, setting.number))
    names = [parameter.name for parameter in tuning.config.parameters]
    columns = [Column("setting", "name"), Column(tuning.config.measure), *(Column(name) for name in names)]
    rows = [
        [
            "as written" if s.number == 0 else str(s.number), number(s.mean),
            *(value_text(s.parameters[name]) for name in names),
        ]
        for s in order[:MOST_SETTINGS]
    ]  # fmt: skip
    more = len(order) - MOST_SETTINGS
    lede = f"The best {MOST_SETTINGS} on dev; {more:,} more are in TuneReport.json." if more > 0 else "All, on dev."
    return PageSection("settings", "Settings", lede, (table("Settings that were tried", columns, rows),))
