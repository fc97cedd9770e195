"""Detect: which format a source is in and the order in which its rows count; or an error that reports what was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from json import loads
from typing import TYPE_CHECKING, Any

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.reading.finding import Unit
from rankproof.reading.formats._names import (
    JUDGED,
    NO_CHOICE,
    RANK,
    SCORE,
    chosen,
    no_columns,
    noun_named,
    place,
    plain,
    topic_columns,
)
from rankproof.reading.formats._names import by_name as by_name_of_columns
from rankproof.reading.formats._table import SEPARATORS, as_header, cut, look, sample
from rankproof.reading.formats.contract import NOUNS, Format, Noun, Sure, TextLayout
from rankproof.reading.formats.parquet import column_names, is_parquet
from rankproof.reading.records import Order
from rankproof.reading.source import FileLike, Source, open_source, require_text

if TYPE_CHECKING:
    from rankproof.core import Rows


# The singular of each noun.
_ONE: dict[Noun, str] = {
    "run": "a run", "qrels": "qrels", "topics": "topics", "scores": "scores by unit", "calls": "calls of tasks",
}  # fmt: skip
# Endings that say what a file holds, whatever its format.
_ENDINGS: dict[str, Noun] = {".run": "run", ".qrels": "qrels", ".topics": "topics"}
# How much of a line a message shows.
_SHOWN = 80


def by_name(name: str, noun: Noun) -> Format:
    """The format with this name, which must be able to hold the noun; with its options, as in `mteb(split=test)`."""
    form = _named(name)
    if noun not in form.holds:
        raise UsageError(
            f"The format {form.name} holds {' and '.join(_ONE[held] for held in form.holds)}, not {_ONE[noun]}. "
            f"Formats for {_ONE[noun]}: {_names(noun)}."
        )
    return form


def _named(text: str) -> Format:
    """The format that a text names, its options bound to it: NAME or NAME(option=value, ...)."""
    if "(" not in text:
        form: Format = shelf.find("formats", text)
        return form
    from rankproof.kernel.specs.calls import no_call, split_call

    call = split_call(text)
    if call is None or call.at is not None:
        raise no_call(text)
    return bound(shelf.find("formats", call.name), {name: value.strip("'\"") for name, value in call.options.items()})


def bound(form: Format, options: Mapping[str, str]) -> Format:
    """The format with options that every reading takes, beside those that it is given."""
    refuse_options(options, form)

    def also(read: Callable[..., Any] | None) -> Any:
        return None if read is None else lambda *given: read(*given[:-1], {**options, **given[-1]})

    pieces = form.pieces
    return replace(
        form,
        plan=also(form.plan),
        rows=also(form.rows),
        topics=also(form.topics),
        scores=also(form.scores),
        calls=also(form.calls),
        pieces=None if pieces is None else lambda file, name, own, size: pieces(file, name, {**options, **own}, size),
    )


def refuse_options(names: Iterable[str], form: Format) -> None:
    """UsageError for an option that a format does not take."""
    for name in names:
        if name not in form.options:
            takes = f"It takes: {', '.join(form.options)}." if form.options else "It takes no options."
            raise UsageError(f"The format {form.name} has no option {name!r}. {takes}")


def by_prefix(what: object) -> Format | None:
    """The format whose prefix a source begins with, such as irds:cranfield."""
    if not isinstance(what, str) or ":" not in what:
        return None
    return next((f for f in shelf.offered("formats").values() if f.prefix and what.startswith(f.prefix)), None)


def by_content(source: Source, noun: Noun) -> Format:
    """The format that is most certain of a source."""
    best = surest(shelf.offered("formats").values(), source, noun)
    if not best or best[0].detect(source, noun) < Sure.CERTAIN:
        # Formats of other packages are tried wherever ours are not certain.
        best = surest(shelf.everything("formats").values(), source, noun)
    if len(best) == 1:
        return best[0]
    if best:
        names = " or ".join(form.name for form in best)
        raise InputError(f"{source.name}: its format may be {names}. Name it with {_option(noun)}.")
    require_text(source)
    raise InputError(_unknown(source, noun))


def by_columns(source: Source, noun: Noun, columns: object) -> Format | None:
    """The format of a text whose header or first line has the columns that a caller named; None where none has."""
    choice = chosen(columns, noun)
    if b"\0" in source.head:
        return None
    from rankproof.reading.formats._tabular import looks_like_markup

    if looks_like_markup(source):
        try:
            record = loads(source.head.lstrip().split(b"\n", 1)[0])
        except (ValueError, RecursionError):
            return None
        is_row = isinstance(record, dict) and not choice.missing(list(record))
        # An object of columns on one line has a list for the queries too.
        return by_name("jsonl", noun) if is_row and not isinstance(record[choice.named[0][1]], list) else None
    table = look(source.head, noun, {"columns": choice})
    return None if table is None else by_name("csv" if table.separator in ",;|" else "tsv", noun)


def _has_named(source: Source, noun: Noun, columns: object) -> bool:
    """Whether a source has the columns that a caller named for a noun."""
    choice = chosen(columns, noun)
    if not choice:
        return False
    if is_parquet(source):
        return not choice.missing(column_names(source))
    return by_columns(source, noun, choice) is not None


def surest(forms: Iterable[Format], source: Source, noun: Noun) -> list[Format]:
    """The formats that are most certain of a source; none when no format recognizes it."""
    sure = {form: form.detect(source, noun) for form in forms if noun in form.holds}
    most = max(sure.values(), default=Sure.NO)
    return [form for form, certainty in sure.items() if certainty == most and most > Sure.NO]


def record_source(what: FileLike, noun: Noun, format: str | None = None) -> tuple[Source, Format | None]:
    """A source, and the format of another tool's records that it is in: by prefix, named, or by content, if any.

    noun    "scores" or "calls": what plain tables hold as well, whose columns are read by their names
    """
    prefixed = by_prefix(what)
    if prefixed is not None and noun in prefixed.holds:
        return Source(str(what), b""), prefixed
    source = open_source(what)
    form = record_format(source, noun) if format is None else by_name(format, noun)
    if form is not None and not form.binary:
        require_text(source)
    return source, form


def record_format(source: Source, noun: Noun) -> Format | None:
    """The format of another tool's records that is certain of a source; None where the source is a plain table.

    noun    "scores" or "calls": what plain tables hold as well, whose columns are read by their names
    """
    found = surest(shelf.offered("formats").values(), source, noun) or surest(
        shelf.everything("formats").values(), source, noun
    )
    if len(found) > 1:
        names = " or ".join(form.name for form in found)
        raise InputError(f"{source.name}: its format may be {names}. Name it with {_option(noun)}.")
    return found[0] if found else None


def noun_of(
    what: FileLike, name: str, format: str | None = None, hints: Iterable[str] = (), columns: object = None
) -> Noun:
    """What a source holds: the noun that a format is most certain of, or the one that a file's ending names."""
    possible = possible_nouns(what, name, format, hints, columns)
    if len(possible) == 1:
        return possible[0]
    doubt = f"{name} may hold {_any_of(possible)}" if possible else f"{name} has content that is not recognized"
    raise InputError(f"{doubt}. Say which it is with --noun run, --noun qrels or --noun topics.")


