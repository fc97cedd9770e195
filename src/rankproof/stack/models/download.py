"""Download a file over HTTP: resumed where it was cut off, never larger than said, never led to another scheme.

What came stays in FILE beside FILE.json, which holds the address and the server's mark for the version (ETag). A later
call asks for the rest, and begins again where the server has another version by then.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from io import FileIO
from typing import IO, Final
from urllib.parse import urlsplit

from rankproof.errors import InputError, UsageError
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.progress import Progress, silent

MOST_BYTES: Final = 4 << 30
TRIES: Final = 3
_BLOCK: Final = 1 << 16
# Slower than this for as long as the timeout, and a server counts as gone.
SLOWEST: Final = 1024  # bytes a second
_NO_NETWORK: Final = (
    "Check the address and the network. Without a network, take the files from where there is one, and give them with "
    "--from FOLDER or --from FILE.jar"
)


def checked_url(url: str) -> str:
    """The address; UsageError where it is none of http or https, or holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"An address must begin with https:// or http:// and name a host; got {url!r}.")
    if parts.username or parts.password:
        raise UsageError("An address must not hold a name and a password: it would be written into the card.")
    return url


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows up to five redirects, from http or https to https, or from http to http; secrets stay at their host."""

    max_redirections = 5

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """The request for the new place."""
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if after.scheme not in ("https", before.scheme) or not after.hostname:
            raise InputError(
                f"{req.full_url} leads to {newurl}, which is refused: it is no https address. {_NO_NETWORK}."
            )
        made = super().redirect_request(req, fp, code, msg, headers, newurl)
        if made is not None and before.netloc != after.netloc:
            made.headers.pop("Authorization", None)
        return made

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> object:
        """As its base, which would answer an odd scheme with an error of its own."""
        target = headers.get("location") or headers.get("uri") or ""
        if urlsplit(target).scheme not in ("", "http", "https"):
            raise InputError(f"{req.full_url} leads to {target}, which is refused: it is no https address.")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _open(url: str, headers: Mapping[str, str], timeout: float) -> HTTPResponse:
    opener = urllib.request.build_opener(_Redirects)
    answer: HTTPResponse = opener.open(urllib.request.Request(url, headers=dict(headers)), timeout=timeout)
    return answer


def read_url(url: str, headers: Mapping[str, str], timeout: float, most: int = 16 << 20) -> bytes:
    """A small answer, whole."""
    try:
        with _open(checked_url(url), headers, timeout) as answer:
            data: bytes = answer.read(most + 1)
    except (OSError, HTTPException) as error:
        raise failed(url, error) from None
    if len(data) > most:
        raise InputError(f"{url} answered with more than {most:,} bytes, which is no list of files.")
    return data


def failed(url: str, error: Exception) -> InputError:
    """The error for an address that gave nothing."""
    if isinstance(error, urllib.error.HTTPError):
        why = f"status {error.code}"
        if error.code in (401, 403):
            return InputError(
                f"{url} cannot be had: {why}. It may need the permission of its owners: set HF_TOKEN for a hub."
            )
        if "infinite loop" in str(error.msg):
            why = "its redirects lead nowhere"
    else:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        why = str(reason) or type(error).__name__
    return InputError(f"{url} cannot be had: {why}. {_NO_NETWORK}.")


def download(
    url: str,
    file: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 30.0,
    most: int = MOST_BYTES,
    progress: Progress = silent,
) -> str:
    """The path of the whole file. InputError where it cannot be had; what came until then is kept for the next time."""
    checked_url(url)
    why: Exception = OSError("no answer")
    for attempt in range(TRIES):
        try:
            if _part(url, file, headers or {}, timeout, most, progress):
                return file
            why = OSError("the connection was cut off")
        except urllib.error.HTTPError as error:
            if error.code == 416:  # what is here is no beginning of what the server has
                _forget(file)
            elif error.code < 500 and error.code != 429:
                raise failed(url, error) from None
            why = error
        except (OSError, HTTPException) as error:
            why = error
        if attempt + 1 < TRIES:
            time.sleep(min(timeout, 0.2 * 2**attempt))
    there = os.path.getsize(file) if os.path.isfile(file) else 0
    message = f"{failed(url, why)} {there:,} bytes came and are kept: the same command goes on from there."
    raise InputError(message)


def _forget(file: str) -> None:
    for path in (file, f"{file}.json"):
        with suppress(FileNotFoundError):
            os.remove(path)


def _mark(url: str, file: str) -> str:
    """The server's mark of what is in the file; "" where it cannot go on."""
    try:
        with open(f"{file}.json", encoding="utf-8") as opened:
            kept = json.load(opened)
        return str(kept["mark"]) if kept["url"] == url and os.path.getsize(file) else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _part(url: str, file: str, headers: Mapping[str, str], timeout: float, most: int, progress: Progress) -> bool:
    """Gets what is missing; whether the file is whole."""
    mark = _mark(url, file)
    if not mark:
        _forget(file)
    have = os.path.getsize(file) if mark else 0
    more = {"Range": f"bytes={have}-", "If-Range": mark} if have else {}
    with _open(url, {**headers, **more, "Accept-Encoding": "identity"}, timeout) as answer:
        if have and not (
            answer.status == 206 and (answer.headers.get("Content-Range") or "").startswith(f"bytes {have}-")
        ):
            _forget(file)
            have = 0
            if answer.status == 206:
                return False  # another part than the one that was asked for
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length and length.isdecimal() else None
        _refuse_size(url, file, total, have, most)
        if not have:
            etag = answer.headers.get("ETag") or ""
            strong = "" if etag.startswith("W/") else etag
            body = json.dumps({"url": url, "mark": strong or answer.headers.get("Last-Modified") or ""})
            open(file, "wb").close()
            replace_file(f"{file}.json", [body.encode()])
        return _receive(answer, url, file, have, total, timeout, most, progress)


