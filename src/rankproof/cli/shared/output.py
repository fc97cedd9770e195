"""Where a command's answer goes: a screen, a pipe or an atomically written file; and progress of long work."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from rankproof.cli.shared.options import ShelfName, chosen_form, refuse_outputs, together
from rankproof.errors import RankproofError, UsageError
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.progress import Progress, silent
from rankproof.kernel.sections import USUAL_COLUMNS, Screen

if TYPE_CHECKING:
    from rankproof.proving.verdict import Verdict


@contextmanager
def unusable_is_2() -> Iterator[None]:
    """Where 1 says that harm was shown, data that cannot be used exits with 2: a script must never take it for STOP."""
    try:
        yield
    except RankproofError as error:
        error.exit_status = 2
        raise


def give(text: str, path: str | None, color: bool = False, private: bool = False) -> None:
    """Writes the text to a file, or to standard output for None and `-`.

    private a file is for its owner alone
    color   the text is for people: in color where standard output is a terminal that has colors. NO_COLOR and a dumb
            terminal have none, FORCE_COLOR has them in a pipe too (no-color.org)
    """
    if path is not None and path != "-":
        replace_file(path, [text.encode("utf-8", "surrogateescape")], private)
    elif (
        color
        and sys.stdout is not None
        and not os.environ.get("NO_COLOR")
        and (os.environ.get("FORCE_COLOR") or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb"))
    ):
        _paint(text)
    else:
        say(text)


def _paint(text: str) -> None:
    """Writes to standard output in color. click knows the consoles of Windows."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # such as ids that are not UTF-8
        say(text)
    else:
        click.echo(painted(text), nl=False, color=True)


def say(text: str) -> None:
    """Writes to standard output at once. What its encoding cannot hold is written out, never refused."""
    stream = output()
    encoding = sys.stdout.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    sys.stdout.flush()
    stream.write(data)
    stream.flush()  # now, so that a reader that is gone is noticed while someone listens


full_option = click.option("--full", is_flag=True, help="Print everything, not only the headlines.")


def screen(full: bool, path: str | None = None) -> Screen:
    """What a text is laid out for: the terminal's width, or no width at all in a pipe and in a file.

    COLUMNS overrides the width of a terminal, and only that: libraries set it for the programs that they start, and a
    text that is compared or searched must not depend on where it was made.
    """
    if path not in (None, "-") or sys.stdout is None or not sys.stdout.isatty():
        return Screen(None, full)
    width = shutil.get_terminal_size((USUAL_COLUMNS, 0)).columns
    return Screen(width, full, width)


COLORS = {"PASS": "green", "FAIL": "red", "UNDECIDED": "yellow", "better": "green", "worse": "red", "Warning": "yellow"}
# Words where a verdict stands, not where a name or a sentence has them: a cell of a table, or the begin of a line.
_WORDS = re.compile(
    r"(?P<word>(?:(?<=  )|^)(?:PASS|FAIL|UNDECIDED)(?=:|  |$)|(?<=  )(?:better|worse)$|(?<=  )Warning(?=: ))"
    r"|(?P<best>(?<= )\d+(?:\.\d+)?\*)"
    r"|(?P<up>(?<= )\d+\.\d{4}\+)|(?P<down>(?<= )\d+\.\d{4}-)",
    re.MULTILINE,
)


def painted(text: str) -> str:
    """The finished text with its verdict words in color, the best values bold and marked values green or red."""

    def paint(match: re.Match[str]) -> str:
        found = match.group()
        if match["word"]:
            return click.style(found, fg=COLORS[found], bold=found.isupper() or None)
        if match["best"]:
            return click.style(found, bold=True)
        return click.style(found, fg="green" if match["up"] else "red")

    return _WORDS.sub(paint, text)


# What a written file is called when it is named.
FILE_KINDS = {"html": "Report", "markdown": "Markdown", "junit": "JUnit", "charts": "Charts"}


def name_files(form: str, answer: str | None, **files: str | None) -> None:
    """Names every written file: below the table on standard output, and on standard error where the answer is data
    for a program or went into a file itself, so that what reads standard output gets nothing else."""
    text = ""
    for kind, path in (*files.items(), ("written", answer)):
        if path not in (None, "-"):
            text += f"{FILE_KINDS.get(kind, kind.capitalize())}: {path}\n"
    if not text:
        return
    if form == "table" and answer in (None, "-"):
        say(text)
    else:
        click.echo(text, nl=False, err=True)


def note(text: str) -> None:
    """Tells the person at the keyboard what was decided, beside the answer: on standard error."""
    click.echo(f"rankproof: note: {text}", err=True)


def output() -> BinaryIO:
    """Standard output, for bytes. A program may be started without one."""
    if sys.stdout is None:
        raise UsageError("There is no standard output to write to. Name a file to write to.")
    return sys.stdout.buffer


