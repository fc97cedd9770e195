"""Files and folders written atomically: there whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from rankproof.errors import InputError, UsageError
from rankproof.kernel.system import move_folder


def refuse(path: str) -> None:
    """Raises an error when nothing can be written there; called before the work, not after it."""
    goal = os.path.realpath(path)
    if os.path.isdir(goal):
        raise UsageError(f"{path} is a folder. Name a file in it to write to.")
    folder = os.path.dirname(goal)
    if not os.path.isdir(folder):
        raise UsageError(f"{path} cannot be written: the folder {folder} does not exist. Create it first.")
    if not os.access(goal if os.path.exists(goal) else folder, os.W_OK):
        raise UsageError(f"{path} cannot be written: no permission. Name another file.")


def replace_file(path: str, content: Iterable[bytes | memoryview], private: bool = False) -> None:
    """Writes beside the place and moves into it, so that nobody ever sees half a file.

    `private`: for its owner alone, from the first byte on, whatever was there before.
    """
    refuse(path)
    goal = os.path.realpath(path)  # a link stays a link; what it points to is replaced
    try:
        if os.path.exists(goal) and not os.path.isfile(goal):
            with open(goal, "wb") as device:  # a pipe or a device: nothing can be moved into its place
                device.writelines(content)
            return
        # Not the process id alone: it may be that of one which was killed here, and threads share it.
        beside = f"{goal}.{os.getpid()}-{os.urandom(4).hex()}.part"
        try:
            with open(beside, "xb", opener=_owners if private else None) as file:
                file.writelines(content)
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(goal) and not private:
                os.chmod(beside, os.stat(goal).st_mode & 0o7777)
            os.replace(beside, goal)
        except BaseException:
            with suppress(FileNotFoundError):
                os.remove(beside)
            raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None


def _owners(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def refuse_folder(path: str) -> None:
    """Raises an error when no folder can be made there; called before the work. An empty folder may be there."""
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
    if goal == os.path.realpath(os.getcwd()):
        # The folder that a shell stands in cannot be replaced: it would stand in one that is gone.
        name = os.path.join(path, "NAME")
        raise InputError(f"{path} is the folder that you are in. Name one that does not exist yet, such as {name}.")
    beside = f"{goal}.{os.getpid()}.part"
    try:
        os.mkdir(beside)
        try:
            yield beside
            move_folder(beside, goal)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None
