"""Paths of runs: folders and glob patterns to the runs in them, in the order of their names.

A folder whose files are the parts of one Parquet table (`part-00000.parquet` and so on, beside `_SUCCESS`) is one run,
as Spark writes it. Of any other folder, and of a pattern, every file that reads as a run is taken. Hidden files are
left out silently; other files that are no runs are named, so that nobody misses one.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import some
from rankproof.reading.detect import by_prefix, possible_nouns
from rankproof.reading.formats.parquet import MAGIC
from rankproof.reading.source import HEAD, STDIN, is_hidden, parquet_parts
from rankproof.reading.stream import plain_stream

# Words in the names of files whose content could be a run and is none.
NO_RUNS = ("qrels", "topics", "queries", "judg")


def run_paths(given: Sequence[str], tell: Callable[[str], None] | None = None) -> list[str]:
    """The runs that folders and glob patterns stand for; files, `-` and names such as `irds:...` stay as they are.

    tell   is told, in one sentence for each folder or pattern, which files were left out
    A run that is named already is not taken again from a folder.
    """
    paths: list[str] = []
    named = {os.path.realpath(path) for path in given if os.path.isfile(path)}
    for argument in given:
        places = _places(argument)
        if places is None:
            paths.append(argument)
            continue
        runs, others = _sorted_out(places)
        if not runs:
            raise UsageError(_no_run(argument, others))
        paths += [path for path in runs if os.path.realpath(path) not in named]
        named |= {os.path.realpath(path) for path in runs}
        if others and tell is not None:
            tell(f"{argument}: {_left_out(others)} left out, since no run was recognized there.")
    return paths


def is_address(argument: str) -> bool:
    """Whether an argument is the name of a collection (`irds:cranfield`) or an address (`hdfs://...`), and no path."""
    return "://" in argument or by_prefix(argument) is not None


def _places(argument: str) -> list[str] | None:
    """The files that an argument stands for, by name; None where it stands for itself."""
    if os.path.isdir(argument):
        if parquet_parts(argument):
            return None
        return [os.path.join(argument, name) for name in sorted(os.listdir(argument)) if not is_hidden(name)]
    if argument == STDIN or is_address(argument) or os.path.lexists(argument) or not glob.has_magic(argument):
        return None
    return sorted(glob.glob(argument, recursive=True))


def _sorted_out(places: Sequence[str]) -> tuple[list[str], list[str]]:
    """Runs, and the other files and folders."""
    runs: list[str] = []
    others: list[str] = []
    for path in places:
        (runs if _is_run(path) else others).append(path)
    return runs, others


def _is_run(path: str) -> bool:
    """Whether a file, or a folder of parts, reads as a run.

    Three columns with a whole number may be a run or qrels; the name decides then, and a run is what was asked for.
    """
    if os.path.isdir(path):
        return bool(parquet_parts(path))
    name = os.path.basename(path)
    try:
        head = b"".join(_head(path))
        possible = possible_nouns(path if head.startswith(MAGIC) else head, path, hints=(path,))
    except InputError:  # binary, damaged or not to be read: whoever means it as a run names it and is told why
        return False
    return "run" in possible and (len(possible) == 1 or not any(word in name.casefold() for word in NO_RUNS))


def _head(path: str) -> Iterator[bytes]:
    """The beginning of a file, decompressed: whole lines, where it has lines."""
    with plain_stream(path, path) as file:
        head = file.read(HEAD)
        yield head[: head.rfind(b"\n") + 1 or len(head)] if len(head) == HEAD else head


def _no_run(argument: str, others: Sequence[str]) -> str:
    what = f"The folder {argument} has" if os.path.isdir(argument) else f"The pattern {argument} matches"
    if not others:
        return f"{what} no file. Name runs, a folder of runs, or a pattern in quotes such as 'runs/*.run'."
    return (
        f"{what} no run; it has {_left_out(others)}. `rankproof validate FILE` says what a file holds; "
        "--run-format names the format of runs that are given one by one."
    )


def _left_out(paths: Sequence[str]) -> str:
    return some([os.path.basename(path) + ("/" if os.path.isdir(path) else "") for path in paths])
