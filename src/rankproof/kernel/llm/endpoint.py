"""An OpenAI-compatible endpoint: bounded concurrency, pacing, deadlines, retries, and answers read strictly."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from rankproof.errors import UsageError
from rankproof.kernel.cache import Cache
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.libraries import missing
from rankproof.kernel.llm import local
from rankproof.kernel.llm.answer import NO_USAGE, ModelAnswer, NoAnswer, Usage, read_answer, stored_answer
from rankproof.kernel.llm.spending import answer_bound
from rankproof.kernel.pacing import Pace

if TYPE_CHECKING:
    import httpx

    from rankproof.kernel.llm.answer import ModelAnswer
    from rankproof.kernel.llm.spending import Spending


_LARGEST = 8_000_000  # bytes; no answer to a rerank is near it


@dataclass(frozen=True, slots=True)
class Trouble:
    """No answer this time. `again` says whether asking again may help, `wait` how many seconds the server wants."""

    kind: str
    message: str
    again: bool
    wait: float | None = None
    wrong_door: bool = False  # the address, the key or the model is wrong, or no server answers

    @property
    def unpaid(self) -> bool:
        """Whether the server turned it down before a model worked on it, so that nobody is billed for it."""
        return self.wrong_door or self.kind in ("too many requests", "server error", "refused")


# Called before each request goes out, with what became of the one before it (None for the first); False stops it.
Permit = Callable[[Trouble | None], Awaitable[bool]]
NOT_PERMITTED = NoAnswer("not asked", "the ceiling of requests or of cost is reached", unpaid=True)


async def exchange(
    client: httpx.AsyncClient, url: str, body: Mapping[str, object], seconds: float
) -> ModelAnswer | Trouble:
    """Sends one request. The deadline holds for the whole exchange, however slowly bytes arrive."""
    import httpx

    try:
        async with asyncio.timeout(seconds), client.stream("POST", url, json=body) as response:
            data = bytearray()
            async for chunk in response.aiter_bytes():
                data += chunk
                if len(data) > _LARGEST:
                    return Trouble("unreadable answer", f"more than {_LARGEST:,} bytes came", again=False)
    except (TimeoutError, httpx.TimeoutException):
        return Trouble("timeout", f"no whole answer within {seconds:g} s", again=True)
    except httpx.ConnectError as error:
        return Trouble("no connection", f"nobody answers at {url} ({error})", again=True, wrong_door=True)
    except (httpx.TransportError, httpx.DecodingError) as error:
        return Trouble("no connection", f"the connection broke: {error or type(error).__name__}", again=True)
    if response.status_code != 200:
        return _refusal(response, bytes(data))
    answer = read_answer(bytes(data))
    # A proxy often causes half a body: a retry may help.
    return Trouble(answer.kind, answer.message, again=True) if isinstance(answer, NoAnswer) else answer


def _refusal(response: httpx.Response, data: bytes) -> Trouble:
    status = response.status_code
    body = " ".join(data[:2000].decode("utf-8", "replace").split())[:160]
    message = f"the server said {status} {response.reason_phrase}" + (f": {body}" if body else "")
    if status == 429:
        return Trouble("too many requests", message, again=True, wait=_seconds(response.headers.get("retry-after")))
    if status >= 500:
        return Trouble("server error", message, again=True, wait=_seconds(response.headers.get("retry-after")))
    return Trouble("refused", message, again=False, wrong_door=status in (401, 403, 404, 405) or 300 <= status < 400)


def _seconds(header: str | None) -> float | None:
    try:
        return max(float(header or ""), 0.0)
    except ValueError:
        return None


T = TypeVar("T")

_GIVES_UP_AFTER = 10  # failures in a row after which the server is assumed to be down
_LONGEST_PAUSE = 30.0


class ModelSurroundings(Protocol):
    """What a model's requests need around them: a cache of answers, and the folder that relative paths start from."""

    @property
    def cache(self) -> Cache:
        """Answers by key."""

    @property
    def folder(self) -> str:
        """Where relative paths start."""


