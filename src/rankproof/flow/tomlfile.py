"""TOML files: a document, or one refusal that names the file and says what to do."""

from __future__ import annotations

from typing import Any


def read_toml(path: str, remedy: str = "") -> dict[str, Any]:
    """The document in a file; `remedy` is what to do where it is none."""
    import tomllib

    from rankproof.errors import InputError
    from rankproof.flow.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    try:
        return tomllib.loads(source.text())
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}. {remedy}".rstrip()) from None
