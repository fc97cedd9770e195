"""JMESPath expressions: where in an answer something stands."""

from __future__ import annotations

from typing import Any

from rankproof.errors import UsageError
from rankproof.kernel.libraries import library
from rankproof.stack.engines._answer import unreadable


def expression(name: str, text: str) -> Any:
    """A JMESPath expression, compiled; UsageError where it is none."""
    jmespath = library("jmespath", "The engine http")
    try:
        return jmespath.compile(text)
    except jmespath.exceptions.JMESPathError as error:
        why = " ".join(str(error).split("\n")[0].split())
        raise UsageError(f"{name} = {text!r} is no JMESPath expression: {why}. See https://jmespath.org") from None


def extracted(compiled: Any, value: object) -> object:
    """What an expression finds; AskFailed where one of its functions does not fit what came."""
    try:
        return compiled.search(value)
    except ValueError as error:  # the base of all of JMESPath's errors
        why = " ".join(str(error).split())
        raise unreadable(f"{compiled.expression!r} does not fit the answer: {why:.120}.") from None
