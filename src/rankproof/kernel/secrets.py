"""Secrets: what `${NAME}` stands for, taken from the environment, and kept out of everything that is shown."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from urllib.parse import quote, quote_plus, unquote, urlsplit

from rankproof.errors import UsageError

SECRET = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_USER = re.compile(r"//[^/]*@")
_PASSWORD = re.compile(r"\b(user|password)\s*=\s*('[^']*'|[^\s&]*)")
# Shorter values also occur in ordinary words.
SHORTEST = 4


# Headers and parameters that hold nothing but secrets.
_HOLDS_SECRETS = re.compile(
    r"((proxy-)?authorization|cookie|(x-)?(api|auth|access|secret)[-_]?(key|token)|password|secret|token)",
    re.IGNORECASE,
)


def refuse_written(who: str, auth: str | None, *tables: Mapping[str, str]) -> None:
    """Raises UsageError for a secret in the configuration itself: it would appear in every report."""
    if auth is not None and not SECRET.search(auth.partition(":")[2] or auth):
        raise UsageError(
            f"{who}: auth holds a password. Put it into an environment variable: auth='user:${{PASSWORD}}'."
        )
    for table in tables:
        for name, text in table.items():
            if _HOLDS_SECRETS.fullmatch(name) and not SECRET.search(text):
                raise UsageError(
                    f"{who}: {name!r} holds a secret. Put it into an environment variable and write its name: "
                    f"{{{name!r}: '${{SEARCH_KEY}}'}}."
                )


class Secrets:
    """The environment variables that a configuration names. The configuration itself holds their names only."""

    def __init__(self, who: str, *templates: object, environment: Mapping[str, str] | None = None) -> None:
        """UsageError for a variable that is not set. `templates` are texts, or tables and lists with texts in them."""
        variables = os.environ if environment is None else environment
        self._values: dict[str, str] = {}
        self._also: dict[str, str] = {}
        for name in _names(templates):
            if not variables.get(name):
                raise UsageError(
                    f"{who} needs the environment variable {name}, which is not set. Set it and try again."
                )
            self._values[name] = variables[name]

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def expand(self, text: str) -> str:
        """The text with the values inserted; it must never be shown."""
        return SECRET.sub(lambda match: self[match[1]], text)

    def hide(self, text: str, replacement: str) -> None:
        """Shows a text that was made from secrets, such as an encoded password, as `replacement`."""
        self._also[text] = replacement

    def hide_user(self, url: str) -> None:
        """Hides the password of an address, as it stands there, decoded, and as it is sent."""
        user, at, _ = urlsplit(url).netloc.rpartition("@")
        name, _, password = user.partition(":")
        if at and password:
            sent = base64.b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
            for form in (password, unquote(password), sent):
                self.hide(form, "(hidden)")

    def identity(self, *templates: object) -> dict[str, str]:
        """Digits that change with the variables that templates name, and do not show them; nothing for no variable.

        When ${SEARCH_API} changes, requests go to another server, and answers of the first do not apply. The user
        changes nothing, so users and passwords in an address are left out.
        """
        named = sorted(set(_names([_USER.sub("//", part) if isinstance(part, str) else part for part in templates])))
        variables = "\n".join(f"{name}={_PASSWORD.sub('', _USER.sub('//', self[name]))}" for name in named)
        digits = sha256(variables.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return {"environment": digits} if named else {}

    def redact(self, text: str) -> str:
        """The text with every value shown by its name."""
        forms = [(form, f"${{{name}}}") for name, value in self._values.items() for form in _forms(value)]
        # The longest first: an address goes as a whole before the password in it does.
        for form, replacement in sorted([*forms, *self._also.items()], key=lambda pair: -len(pair[0])):
            if len(form) >= SHORTEST:
                text = text.replace(form, replacement)
        return text

    def redact_cut(self, text: str) -> str:
        """The same of a text that was shortened: a value whose end is missing goes too, where half of it is there."""
        text = self.redact(text)
        for name, value in self._values.items():
            for form in _forms(value):
                for end in range(len(form) - 1, max(len(form) // 2, SHORTEST), -1):
                    if form[:end] in text:
                        text = text.replace(form[:end], f"${{{name}}}")
                        break
        return text

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self._values)})"


def _forms(value: str) -> set[str]:
    """A value as it stands in a text, in an address, and in JSON and a list of Python."""
    written = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
    return {value, quote(value, safe=""), quote(value), quote_plus(value), *written}


def _names(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from SECRET.findall(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _names(name)
            yield from _names(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _names(inner)
