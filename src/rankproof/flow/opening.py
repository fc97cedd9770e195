"""Opening: why a file cannot be had, said in one way wherever files are opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rankproof.errors import Unreadable

STDIN = "-"
NO_STDIN = "There is no standard input to read. Name a file instead of '-'."


@contextmanager
def opening(name: str) -> Iterator[None]:
    """Faults of the system within become one clear refusal; `name` is what it calls the file."""
    try:
        yield
    except FileNotFoundError:
        raise Unreadable(f"{name}: there is no such file. Check the path.") from None
    except PermissionError:
        raise Unreadable(f"{name} cannot be read: no permission.") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise Unreadable(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def is_directory(name: str) -> Unreadable:
    """What to say of a directory where a file is wanted."""
    return Unreadable(f"{name} is a directory. Name a file in it.")
