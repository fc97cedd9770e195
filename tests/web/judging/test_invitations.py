"""Invitations: to somebody by name, with a role, to a project; listed, taken back, used once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.applications import Starlette
from tests.web.judging.workbench import ORIGIN, Client, signed_in, stranger, token_in

from rankproof.judging.records import Project
from rankproof.judging.store.store import Store
from rankproof.web.security.accounts import invite, invite_first

PASSWORD = "my cat sleeps on maps"


def path(app: Starlette, person: str = "ann", role: Any = "judge", project: str | None = "shop") -> str:
    return invite(app.state.context, role, "ada", person, project).removeprefix(ORIGIN)


def accept(client: Client, at: str, **fields: str) -> Any:
    client.csrf = token_in(client.get("/sign-in").text)
    return client.submit(at, **{"name": "ann", "password": PASSWORD, **fields})


def test_it_is_for_the_one_it_names_and_opens_one_project(app: Starlette, shop: Store, nobody: Client) -> None:
    shop.projects.add(Project("books", "Books"), "setup")
    at = path(app)
    assert "ann is invited with the role judge to the project shop" in nobody.get(at).text
    # Whatever name is sent, the account is the one that was invited.
    assert accept(nobody, at, name="eve").status_code == 303
    assert [account.name for account in shop.accounts.all()] == ["ann"]
    assert shop.memberships.of("ann") == {"shop": "judge"}
    assert nobody.get("/p/shop/judge").status_code == 200
    assert nobody.get("/p/books/judge").status_code == 404
    assert stranger(app).get(at).status_code == 404


def test_who_is_there_already_joins_with_their_account(app: Starlette, shop: Store) -> None:
    shop.projects.add(Project("books", "Books"), "setup")
    ann = signed_in(app, "ann", "judge")
    shop.memberships.remove("ann", "books")
    at = path(app, "ann", "reviewer", "books")
    assert "Sign in as ann" in stranger(app).get(at).text
    assert "already" in accept(stranger(app), at).text  # nobody takes the name by the link
    eve = signed_in(app, "eve", "viewer")
    assert "Accept as" not in eve.get(at).text
    assert eve.submit(at, join="yes").status_code == 422  # it is not for eve
    assert shop.memberships.of("eve") == {"shop": "viewer", "books": "viewer"}
    assert "Accept as ann" in ann.get(at).text
    assert ann.submit(at, join="yes").headers["location"] == "/p/books"
    assert shop.memberships.of("ann") == {"shop": "judge", "books": "reviewer"}
    assert ann.submit(at, join="yes").status_code == 404


def test_open_ones_are_listed_and_taken_back(app: Starlette, shop: Store, admin: Client) -> None:
    shop.projects.add(Project("books", "Books"), "setup")
    at = path(app)
    boss = signed_in(app, "bob", "viewer")
    shop.memberships.put("bob", "books", "admin", "setup")
    page = admin.get("/p/shop/people").text
    (handle,) = re.findall(r'name="handle" value="([0-9a-f]{16})"', page)
    assert "ann: judge in shop, by ada" in page
    assert "ann: judge" not in boss.get("/p/books/people").text
    for wrong in ("", "0" * 16, "%" * 16, handle[:8]):
        assert admin.submit("/p/shop/people/revoke", handle=wrong).status_code == 422
    assert boss.submit("/p/books/people/revoke", handle=handle).status_code == 422  # of another project
    assert stranger(app).get(at).status_code == 200
    assert admin.submit("/p/shop/people/revoke", handle=handle).status_code == 303
    assert stranger(app).get(at).status_code == 404
    assert accept(stranger(app), at).status_code == 404
    assert "ann: judge" not in admin.get("/people").text


def test_an_admin_of_a_project_rules_it_and_nothing_else(app: Starlette, shop: Store) -> None:
    boss = signed_in(app, "bob", "viewer")
    shop.memberships.put("bob", "shop", "admin", "setup")
    made = boss.submit("/p/shop/people/invite", person="Ann@Example.org", role="admin")
    assert made.status_code == 201
    link = re.search(rf'value="{ORIGIN}(/invitation/[^"]+)"', made.text)
    assert link is not None
    client = stranger(app)
    assert accept(client, link[1]).status_code == 303
    assert shop.accounts.get("ann@example.org").role == "viewer"
    assert client.get("/p/shop/settings").status_code == 200
    for page in ("/people", "/people/audit"):
        assert client.get(page).status_code == 403
    assert client.submit("/projects", slug="mine", scale="graded").status_code == 403
    assert boss.submit("/p/shop/people/role", name="bob", role="judge").status_code == 409
    assert boss.submit("/p/shop/people/remove", name="nobody").status_code == 422
    assert boss.submit("/p/shop/people/remove", name="ann@example.org").status_code == 303
    assert client.get("/p/shop/settings").status_code == 404
    for person in ("", "Ann Lovelace", "<b>"):
        assert boss.submit("/p/shop/people/invite", person=person, role="judge").status_code == 422
    assert boss.submit("/p/shop/people/invite", person="x", role="king").status_code == 422


def test_of_many_servers_that_start_at_once_one_invites_the_first_admin(app: Starlette, shop: Store) -> None:
    context = app.state.context
    with ThreadPoolExecutor(8) as pool:
        links = [link for link in pool.map(lambda _: invite_first(context), range(8)) if link]
    assert len(links) == 1
    assert invite_first(context) == ""
    client = stranger(app)
    assert accept(client, links[0].removeprefix(ORIGIN), name="ada").status_code == 303
    assert shop.accounts.get("ada").role == "admin"
    assert invite_first(context) == ""
