"""The line that says how far a benchmark is: on a terminal only, and gone at the end."""

from __future__ import annotations

import io
import sys

import pytest

from rankproof.cli.shared.output import CLEAR, Ticker, ticking
from rankproof.kernel.progress import silent


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        return True


def test_in_a_pipe_there_is_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with ticking() as tell:
        assert tell is silent
        tell("dense: encoding document", 512, 5183)
    assert pipe.getvalue() == ""


def test_on_a_terminal_one_line_is_written_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ticking() as tell:
        tell("dense: encoding document", 512, 5183)
        tell("dense: encoding document", 513, 5183)  # too soon after the one before
        tell("dense: query", 1, 84)
        tell("dense: query", 84, 84)
    told = terminal.getvalue()
    assert told == (
        f"{CLEAR}dense: encoding document 512 of 5,183{CLEAR}dense: query 1 of 84{CLEAR}dense: query 84 of 84{CLEAR}"
    )


def test_what_was_told_nothing_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    Ticker().clear()
    assert terminal.getvalue() == ""
