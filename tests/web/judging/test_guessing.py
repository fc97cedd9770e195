"""Guessing passwords: each wrong try makes the next wait longer, by account and by address."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette
from tests.web.judging.workbench import stranger

from rankproof.web.problems import Problem
from rankproof.web.security.credentials import Passwords
from rankproof.web.security.throttle import ACCOUNT, ADDRESS, MOST, Throttle


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def waits(throttle: Throttle, account: str, address: str) -> int:
    """Seconds to wait; 0 where the try is let through."""
    try:
        throttle.enter(account, address)
    except Problem as problem:
        return int(problem.headers["Retry-After"])
    return 0


def test_the_wait_doubles_and_ends_at_a_minute_for_an_account() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    assert [waits(throttle, "ann", f"10.0.0.{i}") for i in range(ACCOUNT.free)] == [0] * ACCOUNT.free
    assert waits(throttle, "ann", "10.0.1.1") > 0  # from wherever
    assert waits(throttle, "bob", "10.0.1.1") == 0  # others are not touched
    seen = []
    for _ in range(9):
        clock.now += 1000
        assert waits(throttle, "ann", "10.0.2.1") == 0
        seen.append(waits(throttle, "ann", "10.0.2.2"))
    # The sixth try is followed by 2 seconds, then 4, 8, 16, 32, and 60 at most; told rounded up.
    assert seen == [pytest.approx(wait, abs=1) for wait in (2, 4, 8, 16, 32, 60, 60, 60, 60)]


def test_an_address_waits_whatever_names_it_tries() -> None:
    throttle = Throttle(Clock())
    assert [waits(throttle, f"name{i}", "10.0.0.1") for i in range(ADDRESS.free)] == [0] * ADDRESS.free
    assert waits(throttle, "another", "10.0.0.1") > 0
    assert waits(throttle, "another", "10.0.0.2") == 0


def test_one_who_has_many_addresses_of_ipv6_has_one_count() -> None:
    throttle = Throttle(Clock())
    for i in range(ADDRESS.free):
        throttle.enter(f"name{i}", f"2001:db8:1:2::{i:x}")
    assert waits(throttle, "another", "2001:db8:1:2:ffff::1") > 0
    assert waits(throttle, "another", "2001:db8:1:3::1") == 0
    assert waits(throttle, "another", "no address") == 0


def test_success_frees_the_account_but_not_what_the_address_did_before() -> None:
    throttle = Throttle(Clock())
    for i in range(ADDRESS.free - 1):
        throttle.enter(f"name{i}", "10.0.0.1")
    throttle.enter("mine", "10.0.0.1")
    throttle.succeed("mine", "10.0.0.1")
    assert waits(throttle, "other", "10.0.0.1") == 0
    assert waits(throttle, "other", "10.0.0.1") > 0


def test_many_tries_at_once_count_too() -> None:
    throttle = Throttle(Clock())
    with ThreadPoolExecutor(20) as pool:
        let = list(pool.map(lambda i: waits(throttle, "ann", f"10.0.0.{i}") == 0, range(60)))
    assert sum(let) == ACCOUNT.free


def test_what_is_remembered_is_bounded_and_forgotten() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for i in range(MOST):
        throttle.enter(f"name{i}", f"10.{i // 65536}.{i // 256 % 256}.{i % 256}")
    assert len(throttle._tries) == MOST
    for _ in range(ACCOUNT.free):
        throttle.enter("ann", "10.9.9.9")
    clock.now = 4000
    assert waits(throttle, "ann", "10.9.9.9") == 0


def test_the_api_and_the_page_share_one_count(app: Starlette) -> None:
    app.state.context.throttle._clock = Clock()  # checking a password may take longer than the first wait
    client = stranger(app)
    sent = {"name": "ada", "password": "wrong wrong wrong"}
    answers = [client.post("/api/v1/session", json=sent) for _ in range(ACCOUNT.free + 1)]
    assert [answer.status_code for answer in answers] == [401] * ACCOUNT.free + [429]
    refused = answers[-1]
    assert refused.json()["error"]["type"] == "too_many_tries"
    assert int(refused.headers["retry-after"]) >= 1
    from tests.web.judging.test_sign_in import sign_in

    assert sign_in(stranger(app), "ada", "wrong wrong wrong").status_code == 429
    log = [entry for entry in app.state.context.store.audit.all() if entry.action == "sign-in refused"]
    assert len(log) == ACCOUNT.free
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
