"""Winner: the configuration's own text with the pipelines that won, and a head that says where it came from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.sections import interval, percent, signed
from rankproof.kernel.version import __version__
from rankproof.stack.tune.parameters import with_values
from rankproof.stack.tune.records import Tuning

MARK = "# Tuned by rankproof"
# A mode's line: its name, and a text in double quotes or in single ones.
_LINE = r'^(?P<before>[ \t]*"?{name}"?[ \t]*=[ \t]*)(?:"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)
_MODES = re.compile(r"^[ \t]*\[[ \t]*modes[ \t]*\][^\n]*$", re.MULTILINE)


def winning_config(tuning: Tuning, text: str) -> str:
    """The text of a file that `rankproof benchmark run` reads; only the pipelines with tuned parameters differ."""
    config = tuning.config
    texts = dict(config.texts)
    if tuning.winner.number:
        texts = with_values(config.texts, config.parameters, tuning.winner.parameters)
    changed = {mode: pipeline for mode, pipeline in texts.items() if pipeline != config.texts[mode]}
    whole = tomllib.loads(text)
    expected = {**whole, "modes": texts}
    edited = _edited(text, changed)
    # A file that writes its modes in another way than a line each is written anew, without its comments.
    if tomllib.loads(edited) != expected:
        edited = _written(expected)
    return _head(tuning) + edited


def _edited(text: str, changed: Mapping[str, str]) -> str:
    header = _MODES.search(text)
    if header is None:
        return text
    begins = header.end()
    ends = _NEXT.search(text, begins)
    stop = len(text) if ends is None else ends.start()
    table = text[begins:stop]
    for mode, pipeline in changed.items():
        line = re.search(_LINE.format(name=re.escape(mode)), table, re.MULTILINE)
        if line is not None:
            table = table[: line.start()] + line["before"] + to_json(pipeline) + table[line.end() :]
    return text[:begins] + table + text[stop:]


def _head(tuning: Tuning) -> str:
    config = tuning.config
    lines = [
        f"{MARK} {__version__} from {config.benchmark.source}: {config.mode} in {config.measure}, "
        f"{len(tuning.settings):,} settings by {config.method}, seed {config.seed}.",
    ]
    if tuning.test is None:
        lines.append("# No setting did better on dev than the file as it was: these are its pipelines, unchanged.")
    else:
        lines += [
            f"# Gain on {tuning.dev.queries:,} dev queries, on which it was picked: {_gain(tuning.dev.answer)}.",
            f"# Gain on {tuning.test.queries:,} test queries, which the search never saw: {_gain(tuning.test.answer)}.",
        ]
    if tuning.ruling.overfitted:
        lines.append("# OVERFITTED: the gain on dev is put down to picking the best of many. Keep the file as it was.")
    return "\n".join(lines) + "\n\n"


def _gain(answer: Answer) -> str:
    if not isinstance(answer, Estimate):
        return f"{signed(answer.value or 0.0)}, no interval ({answer.reason})"
    return f"{signed(answer.value)}, {percent(answer.level)} interval {interval(answer.low, answer.high)}"


def _written(document: Mapping[str, object], before: str = "") -> str:
    """TOML of tables, texts, numbers and lists."""
    plain = [f"{_key(key)} = {_value(value)}" for key, value in document.items() if not isinstance(value, Mapping)]
    head = [f"[{before.rstrip('.')}]"] if before and plain else []
    tables = [_written(value, f"{before}{_key(key)}.") for key, value in document.items() if isinstance(value, Mapping)]
    return "\n".join([*head, *plain, "", *tables]) if head or plain else "".join(tables)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else to_json(key)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())}}}"
    return to_json(value) if isinstance(value, str | bool | int) else repr(value)