class Endpoint:
    """A model behind an address. `who` is the stage that uses it, for messages.

    rate      requests in a second at most; None for no limit
    more      fields of every request that are set otherwise, or left out where they are None
    spelled   how the caller writes an option, for messages
    extra     the extra of rankproof that the caller belongs to
    spending  counts every request of a run, and stops those that would pass its ceiling
    """

    def __init__(
        self,
        who: str,
        values: Mapping[str, Any],
        ground: ModelSurroundings,
        *,
        rate: float | None = None,
        more: Mapping[str, object] | None = None,
        spelled: Callable[[str], str] = "{} = ...".format,
        extra: str = "stack",
        spending: Spending | None = None,
    ) -> None:
        if find_spec("httpx") is None:  # refused before anything runs
            raise missing("httpx", who, extra)
        self._who, self._values, self._cache = who, values, ground.cache
        self._more, self._spelled, self._pace, self._spending = more or {}, spelled, Pace(rate), spending
        self._weights: str | None = None
        self._key = _key(who, values["key_env"])
        model, address = values["model"], values["endpoint"].rstrip("/")
        if address == "local":
            self._weights = local.weights(None if model is None else os.path.join(ground.folder, model))
            self.identity = {"endpoint": "local", **local.identity(self._weights)}
        else:
            _refuse_address(who, address, spelled)
            if model is None:
                raise UsageError(f"{who}: the endpoint {address} needs a model. Name it: {spelled('model')}")
            self.identity = {"endpoint": address, "model": model}
        self._address = address
        self._turns = asyncio.Semaphore(values["concurrency"])
        self._client: httpx.AsyncClient | None = None
        self._answered, self._in_vain = False, 0
        self.usage = NO_USAGE  # what was asked since somebody set it back
        self._refusal: UsageError | None = None

    def together(self, questions: Sequence[Coroutine[object, None, T]]) -> list[T]:
        """Runs them concurrently on a separate thread: a notebook may already have an event loop here."""
        self._refusal = None
        return _wait(_all(questions))

    def prepare(self) -> None:
        """Starts the local server, so that its start is no part of an answer's time."""
        if self._weights is not None:
            _wait(self._open())

    def close(self) -> None:
        """Closes connections, and ends the local server when nothing else uses it. A later request opens it again."""
        client, self._client = self._client, None
        if client is not None:
            _wait(client.aclose())
        if self._weights is not None:
            local.release(self._weights, self)

    async def ask(
        self,
        system: str,
        user: str,
        most: int,
        tops: int = 0,
        seed: int | None = None,
        permit: Permit | None = None,
    ) -> ModelAnswer | NoAnswer:
        """The model's answer in at most `most` tokens, with the `tops` likeliest first tokens.

        Another `seed` than that of the values makes another question with its own cache entry. `permit` may stop every
        single request.
        """
        answer = await self._answer(system, user, most, tops, seed, permit)
        self.usage += Usage.of(answer)
        return answer

    async def _answer(
        self, system: str, user: str, most: int, tops: int, seed: int | None, permit: Permit | None
    ) -> ModelAnswer | NoAnswer:
        body = self._body(system, user, most, tops, self._values["seed"] if seed is None else seed)
        key = "llm 1 " + sha256(to_json({"identity": self.identity, "body": body}).encode()).hexdigest()
        stored = stored_answer(self._cache.get(key))
        if stored is not None:
            return stored
        async with self._turns:
            if self._refusal is not None:  # another request was refused while this one waited
                raise self._refusal
            if self._in_vain >= _GIVES_UP_AFTER:
                gone = f"no answer to the last {self._in_vain} questions: the server seems gone"
                return NoAnswer("not asked", gone, unpaid=True)
            answer = await self._persist(body, permit)
        if isinstance(answer, NoAnswer) and answer.kind == NOT_PERMITTED.kind:
            return answer
        if isinstance(answer, NoAnswer):
            self._in_vain += 1
        else:
            self._answered, self._in_vain = True, 0
            answer = replace(answer, text=self._hide(answer.text))
            self._cache.put(key, answer.to_bytes())
        return answer

    async def _persist(self, body: Mapping[str, object], permit: Permit | None) -> ModelAnswer | NoAnswer:
        """Retries until there is an answer, a retry cannot help, or the attempts are used up."""
        path = "/chat/completions" if self._values["api"] == "chat" else "/completions"
        tries = self._values["retries"] + 1
        last: Trouble | None = None
        asked = 0
        for attempt in range(tries):
            if permit is not None and not await permit(last):
                break
            if self._spending is None:
                result = await self._send(path, body)
            elif (paid := await self._send_within(self._spending, path, body)) is not None:
                result = paid
            else:
                return NoAnswer(NOT_PERMITTED.kind, self._spending.why, unpaid=True)
            asked += 1
            if isinstance(result, ModelAnswer):
                return result
            last = result
            if not result.again or attempt + 1 == tries:
                break
            if result.wait is not None:
                self._pace.hold(min(result.wait, _LONGEST_PAUSE))  # the refusal holds for all requests
            pause = 0.25 * 2 ** min(attempt, 20) if result.wait is None else result.wait
            await asyncio.sleep(min(pause, _LONGEST_PAUSE))
        if last is None:
            return NOT_PERMITTED
        if last.wrong_door and not self._answered:
            self._refusal = self._wrong_door(last)
            raise self._refusal
        times = "" if asked == 1 else f" (asked {asked} times)"
        return NoAnswer(last.kind, f"{self._hide(last.message)}{times}", last.unpaid)

    async def _send(self, path: str, body: Mapping[str, object]) -> ModelAnswer | Trouble:
        """One request."""
        url, client = await self._open()
        while (seconds := self._pace.reserve()) > 0:
            await asyncio.sleep(seconds)
        return await exchange(client, url + path, body, self._values["timeout"])

    async def _send_within(
        self, spending: Spending, path: str, body: Mapping[str, object]
    ) -> ModelAnswer | Trouble | None:
        """One request within the ceiling; None where it would pass it."""
        model, size = self.identity["endpoint"], len(to_json(body).encode("utf-8", "replace"))
        model = model if model == "local" else self._values["model"]
        admitted = await spending.admit(model, size, answer_bound(body) or 0)
        if admitted is None:
            return None
        result: ModelAnswer | Trouble | None = None
        try:
            result = await self._send(path, body)
        finally:
            answer = result if isinstance(result, ModelAnswer) else None
            await spending.settle(model, admitted, answer, isinstance(result, Trouble) and result.unpaid)
        return result

    async def _open(self) -> tuple[str, httpx.AsyncClient]:
        """The address and a client; a local server that has ended is started again."""
        import httpx

        url = self._address
        if self._weights is not None:
            local.hold(self._weights, self)
            url = await asyncio.to_thread(local.address, self._weights) + "/v1"
        if self._client is None:
            key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            # No proxy stands between this machine and itself.
            self._client = httpx.AsyncClient(headers=key, timeout=None, trust_env=self._weights is None)
        return url, self._client

    def _body(self, system: str, user: str, most: int, tops: int, seed: int) -> dict[str, object]:
        body = {**self._usual(system, user, most, tops, seed), **self._more}
        return {name: value for name, value in body.items() if value is not None or name not in self._more}

    def _usual(self, system: str, user: str, most: int, tops: int, seed: int) -> dict[str, object]:
        body: dict[str, object] = {"max_tokens": most, "temperature": self._values["temperature"], "seed": seed}
        if self._weights is None:
            body["model"] = self._values["model"]
        else:
            body["cache_prompt"] = False  # a reused prefix changes the last digits: answers would depend on the order
        if self._values["api"] == "chat":
            before = [{"role": "system", "content": system}] if system else []
            body["messages"] = [*before, {"role": "user", "content": user}]
            return body | ({"logprobs": True, "top_logprobs": tops} if tops else {})
        body["prompt"] = "\n\n".join([*([system] if system else []), user, "Answer:"])
        return body | ({"logprobs": tops} if tops else {})

    def _wrong_door(self, last: Trouble) -> UsageError:
        key = f" If it wants a key, name the variable that has it: {self._spelled('key_env')}"
        key = "" if self._values["key_env"] else key
        return UsageError(f"{self._who}: {self._hide(last.message)}. Check endpoint and model.{key}")

    def _hide(self, message: str) -> str:
        """Removes the key from a message: servers may repeat a key that they refuse."""
        return message.replace(self._key, "***") if self._key else message


def _refuse_address(who: str, address: str, spelled: Callable[[str], str]) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f'{who}: endpoint must be "local" or an address such as http://host:8080/v1; got {address!r}.')
    if parts.username or parts.password:
        raise UsageError(
            f"{who}: the endpoint must not hold a password. Name the variable that has it: {spelled('key_env')}"
        )


def _key(who: str, variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise UsageError(f"{who}: the environment variable {variable} is not set. Put the server's key into it.")
    return key


async def _all(questions: Sequence[Coroutine[object, None, T]]) -> list[T]:
    tasks = [asyncio.ensure_future(question) for question in questions]
    try:
        return [await task for task in tasks]
    finally:
        for task in tasks:
            task.cancel()


def _wait(work: Coroutine[object, None, T]) -> T:
    """The result, computed on the thread of the loop; an interrupt here cancels the work there."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="rankproof-llm", daemon=True).start()
    return loop
