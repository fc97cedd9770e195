"""Accounts, invitations, sessions and the audit log."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import cast

import pytest
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.records import Account, Role
from rankproof.judging.store.store import Store

LATER, EARLIER = "2131-01-01T00:00:00.000000Z", "2001-01-01T00:00:00.000000Z"


def test_accounts(store: Store) -> None:
    assert store.accounts.add("ann", "admin", "hash of ann") == Account("ann", "admin")
    store.accounts.add("bob", "judge", "hash of bob")
    assert store.accounts.get("bob") == Account("bob", "judge")
    assert store.accounts.password("bob") == "hash of bob"
    assert store.accounts.password("cy") is None
    store.accounts.change_role("bob", "viewer")
    store.accounts.deactivate("bob")
    assert store.accounts.all() == [Account("ann", "admin"), Account("bob", "viewer", active=False)]
    store.accounts.activate("bob")
    store.accounts.change_password("bob", "another")
    assert store.accounts.password("bob") == "another"
    assert store.accounts.get("bob").active
    with raises(UsageError, "account", "'ann'"):
        store.accounts.add("ann", "viewer", "x")
    with raises(UnknownName, "account", "'anna'", "'ann'"):
        store.accounts.get("anna")
    with raises(UnknownName, "role", "'owner'", "admin", "judge", "viewer"):
        store.accounts.add("cy", cast("Role", "owner"), "x")


@pytest.mark.parametrize("name", ["", " ", " ann", "ann ", "a\nb", "a\u202eb", "a\x00"])
def test_a_name_can_be_seen(store: Store, name: str) -> None:
    with raises(UsageError, "account", repr(name)):
        store.accounts.add(name, "judge", "x")


def test_an_invitation_makes_one_account(store: Store) -> None:
    store.invitations.add("1" * 64, "judge", "ann", LATER)
    found = store.invitations.get("1" * 64)
    assert found is not None
    assert (found.role, found.by, found.expires, found.used_by) == ("judge", "ann", LATER, None)
    assert store.invitations.use("1" * 64, "bob", "hash") == Account("bob", "viewer")
    assert store.memberships.of("bob") == {"shop": "judge"}
    assert store.accounts.password("bob") == "hash"
    assert [one.used_by for one in store.invitations.all()] == ["bob"]
    with raises(UsageError, "invitation"):
        store.invitations.use("1" * 64, "cy", "hash")
    assert store.invitations.get("2" * 64) is None
    with raises(UsageError, "invitation"):
        store.invitations.use("2" * 64, "cy", "hash")


def test_a_name_that_is_taken_leaves_the_invitation_open(store: Store) -> None:
    store.accounts.add("bob", "viewer", "his own")
    store.invitations.add("1" * 64, "admin", "ann", LATER)
    with raises(UsageError, "account", "'bob'"):
        store.invitations.use("1" * 64, "bob", "hash")
    assert store.accounts.password("bob") == "his own"
    assert store.accounts.get("bob").role == "viewer"
    assert store.invitations.use("1" * 64, "cy", "hash").role == "admin"


def test_an_invitation_expires(store: Store) -> None:
    store.invitations.add("1" * 64, "judge", "ann", EARLIER)
    store.invitations.add("2" * 64, "judge", "ann", LATER)
    with raises(UsageError, "invitation"):
        store.invitations.use("1" * 64, "bob", "hash")
    with raises(UsageError, "invitation"):
        store.invitations.use("2" * 64, "bob", "hash", at="2131-01-01T00:00:01Z")


def test_of_many_who_use_an_invitation_at_once_one_gets_it(store: Store) -> None:
    store.invitations.add("1" * 64, "judge", "ann", LATER)
    start, made, refused = Barrier(8), [], []

    def use(number: int) -> None:
        start.wait()
        try:
            made.append(store.invitations.use("1" * 64, f"judge{number}", "hash").name)
        except UsageError as error:
            refused.append(str(error))

    threads = [Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(made) == 1
    assert len(refused) == 7
    assert [account.name for account in store.accounts.all()] == made


def test_sessions(store: Store) -> None:
    store.accounts.add("ann", "judge", "hash")
    for token, expires in (("1" * 64, LATER), ("2" * 64, LATER), ("3" * 64, EARLIER)):
        store.sessions.add(token, "ann", "csrf" + token[0], expires)
    found = store.sessions.find("1" * 64)
    assert found is not None
    assert (found.account, found.csrf, found.expires) == ("ann", "csrf1", LATER)
    assert store.sessions.find("9" * 64) is None
    store.sessions.end("1" * 64)
    assert store.sessions.find("1" * 64) is None
    assert store.sessions.sweep("2031-01-01T00:00:00Z") == 1
    store.accounts.deactivate("ann")
    assert store.sessions.find("2" * 64) is None
    store.sessions.add("4" * 64, "ann", "c", LATER)
    store.accounts.change_password("ann", "another")
    assert store.sessions.find("4" * 64) is None
    store.sessions.add("5" * 64, "ann", "c", LATER)
    store.sessions.end_all("ann")
    assert store.sessions.find("5" * 64) is None


def test_the_audit_log_grows_and_is_read_backward(store: Store) -> None:
    for i in range(5):
        store.audit.add("ann", "change", {"number": i})
    store.audit.add("", "sign-in refused")
    entries = store.audit.all()
    assert [(entry.account, entry.action) for entry in entries[:2]] == [("", "sign-in refused"), ("ann", "change")]
    page = store.audit.all(newest=2, before=entries[1].id)
    assert [entry.detail["number"] for entry in page] == [3, 2]
