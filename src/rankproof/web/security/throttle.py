"""Throttle: whoever guesses passwords waits longer each time, by account and by address."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from threading import Lock

from rankproof.web.problems import Problem


@dataclass(frozen=True, slots=True)
class Patience:
    """Tries that are free, and the longest wait in seconds. The first wait is a second; each is twice the last."""

    free: int
    longest: float


# Many people may share an address. Nobody can lock somebody else's account for longer than a minute.
ACCOUNT = Patience(free=5, longest=60)
ADDRESS = Patience(free=30, longest=900)
# Tries are forgotten after this many seconds without one.
FORGOTTEN = 3600.0
# Keys that are remembered; the oldest go first.
MOST = 10_000


@dataclass(slots=True)
class _Tries:
    count: int
    until: float
    last: float


class Throttle:
    """Counts tries that have not succeeded. A try counts before it is checked, so that many at once count too."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: OrderedDict[str, _Tries] = OrderedDict()
        self._lock = Lock()

    def enter(self, account: str, address: str) -> None:
        """Counts a try; an error with the seconds to wait when it comes too early."""
        now, who, where = self._clock(), f"account {account}", f"address {network(address)}"
        with self._lock:
            wait = max(self._wait(who, now), self._wait(where, now))
            if wait <= 0:
                self._count(who, ACCOUNT, now)
                self._count(where, ADDRESS, now)
                return
        seconds = max(1, round(wait + 0.5))
        raise Problem(
            429, "Too many tries to sign in.", f"Try again in {seconds} seconds.", {"Retry-After": str(seconds)}
        )

    def succeed(self, account: str, address: str) -> None:
        """Forgets the tries of the account, and takes the one that succeeded back from the address."""
        with self._lock:
            self._tries.pop(f"account {account}", None)
            tries = self._tries.get(f"address {network(address)}")
            if tries is not None:
                tries.count, tries.until = tries.count - 1, 0.0

    def _wait(self, key: str, now: float) -> float:
        tries = self._tries.get(key)
        if tries is not None and now - tries.last > FORGOTTEN:
            del self._tries[key]
            tries = None
        return 0.0 if tries is None else tries.until - now

    def _count(self, key: str, patience: Patience, now: float) -> None:
        tries = self._tries.setdefault(key, _Tries(0, 0.0, now))
        self._tries.move_to_end(key)
        tries.count, tries.last = tries.count + 1, now
        beyond = tries.count - patience.free
        if beyond >= 0:
            tries.until = now + min(2.0 ** min(beyond, 30), patience.longest)
        while len(self._tries) > MOST:
            self._tries.popitem(last=False)


def network(address: str) -> str:
    """What counts as one address: of IPv6 the first half, since whoever has one address has all that begin so."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address