def possible_nouns(
    what: FileLike, name: str, format: str | None = None, hints: Iterable[str] = (), columns: object = None
) -> list[Noun]:
    """What a source may hold: one noun, several that its content leaves open, or none."""
    prefixed = by_prefix(what)
    if prefixed is not None or format is not None:
        forms: list[Format] = [prefixed or _named(str(format))]
    else:
        forms = list(shelf.offered("formats").values())
    source = Source(name, b"") if prefixed is not None else open_source(what, name)
    sure = {n: max((f.detect(source, n) for f in forms if n in f.holds), default=Sure.NO) for n in NOUNS}
    most = max(sure.values())
    possible = [noun for noun, certainty in sure.items() if certainty == most and most > Sure.NO]
    if columns and prefixed is None:
        told = noun_named(columns)
        nouns: tuple[Noun, ...] = ("run", "qrels") if told is None else (told,)
        possible = [noun for noun in nouns if _has_named(source, noun, columns)] or possible
    if not possible:
        possible = [noun for noun in NOUNS if len(forms) == 1 and noun in forms[0].holds]
    if len(possible) > 1 and is_parquet(source):
        possible = _by_columns(column_names(source)) or possible
    if len(possible) > 1:
        # A hint decides between what is possible; it never overrules the content.
        named = {_ENDINGS[end] for hint in hints for end in _ENDINGS if f"{end}." in f"{hint.casefold()}."}
        possible = [noun for noun in possible if noun in named] or possible
    return possible


