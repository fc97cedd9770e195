"""What stands on the command line after QRELS: runs, folders and patterns of runs, and measures in their place.

`rankproof evaluate qrels.trec bm25.run ndcg@10`: a word that is no file and reads as a measure is one. A file of that
name wins. The commands come here only where an argument is no plain file.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from difflib import get_close_matches

from rankproof.cli.shared.options import STANDARD_STREAM
from rankproof.cli.shared.output import note
from rankproof.errors import RankproofError, UnknownName, Unreadable, UsageError
from rankproof.measuring.run_sources import name_of
from rankproof.reading.run_paths import is_address, run_paths

# How many names an error offers.
FEW = 3


def runs_and_measures(given: Sequence[str], measures: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The runs that arguments name, and the measures: those of -m, or those among the arguments."""
    words, named = [], []
    for word in given:
        if _is_there(word):
            words.append(word)
        elif (wrong := _measure_error(word)) is None:
            named.append(word)
        else:
            raise _not_found(word, wrong)
    if named and measures:
        raise UsageError(
            f"Measures are named twice: with -m {' '.join(measures)} and as {' '.join(named)} among the files. The "
            "first measure counts most, so name them in one place."
        )
    for word in words:
        if os.path.isfile(word) and "." not in word and os.sep not in word and _measure_error(word) is None:
            note(f"{word} is read as the file of that name; -m {word} measures {word}.")
    return run_paths(words, note), tuple(named) or tuple(measures)


def baseline_first(paths: Sequence[str], baseline: str) -> list[str]:
    """The paths with the baseline first: one of them, by path, file name or run name, or a further file."""
    names = [{path, os.path.basename(path), name_of(path, path)} for path in paths]
    same = [at for at, known in enumerate(names) if baseline in known]
    exact = [at for at, path in enumerate(paths) if path == baseline]
    at = exact or same
    if len(at) > 1:
        matches = ", ".join(paths[i] for i in at[:FEW])
        raise UsageError(f"--baseline {baseline} may be {matches}. Name its path.")
    if at:
        return [paths[at[0]], *(path for i, path in enumerate(paths) if i != at[0])]
    if os.path.isfile(baseline):
        return [baseline, *paths]
    raise UnknownName("run", baseline, [name_of(path, path) for path in paths])


def _is_there(word: str) -> bool:
    """Whether a word names a file, a folder, standard input, a pattern, or something that is no path here."""
    return word == STANDARD_STREAM or is_address(word) or os.path.lexists(word) or glob.has_magic(word)


def _measure_error(word: str) -> RankproofError | None:
    """Why a word is no measure; None where it is one."""
    from rankproof.measuring.names import parse

    try:
        parse(word)
    except RankproofError as error:
        return error
    return None


def _not_found(word: str, wrong: RankproofError) -> Unreadable:
    """The error for a word that is neither a file nor a measure: the nearest of each."""
    folder, name = os.path.split(word)
    inside = sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else []
    files = get_close_matches(name, inside, n=FEW, cutoff=0.5)
    near = f" The nearest here: {', '.join(os.path.join(folder, file) for file in files)}." if files else ""
    missing = f"{word}: there is no such file.{near}"
    if os.sep in word or (os.path.splitext(name)[1] and "@" not in word):
        return Unreadable(f"{missing} Check the path.")
    return Unreadable(f"{missing} Nor is it a measure: {wrong}")