def document(schema: str, body: Mapping[str, Any], seconds: float | None = None, indent: int | None = 2) -> str:
    """The document as text. What differs from one time to the next stands under `observed`, and nowhere else."""
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.version import __version__

    observed = {} if seconds is None else {"observed": {"seconds": round(seconds, 6)}}
    return to_json({"rankproof": __version__, "schema": schema, **body, **observed}, indent=indent) + "\n"


# --full, --format, --json, -o, --junit, --markdown and --html.
verdict_options = together(
    [
        click.option(
            "--format", "form", type=ShelfName("reports", "verdict"), help="The form of the answer; table by default."
        ),
        click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too."),
        click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all."),
        click.option("--junit", type=click.Path(), help="Write JUnit XML to this file too."),
        click.option("--markdown", type=click.Path(), help="Write the Markdown report to this file too."),
        click.option("--html", type=click.Path(), help="Write the HTML report to this file too."),
        full_option,
    ]
)


@dataclass(frozen=True, slots=True)
class Forms:
    """What was asked for: the form of the answer, where it goes, and the files beside it by their forms."""

    form: str
    output: str | None
    files: Mapping[str, str]
    reports: Mapping[str, Any]
    full: bool = False

    def give(self, verdict: Verdict, observed: Mapping[str, Any], **written: str | None) -> None:
        """Writes the files, then the answer, then names the files and those that are `written` already, by kind."""
        for name, path in self.files.items():
            give(self.reports[name].verdict(verdict, observed=observed), path)
        give_report(self.reports[self.form], "verdict", verdict, self.full, self.output, observed=observed)
        name_files(self.form, self.output, **self.files, **written)


def give_report(report: Any, noun: str, shown: object, full: bool, path: str | None, **options: Any) -> None:
    """Gives the answer in the form of a report: laid out for the reader's screen where the form is made for one."""
    make = getattr(report, noun)
    if report.on_screen:
        give(make(shown, **options, screen=screen(full, path)), path, color=True)
    else:
        give(make(shown, **options), path)


def chosen_forms(form: str | None, as_json: bool, output: str | None, full: bool = False, **files: str | None) -> Forms:
    """What the options say; refused before anything is measured where it cannot be done."""
    from rankproof.kernel import shelf

    form = chosen_form(form, as_json)
    wanted = {name: path for name, path in files.items() if path is not None}
    refuse_outputs(output, *wanted.values())
    return Forms(form, output, wanted, {name: shelf.find("reports", name) for name in (form, *wanted)}, full)


T = TypeVar("T")

# Work that ends sooner than this needs no sign, and does not pay for loading rich.
PATIENCE = 1.0


def watched(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, one by one; how many are done is shown while the work on them goes on."""
    if not sys.stderr.isatty():
        yield from items
        return
    sign = _ProgressBar(what, len(items))
    try:
        for item in items:
            yield item
            sign.step()
    finally:
        sign.stop()


class _ProgressBar:
    """A bar that a timer starts when patience ends; the work itself never waits for it."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.bar: Any = None
        self.lock = threading.Lock()
        self.over = False
        self.timer = threading.Timer(PATIENCE, self.start)
        self.timer.daemon = True
        self.timer.start()

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        with self.lock:
            if self.over:
                return
            parts = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            self.bar = Progress(*parts, console=Console(stderr=True), transient=True)
            # A total of one has no progress to show: the bar then only moves.
            self.task = self.bar.add_task(self.what, total=self.total if self.total > 1 else None)
            self.bar.update(self.task, completed=self.done)
            self.bar.start()

    def step(self) -> None:
        with self.lock:
            self.done += 1
            if self.bar is not None:
                self.bar.update(self.task, completed=self.done)

    def stop(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.over = True
            if self.bar is not None:
                with suppress(OSError):
                    self.bar.stop()


# Nobody reads faster, and a terminal far away is slow.
SECONDS_BETWEEN = 0.1
CLEAR = "\r\x1b[K"


@contextmanager
def ticking() -> Iterator[Progress]:
    """Somebody to tell; the line is gone at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    ticker = Ticker()
    try:
        yield ticker.tell
    finally:
        ticker.clear()


class Ticker:
    """Writes each progress message over the one before."""

    def __init__(self) -> None:
        self._what, self._last = "", float("-inf")

    def tell(self, what: str, done: int, total: int) -> None:
        """Something new at once, more of the same now and then."""
        now = time.monotonic()
        if what != self._what or done == total or now - self._last >= SECONDS_BETWEEN:
            self._what, self._last = what, now
            sys.stderr.write(f"{CLEAR}{what} {done:,} of {total:,}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Leaves an empty line."""
        if self._what:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()


def refuse_output_folder(path: str) -> None:
    """UsageError where no folder can be made or written at the path. It may be there, with older files in it."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise UsageError(f"{path} is a file. Name a folder to write to.")
    above = os.path.abspath(path)
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above) or not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"The folder {path} cannot be written: {above} does not allow it. Name another folder.")
