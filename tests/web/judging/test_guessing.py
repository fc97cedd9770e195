"""Guessing passwords: each wrong try makes the next wait longer, for an account from an address and for the address."""

from __future__ import annotations

import sqlite3
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette
from tests.web.judging.workbench import enlist, stranger

from rankproof.judging.store.store import Store
from rankproof.web.problems import Problem
from rankproof.web.security.credentials import Passwords
from rankproof.web.security.throttle import ADDRESS, ANYWHERE, HERE, Throttle


class Clock:
    now = 1.0

    def __call__(self) -> float:
        return self.now


def waits(throttle: Throttle, account: str, address: str) -> int:
    """Seconds to wait; 0 where the try is let through."""
    try:
        throttle.enter(account, address)
    except Problem as problem:
        return int(problem.headers["Retry-After"])
    return 0


def test_the_wait_doubles_up_to_a_cap(store: Store) -> None:
    clock = Clock()
    throttle = Throttle(store, clock)
    assert [waits(throttle, "ann", "10.0.0.1") for _ in range(HERE.free)] == [0] * HERE.free
    assert waits(throttle, "ann", "10.0.0.1") > 0
    assert waits(throttle, "bob", "10.0.0.1") == 0  # others are not touched
    seen = []
    for _ in range(12):
        clock.now += 1000
        assert waits(throttle, "ann", "10.0.0.1") == 0
        seen.append(waits(throttle, "ann", "10.0.0.1"))
    # The sixth try is followed by 2 seconds, then 4, 8, 16, ..., and 900 at most; told rounded up.
    assert seen == [pytest.approx(min(2.0**n, 900), abs=1) for n in range(1, 13)]


def test_who_hammers_from_one_address_locks_nobody_out_elsewhere(store: Store) -> None:
    throttle = Throttle(store, Clock())
    while waits(throttle, "ann", "10.0.0.1") == 0:
        pass
    assert [waits(throttle, "ann", "10.0.0.2") for _ in range(HERE.free)] == [0] * HERE.free


def test_many_addresses_together_hold_an_account_up_for_a_minute_at_most(store: Store) -> None:
    clock = Clock()
    throttle = Throttle(store, clock)
    let = sum(waits(throttle, "ann", f"10.0.{i // 256}.{i % 256}") == 0 for i in range(200))
    assert let == ANYWHERE.free
    for i in range(20):
        clock.now += ANYWHERE.longest + 1
        assert waits(throttle, "ann", f"10.1.0.{i}") == 0
        assert waits(throttle, "ann", "10.1.1.1") <= ANYWHERE.longest + 1
    # Where ann is signed in already she is not held up.
    enlist(store, "ann", "judge")
    store.sessions.add("5" * 64, "ann", "c", "2131-01-01T00:00:00Z", "10.2.0.1")
    assert waits(throttle, "ann", "10.2.0.2") > 0
    assert waits(throttle, "ann", "10.2.0.1") == 0


def test_an_address_waits_whatever_names_it_tries(store: Store) -> None:
    throttle = Throttle(store, Clock())
    assert [waits(throttle, f"name{i}", "10.0.0.1") for i in range(ADDRESS.free)] == [0] * ADDRESS.free
    assert waits(throttle, "another", "10.0.0.1") > 0
    assert waits(throttle, "another", "10.0.0.2") == 0


def test_one_who_has_many_addresses_of_ipv6_has_one_count(store: Store) -> None:
    throttle = Throttle(store, Clock())
    for i in range(ADDRESS.free):
        throttle.enter(f"name{i}", f"2001:db8:1:2::{i:x}")
    assert waits(throttle, "another", "2001:db8:1:2:ffff::1") > 0
    assert waits(throttle, "another", "2001:db8:1:3::1") == 0
    assert waits(throttle, "another", "no address") == 0


def test_success_frees_the_account_but_not_what_the_address_did_before(store: Store) -> None:
    throttle = Throttle(store, Clock())
    for i in range(ADDRESS.free - 1):
        throttle.enter(f"name{i}", "10.0.0.1")
    throttle.enter("mine", "10.0.0.1")
    throttle.succeed("mine", "10.0.0.1")
    assert waits(throttle, "other", "10.0.0.1") == 0
    assert waits(throttle, "other", "10.0.0.1") > 0


def test_many_tries_at_once_count_too(store: Store) -> None:
    throttle = Throttle(store, Clock())
    with ThreadPoolExecutor(20) as pool:
        let = list(pool.map(lambda _: waits(throttle, "ann", "10.0.0.1") == 0, range(60)))
    assert sum(let) == HERE.free


def test_two_servers_of_a_store_share_the_counts_and_a_restart_forgets_none(store: Store) -> None:
    clock = Clock()
    one, other = Throttle(store, clock), Throttle(store, clock)
    let = sum(waits(throttle, "ann", "10.0.0.1") == 0 for _ in range(5) for throttle in (one, other))
    assert let == HERE.free
    assert waits(Throttle(store, clock), "ann", "10.0.0.1") > 0


def test_tries_are_forgotten_and_cleared_away(store: Store) -> None:
    clock = Clock()
    throttle = Throttle(store, clock)
    while waits(throttle, "ann", "10.0.0.1") == 0:
        pass
    clock.now = 4000
    assert waits(throttle, "ann", "10.0.0.1") == 0
    clock.now = 8000
    throttle.enter("bob", "10.9.9.9")
    with sqlite3.connect(store.address) as connection:
        assert connection.execute("SELECT count(*) FROM tries").fetchone() == (3,)


def test_the_api_and_the_page_share_one_count(app: Starlette) -> None:
    app.state.context.throttle._clock = Clock()  # checking a password may take longer than the first wait
    client = stranger(app)
    sent = {"name": "ada", "password": "wrong wrong wrong"}
    answers = [client.post("/api/v1/session", json=sent) for _ in range(HERE.free + 1)]
    assert [answer.status_code for answer in answers] == [401] * HERE.free + [429]
    refused = answers[-1]
    assert refused.json()["error"]["type"] == "too_many_tries"
    assert int(refused.headers["retry-after"]) >= 1
    from tests.web.judging.test_sign_in import sign_in

    assert sign_in(stranger(app), "ada", "wrong wrong wrong").status_code == 429
    log = [entry for entry in app.state.context.store.audit.all() if entry.action == "sign-in refused"]
    assert len(log) == HERE.free
    assert log[0].detail["name"] == "ada"


def test_a_name_that_nobody_has_takes_as_long() -> None:
    """The hash of nobody's password has the same cost: both are checked in full, and the medians are alike."""
    passwords = Passwords(PasswordHasher(time_cost=2, memory_cost=4096, parallelism=1))
    kept = passwords.hash("the right sentence")
    taken: dict[str | None, list[float]] = {kept: [], None: []}
    for _ in range(25):
        for hash_of, times in taken.items():
            began = time.process_time()
            assert not passwords.matches(hash_of, "a wrong sentence")
            times.append(time.process_time() - began)
    known, unknown = (statistics.median(times) for times in taken.values())
    assert known / unknown == pytest.approx(1, abs=0.5)
    assert passwords.matches(kept, "the right sentence")
    assert not passwords.matches(None, "nobody has this password")