def _refuse_size(url: str, file: str, total: int | None, have: int, most: int) -> None:
    if total is not None and total > most:
        raise InputError(f"{url} has {total:,} bytes; at most {most:,} are fetched.")
    if total is not None:
        refuse_full(os.path.dirname(file), total - have)


def refuse_full(folder: str, wanted: int) -> None:
    """InputError where a folder's disk has no room for so many bytes."""
    import shutil

    free = shutil.disk_usage(folder).free
    if wanted > free:
        raise InputError(f"{folder} has room for {free:,} bytes; {wanted:,} are needed. Name another folder.")


def _receive(
    answer: HTTPResponse,
    url: str,
    file: str,
    have: int,
    total: int | None,
    timeout: float,
    most: int,
    progress: Progress,
) -> bool:
    began, at_start = time.monotonic(), have
    with open(file, "ab", buffering=0) as out:
        while True:
            try:
                block = answer.read1(_BLOCK)
            except IncompleteRead as error:
                _write(out, error.partial, file)
                return False
            if not block:
                break
            _write(out, block, file)
            have += len(block)
            if have > most:
                out.close()
                _forget(file)
                raise InputError(f"{url} has more than {most:,} bytes, which are the most that are fetched.")
            progress("models: bytes", have, total or have)
            now = time.monotonic()
            if now - began >= timeout:
                if have - at_start < SLOWEST * (now - began):
                    raise OSError(f"fewer than {SLOWEST:,} bytes a second came for {timeout:g} seconds")
                began, at_start = now, have
        os.fsync(out.fileno())
    return total is None or have == total


def _write(out: FileIO, data: bytes, file: str) -> None:
    """All of the bytes; a disk that takes no more is no fault of the network, and asking again does not help."""
    left = memoryview(data)
    while left:
        try:
            left = left[out.write(left) :]
        except OSError as error:
            raise InputError(
                f"{os.path.dirname(file)} cannot be written any further: {error.strerror or error}. Make room, or "
                f"name another folder with --folder; the {os.path.getsize(file):,} bytes that came are kept."
            ) from None
