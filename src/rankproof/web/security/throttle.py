"""Throttle: whoever guesses passwords waits longer each time.

Counted are the tries for an account from one address, so that who hammers at an account locks out themselves and not
its owner elsewhere; the tries from one address, whatever names they try; and the tries for an account from everywhere,
for those who have many addresses. The last count does not hold up an address where the account is signed in. The counts
are in the store: several servers of one store share them, and a restart forgets none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address, ip_network

from rankproof.judging.store.sessions import CountedTries
from rankproof.judging.store.store import Store
from rankproof.judging.store.values import now as moment_now
from rankproof.web.problems import Problem


@dataclass(frozen=True, slots=True)
class Patience:
    """Tries that are free, and the longest wait in seconds. The first wait is a second; each is twice the last."""

    free: int
    longest: float


# Many people may share an address, and one who mistypes should be in after a coffee at the latest.
HERE = Patience(free=5, longest=900)
ADDRESS = Patience(free=30, longest=900)
# From everywhere: nobody can lock somebody else's account for longer than a minute.
ANYWHERE = Patience(free=50, longest=60)
# Tries are forgotten after this many seconds without one.
FORGOTTEN = 3600.0
_NOTHING = CountedTries(0, 0.0, 0.0)


class Throttle:
    """Counts tries that have not succeeded. A try counts before it is checked, so that many at once count too."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._swept = 0.0

    def enter(self, account: str, address: str) -> None:
        """Counts a try; an error with the seconds to wait when it comes too early."""
        now = self._clock()
        keys = self._keys(account, address)

        def count(before: dict[str, CountedTries]) -> tuple[dict[str, CountedTries], float]:
            before = {key: one for key, one in before.items() if now - one.last <= FORGOTTEN}
            wait = max(before.get(key, _NOTHING).until - now for key in keys)
            if wait > 0:
                return before, wait
            after = {key: _counted(before.get(key, _NOTHING), patience, now) for key, patience in keys.items()}
            return {**before, **after}, 0.0

        self._sweep(now)
        wait = self._store.tries.change(list(keys), count)
        if wait > 0:
            seconds = max(1, round(wait + 0.5))
            raise Problem(
                429, "Too many tries to sign in.", f"Try again in {seconds} seconds.", {"Retry-After": str(seconds)}
            )

    def succeed(self, account: str, address: str) -> None:
        """Forgets the tries for the account from here, and takes the one that succeeded back from the other counts."""
        where, everywhere = _key("address", network(address)), _key("account", account)
        here = _key("here", account, network(address))

        def forget(before: dict[str, CountedTries]) -> tuple[dict[str, CountedTries], None]:
            after = {
                key: CountedTries(one.count - 1, 0.0 if key == where else one.until, one.last)
                for key, one in before.items()
                if key != here and one.count > 1
            }
            return after, None

        self._store.tries.change([here, where, everywhere], forget)

    def _keys(self, account: str, address: str) -> Mapping[str, Patience]:
        place = network(address)
        keys = {_key("here", account, place): HERE, _key("address", place): ADDRESS}
        known = {network(one.address) for one in self._store.sessions.all(account, moment_now())}
        if place not in known:
            keys[_key("account", account)] = ANYWHERE
        return keys

    def _sweep(self, now: float) -> None:
        if now - self._swept > FORGOTTEN:
            self._swept = now
            self._store.tries.sweep(now - FORGOTTEN)


def _counted(before: CountedTries, patience: Patience, now: float) -> CountedTries:
    count = before.count + 1
    beyond = count - patience.free
    until = now + min(2.0 ** min(beyond, 30), patience.longest) if beyond >= 0 else before.until
    return CountedTries(count, until, now)


def _key(*parts: str) -> str:
    """What is counted under: hashed, since names and addresses that were tried are nobody's business."""
    text = "".join(f"{len(part)} {part}\n" for part in parts)
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def network(address: str) -> str:
    """What counts as one address: of IPv6 the first half, since whoever has one address has all that begin so."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address