def undecided(what: FileLike, name: str, possible: Sequence[Noun]) -> str:
    """The message for content that may be several nouns or none: its first lines, and how to say what it is."""
    source = open_source(what, name)
    if source.is_empty:
        return f"{name} is empty: there is nothing in it to tell a run from qrels by. Check that it is the right file."
    if is_parquet(source) and not possible:
        return str(no_columns(column_names(source), "run", NO_CHOICE, name))
    if is_parquet(source):
        begins = f"has the columns {', '.join(column_names(source)[:12])}"
    else:
        require_text(source)
        lines = [f"{line[:_SHOWN]}..." if len(line) > _SHOWN else line for _, line in sample(source.head)[:2]]
        begins = f"begins with {' and '.join(map(repr, lines))}"
    doubt = (
        f"{name} may hold {_any_of(possible)}" if possible else f"{name} reads as neither a run nor qrels nor topics"
    )
    return f"{doubt}; it {begins}. Say what it is with --as run, qrels or topics."


def _any_of(nouns: Sequence[Noun]) -> str:
    return " or ".join(_ONE[noun] for noun in nouns).replace(" or ", ", ", max(0, len(nouns) - 2))


def _by_columns(names: Sequence[str]) -> list[Noun]:
    """What a table with these columns may be: one with scores or ranks is a run, one with grades qrels."""
    run, qrels = by_name_of_columns(names, "run"), by_name_of_columns(names, "qrels")
    if run is None and qrels is None:
        return ["topics"] if topic_columns(names) else []
    if run is None or qrels is None:
        return ["qrels"] if run is None else ["run"]
    plain_names = [plain(name) for name in names]
    scored, judged = (place(plain_names, words) >= 0 for words in ((*SCORE, *RANK), JUDGED))
    return ["run"] if scored and not judged else []


def _option(noun: Noun) -> str:
    """The option that names the format; a command that reads two kinds of files has an option for each."""
    if noun in ("scores", "calls"):
        return f"--{noun}-format (in Python format=)"
    return "--format" if noun == "topics" else f"--format (evaluate: --{noun}-format)"


def _names(noun: Noun) -> str:
    return ", ".join(name for name, form in shelf.everything("formats").items() if noun in form.holds)


def _unknown(source: Source, noun: Noun) -> str:
    """The error message: what was seen, what is possible and what to do."""
    lines = [line for _, line in sample(source.head) if not line.startswith("#")]
    first = lines[0] if lines else ""
    shown = f"{first[:_SHOWN]}..." if len(first) > _SHOWN else first
    widths = {name: len(cut(first, separator)) for separator, name in SEPARATORS.items()}
    most = max(widths.values())
    if most > 1:
        cuts = " or ".join(name for name, width in widths.items() if width == most)
        seen = f"the first line has {most} columns between {cuts}"
    else:
        seen = "the first line is one word"
    doubt = f"{source.name}: its format is not recognized as one for {_ONE[noun]}; {seen}: {shown!r}."
    hint = _hint(source, noun, widths) or as_header(first, noun)
    return f"{doubt} {hint}Name its format with {_option(noun)}. Formats for {_ONE[noun]}: {_names(noun)}."


def _hint(source: Source, noun: Noun, widths: dict[str, int]) -> str:
    for other in NOUNS:
        forms = surest(shelf.offered("formats").values(), source, other) if other != noun else []
        if forms and forms[0].detect(source, other) >= Sure.LIKELY:
            return f"It looks like {_ONE[other]} in the format {forms[0].name}: are the files in the right order? "
    if noun == "run" and widths["blanks"] == 5:
        return "A TREC run has 6 columns, query_id Q0 doc_id rank score tag: the tag may be missing. "
    return ""


# How a note begins that tells which columns were read as what.
FROM_COLUMNS = "query from "


@dataclass(frozen=True, slots=True, eq=False)
class SourceDescription:
    """What was read and how: source, format, order, and notes on what was decided.

    `unit` is what `rows.line` counts. `layout` is set for text that the core reads by itself; `again` then
    reads it once more and allows no columns beyond the format's own. `shape` says what a line should look like.
    `without_documents` are judged queries that name no document.
    """

    source: str
    noun: Noun
    format: str
    order: Order
    notes: tuple[str, ...] = ()
    shape: str = ""
    unit: Unit = "line"
    layout: TextLayout | None = None
    again: Callable[[], Rows] | None = None
    without_documents: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"format {self.format}", *self.notes]
        if self.noun == "run":
            parts.append(f"order: {self.order}")
        return f"{self.source}: {self.noun}; {'; '.join(parts)}"
