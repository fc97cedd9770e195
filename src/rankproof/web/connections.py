"""Connections that never ask: whoever opens one has to send a request soon, and too many of them keep nobody out.

Without this a thousand connections that send half a request hold every file that the process may open, and nobody
else is answered. A request has seconds to arrive, a body has to keep coming, and where there are very many connections
the oldest that waits for a request goes, of the address that has the most of them.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections import Counter

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rankproof.kernel.system import raise_open_files
from rankproof.web.security.throttle import network

MOST = 10_000


def raise_limit() -> int:
    """Lets the process open as many files as it may; how many connections that is, with room for the store."""
    files = raise_open_files(65_536)
    return MOST if files is None else max(32, min(MOST, files // 2))


class ImpatientProtocol(HttpToolsProtocol):
    """A connection of uvicorn's that ends when no request comes.

    patience   seconds that the head of a request may take, and between looks at a body
    slowest    bytes of a body that have to come in that time
    most       connections of a process; more of them push out those that wait
    """

    patience = 10.0
    slowest = 8192
    most = MOST

    waiting = True  # for a request
    in_body = False
    got = 0
    since = 0.0
    _look: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Gives it its time, and makes room where there are too many."""
        super().connection_made(transport)
        self._wait()
        while len(self.connections) > self.most and self._push_out():
            pass

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Counts what comes."""
        self.got += len(data)
        if self.waiting and self._look is None:  # another request of a connection that is kept
            self._wait()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """The head is there; a body has to keep coming."""
        self.in_body, self.got = True, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is there: from now on it is the server that is slow."""
        self.waiting = self.in_body = False
        self._stop()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Another one may come; until then it is uvicorn's time for keeping a connection that counts."""
        self.waiting, self.since = True, self.loop.time()
        super().on_response_complete()

    def _wait(self) -> None:
        self.waiting, self.since = True, self.loop.time()
        self._look = self.loop.call_later(self.patience, self._check)

    def _stop(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None

    def _check(self) -> None:
        if self.in_body and self.got >= self.slowest:
            self.got = 0
            self._look = self.loop.call_later(self.patience, self._check)
            return
        self._look = None
        self._end()

    def _end(self) -> None:
        """Ends it at once: who does not send does not read either."""
        self.connections.discard(self)
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.abort()

    def _push_out(self) -> bool:
        """Ends the connection that has waited longest, of the address with the most; False where none waits."""
        waiting = [
            one for one in self.connections if isinstance(one, ImpatientProtocol) and one.waiting and one is not self
        ]
        if not waiting:
            return False
        places = [network(one.client[0]) if one.client else "" for one in waiting]
        heaviest = Counter(places).most_common(1)[0][0]
        min((one for one, place in zip(waiting, places, strict=True) if place == heaviest), key=_age)._end()
        return True


def _age(connection: ImpatientProtocol) -> float:
    return connection.since
