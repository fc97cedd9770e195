"""A store of the first version: who could do something everywhere can do it in every project that there is."""

from __future__ import annotations

import json

from sqlalchemy import NullPool, create_engine, text

from rankproof.judging.records import Account
from rankproof.judging.store import open_store
from rankproof.judging.store.database import Database, read_address
from rankproof.judging.store.migrate import upgrade

NOW = "2031-05-04T03:02:01.000000Z"


def old_store(url: str) -> None:
    """Two projects, five accounts, a session and invitations, as the first version wrote them."""
    database = Database(read_address(url))
    with database.alone() as connection:
        upgrade(connection, "0001")
    database.close()
    engine = create_engine(read_address(url).url, poolclass=NullPool)
    with engine.begin() as connection:
        for slug in ("shop", "books"):
            connection.execute(text("INSERT INTO projects (slug, time) VALUES (:s, :t)"), {"s": slug, "t": NOW})
            levels = [{"grade": 0, "label": "n"}, {"grade": 1, "label": "y"}]
            scale, template = {"name": "b", "levels": levels}, {"texts": ["text"]}
            body = json.dumps({"slug": slug, "name": slug, "scale": scale, "template": template})
            connection.execute(
                text("INSERT INTO revisions (project, body, \"by\", time) VALUES (:s, :b, 'x', :t)"),
                {"s": slug, "b": body, "t": NOW},
            )
        people = (("ada", "admin", True), ("ann", "judge", True), ("bob", "judge", False), ("vic", "viewer", True))
        for name, role, active in people:
            connection.execute(
                text("INSERT INTO accounts (name, role, password, active, time) VALUES (:n, :r, 'hash', :a, :t)"),
                {"n": name, "r": role, "a": active, "t": NOW},
            )
        connection.execute(
            text("INSERT INTO sessions (token, account, csrf, expires, time) VALUES (:k, 'ann', 'c', :e, :t)"),
            {"k": "1" * 64, "e": "2131" + NOW[4:], "t": NOW},
        )
        for token, role in (("2" * 64, "judge"), ("3" * 64, "admin")):
            connection.execute(
                text("INSERT INTO invitations (token, role, \"by\", expires, time) VALUES (:k, :r, 'ada', :e, :t)"),
                {"k": token, "r": role, "e": "2131" + NOW[4:], "t": NOW},
            )


def test_roles_become_memberships_in_every_project(url: str) -> None:
    old_store(url)
    with open_store(url) as store:
        everywhere = {"shop", "books"}
        assert store.memberships.of("ann") == dict.fromkeys(everywhere, "judge")
        assert store.memberships.of("bob") == dict.fromkeys(everywhere, "judge")
        assert store.memberships.of("vic") == dict.fromkeys(everywhere, "viewer")
        assert store.memberships.of("ada") == {}
        accounts = {one.name: one for one in store.accounts.all()}
        assert accounts["ada"] == Account("ada", "admin")
        assert {accounts[name].role for name in ("ann", "bob", "vic")} == {"viewer"}
        assert not accounts["bob"].active
        assert not store.projects.get("shop").closed
        # Sessions go on, and links that were sent still open what they did.
        found = store.sessions.with_account("1" * 64)
        assert found is not None
        assert found.roles == dict.fromkeys(everywhere, "judge")
        store.invitations.use("2" * 64, "cyd", "hash")
        assert store.memberships.of("cyd") == dict.fromkeys(everywhere, "judge")
        assert store.invitations.use("3" * 64, "eve", "hash").role == "admin"
        assert store.memberships.of("eve") == {}
