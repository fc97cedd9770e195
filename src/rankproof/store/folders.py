"""Folders: a folder that is there whole or not at all, whatever happens while it is filled."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from rankproof.errors import InputError, UsageError


def refuse_folder(path: str) -> None:
    """An error when no folder can be made there; asked before the work, not after it. An empty one may be there."""
    goal = os.path.realpath(path)
    if os.path.exists(goal) and not os.path.isdir(goal):
        raise UsageError(f"{path} is a file. Name a folder that does not exist yet.")
    if os.path.isdir(goal) and os.listdir(goal):
        raise UsageError(f"{path} is a folder with something in it. Name one that does not exist yet, or remove it.")
    above = os.path.dirname(goal)
    if not os.path.isdir(above):
        raise UsageError(f"{path} cannot be made: the folder {above} does not exist. Create it first.")
    if not os.access(above, os.W_OK):
        raise UsageError(f"{path} cannot be made: no permission. Name another folder.")


@contextmanager
def new_folder(path: str) -> Iterator[str]:
    """A folder beside the place, to be filled; it is moved into its place at the end, or removed on any error."""
    refuse_folder(path)
    goal = os.path.realpath(path)
    beside = f"{goal}.{os.getpid()}.part"
    try:
        os.mkdir(beside)
        try:
            yield beside
            os.rename(beside, goal)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None
