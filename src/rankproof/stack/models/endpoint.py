"""An embeddings endpoint that speaks as OpenAI's does: POST {"model", "input": [texts]}, vectors in "data".

The key comes from an environment variable that the configuration names; it stands in no message.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted
from rankproof.stack.models.encoder import Vectors

BATCH: Final = 64
TRIES: Final = 4
LONGEST_WAIT: Final = 30.0


class EndpointEncoder:
    """`url` ends in /v1 or /embeddings; `key_env` names the environment variable with the key, where one is needed."""

    prompts: Mapping[str, str] = {"query": "", "document": ""}

    def __init__(
        self,
        url: str,
        model: str,
        key_env: str | None = None,
        timeout: float = 60.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"The embeddings endpoint must be an address such as http://host:8080/v1; got {url!r}.")
        if parts.username or parts.password:
            raise UsageError(
                "The embeddings endpoint must not hold a password. Name an environment variable in key_env."
            )
        path = parts.path.rstrip("/")
        path = path if path.endswith("/embeddings") else f"{path}/embeddings"
        self._url, self._model = urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")), model
        self._timeout, self._wait = timeout, wait
        self._key = "" if key_env is None else os.environ.get(key_env, "")
        if key_env is not None and not self._key:
            raise UsageError(
                f"{self._url} needs the environment variable {key_env}, which is not set. Set it and try again."
            )
        library("httpx", "An embeddings endpoint")

    @property
    def identity(self) -> str:
        """The address and the name: what the server does behind them it does not say."""
        return f"endpoint {self._url} model {self._model}"

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, asked for in batches."""
        parts = [self._batch(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        if len({part.shape[1] for part in parts}) > 1:
            raise InputError(f"{self._url} gave vectors of different lengths for one model.")
        return np.concatenate(parts) if parts else np.empty((0, 0), np.float32)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """UsageError: an endpoint gives none."""
        raise UsageError(f"{self._url} gives one vector for a text and none for its tokens. Name a local model.")

    @cached_property
    def _client(self) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return library("httpx", "An embeddings endpoint").Client(headers=headers, timeout=self._timeout)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        # An empty text is refused by many servers; a blank one means the same.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]  # no lone surrogates
        body = {"model": self._model, "input": [text or " " for text in clean]}
        httpx = library("httpx", "An embeddings endpoint")
        for attempt in range(1, TRIES + 1):
            pause = 0.5 * 2 ** (attempt - 1)
            try:
                answer = self._client.post(self._url, json=body)
            except httpx.RequestError as error:
                why = f"no answer ({type(error).__name__})"
            else:
                if answer.status_code == 200:
                    return self._read(answer, len(texts))
                why = f"status {answer.status_code}: {self._hide(answer.text)[:200]}"
                if answer.status_code != 429 and answer.status_code < 500:
                    break
                retry_after = answer.headers.get("retry-after", "")
                pause = max(pause, float(retry_after)) if retry_after.isdecimal() else pause
            if attempt < TRIES:
                self._wait(min(pause, LONGEST_WAIT))
        tries = "1 try" if attempt == 1 else f"{attempt} tries"
        raise InputError(f"{self._url} gave no vectors after {tries}: {why}. What was encoded before is kept.")

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    def _read(self, answer: Any, count: int) -> Vectors:
        """The vectors, by their index; anything else than one finite vector for each text is an error."""
        try:
            rows = sorted(answer.json()["data"], key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
            right = [row["index"] for row in rows] == list(range(count))
        except (ValueError, KeyError, TypeError, OverflowError):
            right, vectors = False, np.empty(0, np.float32)
        if not right or vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise InputError(
                f"{self._url} must answer {counted(count, 'text')} with as many vectors of one length; it answered: "
                f"{self._hide(answer.text)[:120]}"
            )
        return vectors
