"""Wire: one HTTP request, one JSON answer, and an AskFailed for every other outcome."""

from __future__ import annotations

import base64
import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from rankproof.kernel.libraries import library
from rankproof.kernel.secrets import Secrets
from rankproof.stack.engines._answer import unreadable
from rankproof.stack.engines.contract import TOO_MANY, AskFailed

# No ranking is larger; what is larger would fill the memory.
MOST_BYTES = 64 * 1024 * 1024
EXCERPT = 160
# Bytes that are no UTF-8 stand in a str as lone surrogates.
_LONE = re.compile(r"[\ud800-\udfff]")
NOT_ALLOWED: Final = "not allowed"


class Wire:
    """Connections to one server, for several threads."""

    def __init__(
        self, who: str, secrets: Secrets, headers: Mapping[str, str], auth: str | None = None, verify: bool = True
    ) -> None:
        self._httpx = library("httpx", f"The engine {who}")
        self._secrets = secrets
        own = {"accept": "application/json", "user-agent": "rankproof"}
        if auth is not None:
            word = base64.b64encode(secrets.expand(auth).encode()).decode()
            secrets.hide(word, "(hidden)")
            own["authorization"] = f"Basic {word}"
        own |= {name.lower(): secrets.expand(text) for name, text in headers.items()}
        # As many connections as there are threads: waiting for one would count as the server's time.
        limits = self._httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self._client = self._httpx.Client(headers=own, limits=limits, verify=verify)
        self._hides = _Hides(secrets)
        logging.getLogger("httpx").addFilter(self._hides)

    def close(self) -> None:
        """Gives connections back."""
        self._client.close()
        logging.getLogger("httpx").removeFilter(self._hides)

    def json(
        self,
        method: str,
        url: str,
        timeout: float,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """What the server answered; AskFailed for everything that is no JSON with a status of success."""
        self._secrets.hide_user(url)
        where = f"{method} {self._secrets.redact(url.partition('?')[0])}"
        try:
            status, reason, answer_headers, data = self._send(method, url, timeout, body, headers or {})
        except self._httpx.TimeoutException:
            raise self._failed("timeout", f"{where}: no answer within {timeout:g} seconds.", True) from None
        except self._httpx.ProtocolError as error:
            raise self._failed("connection lost", f"{where}: the connection broke off: {error}.", True) from None
        except self._httpx.TransportError as error:
            kind = "connection lost" if isinstance(error, self._httpx.ReadError) else "no connection"
            raise self._failed(kind, f"{where}: {error or 'the connection was reset'}.", True) from None
        except (self._httpx.InvalidURL, self._httpx.HTTPError, UnicodeError, ValueError) as error:
            raise self._failed("bad request", f"{where}: the request cannot be sent: {error}.", False) from None
        if not 200 <= status < 300:
            raise self._refusal(where, status, reason, answer_headers, data)
        return self._parsed(where, data)

    def _send(
        self, method: str, url: str, timeout: float, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, Mapping[str, str], bytes]:
        """Status, its words, headers and body. The timeout holds for the whole body, however slowly it drips."""
        deadline = time.monotonic() + timeout
        encoded = {name: text.encode("utf-8", "surrogateescape") for name, text in headers.items()}
        parts, size = [], 0
        with self._client.stream(method, url, content=body, headers=encoded, timeout=timeout) as response:
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if time.monotonic() > deadline:
                    raise self._httpx.ReadTimeout("the answer came too slowly")
                if size > MOST_BYTES:
                    raise unreadable(f"The answer is larger than {MOST_BYTES // 2**20} MiB. Ask for less of each hit.")
            return response.status_code, response.reason_phrase, response.headers, b"".join(parts)

    def _refusal(self, where: str, status: int, reason: str, headers: Mapping[str, str], data: bytes) -> AskFailed:
        status_line = f"{where} answered {status} {reason}".rstrip()
        if 300 <= status < 400:
            goal = headers.get("location", "another address")
            return self._failed(
                "redirected", f"{status_line}, to {goal}. Name that address in the configuration.", False
            )
        why = _why(data, self._secrets.redact)
        message = f"{status_line}: {why}" if why else f"{status_line}."
        if status == 429:
            return self._failed(TOO_MANY, message, True, retry_after(headers.get("retry-after")))
        if status >= 500 or status == 408:
            return self._failed("server error", message, True, retry_after(headers.get("retry-after")))
        return self._failed(NOT_ALLOWED if status in (401, 403) else "refused", message, False)

    def _parsed(self, where: str, data: bytes) -> Any:
        try:
            return json.loads(data)
        except json.JSONDecodeError as error:
            text = error.doc
            if not text.strip():
                raise self._failed("unreadable answer", f"{where} answered with nothing.", False) from None
            if text.lstrip().startswith("<"):
                message = f"{where} answered with a page and not with JSON: {_excerpt(text, self._secrets.redact)}"
                raise self._failed("unreadable answer", message, False) from None
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                message = f"{where}: the answer ends in the middle, after {len(data):,} bytes."
                raise self._failed("cut off", message, True) from None
            begins = _excerpt(text, self._secrets.redact)
            message = f"{where} answered with what is not JSON ({error.msg.lower()}): {begins}"
            raise self._failed("unreadable answer", message, False) from None
        except (
            ValueError,
            RecursionError,
        ) as error:  # bytes of another encoding, a number of 5,000 digits, 10,000 lists
            message = f"{where} answered with what cannot be read as JSON ({type(error).__name__})."
            raise self._failed("unreadable answer", message, False) from None

    def _failed(self, kind: str, message: str, again: bool, wait: float | None = None) -> AskFailed:
        return AskFailed(kind, self._secrets.redact(message), again, wait)


class _Hides(logging.Filter):
    """httpx notes every URL it asks; a secret in one is noted by its name."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets everything through, redacted."""
        record.msg, record.args = self._secrets.redact(record.getMessage()), ()
        return True


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for: a number, or a moment. None for what is neither.

    >>> retry_after("7"), retry_after("soon")
    (7.0, None)
    >>> retry_after("Wed, 21 Oct 2015 07:28:05 GMT", datetime(2015, 10, 21, 7, 28, tzinfo=UTC))
    5.0
    """
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - (now or datetime.now(UTC))).total_seconds(), 0.0)


@contextmanager
def redacting(secrets: Secrets) -> Iterator[None]:
    """Hides secrets in what is said against an answer: a server may have sent them back in it."""
    try:
        yield
    except AskFailed as failed:
        raise AskFailed(failed.kind, secrets.redact_cut(str(failed)), failed.again, failed.wait) from None


def sendable(text: str) -> str:
    """The text with the sign for what cannot be read in place of bytes that are no UTF-8: servers refuse those."""
    return _LONE.sub("\ufffd", text)


def _why(data: bytes, redact: Callable[[str], str]) -> str:
    """What an error answer says, as the servers that we know write it; else how it begins."""
    text = data[:65536].decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return _excerpt(text, redact)
    return said_against(document, redact) or _excerpt(text, redact)


def said_against(document: object, redact: Callable[[str], str]) -> str:
    """The reason that an answer of JSON gives for not being one; "" where it gives none."""
    if isinstance(document, dict) and isinstance(document.get("root"), dict):  # Vespa
        document = document["root"]
    error = document
    if isinstance(document, dict):
        error = document.get("error") or document.get("errors") or document
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict) and isinstance(error.get("status"), dict):  # Qdrant
        error = error["status"].get("error", error)
    if isinstance(error, dict):
        causes = error.get("root_cause")
        first = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], dict) else error
        for name in ("reason", "msg", "message", "detail", "title", "summary"):
            for place in (first, error):
                if isinstance(place.get(name), str):
                    return _excerpt(place[name], redact)
    return _excerpt(error, redact) if isinstance(error, str) else ""


def _excerpt(text: str, redact: Callable[[str], str]) -> str:
    """How the text begins. Secrets go first: of one that is cut in two, the first half would be shown."""
    line = " ".join(redact(text).split())
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT]}..."
