"""One exchange with a model's server: a request, a deadline for all of it, and the body or the reason for none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankproof.stages._llm_answer import NoAnswer, read_answer

if TYPE_CHECKING:
    import httpx

    from rankproof.stages._llm_answer import Answer

_LARGEST = 8_000_000  # bytes; no answer to a rerank is near it


@dataclass(frozen=True, slots=True)
class Trouble:
    """No answer this time. `again` says whether asking again may help, `wait` how many seconds the server wants."""

    kind: str
    message: str
    again: bool
    wait: float | None = None
    wrong_door: bool = False  # the address, the key or the model is wrong, or nobody is there


async def exchange(client: httpx.AsyncClient, url: str, body: dict[str, Any], seconds: float) -> Answer | Trouble:
    """Asks once. The deadline holds for the whole exchange, however slowly the bytes drip."""
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
    # Half a body is often a proxy's doing: worth another try.
    return Trouble(answer.kind, answer.message, again=True) if isinstance(answer, NoAnswer) else answer


def _refusal(response: httpx.Response, data: bytes) -> Trouble:
    status = response.status_code
    said = " ".join(data[:2000].decode("utf-8", "replace").split())[:160]
    message = f"the server said {status} {response.reason_phrase}" + (f": {said}" if said else "")
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
