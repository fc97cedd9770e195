"""Every role at every door: a table of pages and operations, each cell tried against the application.

A door that has no row fails, and so does a row without a door: who adds a page says here who may use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from tests.web.judging.workbench import SLUG, Client, fill, signed_in, stranger

from rankproof.judging.records import Project
from rankproof.judging.store import open_store
from rankproof.web.app import make_app

# Who may: anybody, whoever has an account, a role in the project and those above it, or admins of the server. A star:
# it shows what others judged, and takes a reviewer until the round is closed.
Row = Literal["anybody", "account", "viewer", "viewer*", "judge", "reviewer", "admin", "server"]
WHO = ("anonymous", "outsider", "viewer", "judge", "reviewer", "admin", "server")
ROWS: dict[str, Row] = {
    "GET /static/{name}": "anybody",
    "GET /api/openapi.json": "anybody",
    "GET /api/docs": "anybody",
    "GET /sign-in": "anybody",
    "POST /sign-in": "anybody",
    "GET /invitation/{token}": "anybody",
    "POST /invitation/{token}": "anybody",
    "GET /password/{token}": "anybody",
    "POST /password/{token}": "anybody",
    "GET /sign-in/provider": "anybody",
    "GET /sign-in/callback": "anybody",
    "POST /api/v1/session": "anybody",
    "GET /": "account",
    "POST /sign-out": "account",
    "GET /account": "account",
    "POST /account/password": "account",
    "POST /account/sessions": "account",
    "GET /api/v1/session": "account",
    "DELETE /api/v1/session": "account",
    "GET /api/v1/projects": "account",
    "POST /projects": "server",
    "POST /api/v1/projects": "server",
    "GET /people": "server",
    "POST /people/invite": "server",
    "POST /people/revoke": "server",
    "POST /people/role": "server",
    "POST /people/active": "server",
    "POST /people/sessions": "server",
    "POST /people/password": "server",
    "GET /people/audit": "server",
    "GET /p/{slug}": "viewer",
    "GET /p/{slug}/compare": "viewer",
    "GET /api/v1/projects/{slug}": "viewer",
    "GET /api/v1/projects/{slug}/queries": "viewer",
    "GET /api/v1/projects/{slug}/documents": "viewer",
    "GET /api/v1/projects/{slug}/judgments": "viewer",
    "GET /api/v1/projects/{slug}/marks": "viewer",
    "GET /api/v1/projects/{slug}/preferences": "viewer",
    "GET /p/{slug}/compare/summary": "viewer*",
    "GET /p/{slug}/compare/export": "viewer*",
    "GET /p/{slug}/explore": "viewer*",
    "GET /p/{slug}/explore/queries": "viewer*",
    "GET /p/{slug}/explore/query": "viewer*",
    "GET /p/{slug}/explore/report": "viewer*",
    "GET /p/{slug}/transfer": "viewer*",
    "GET /p/{slug}/transfer/qrels": "viewer*",
    "GET /p/{slug}/transfer/acts": "viewer*",
    "GET /api/v1/projects/{slug}/qrels": "viewer*",
    "GET /api/v1/projects/{slug}/qrels.trec": "viewer*",
    "GET /api/v1/projects/{slug}/experiments": "viewer*",
    "GET /api/v1/projects/{slug}/experiments/{sha256}": "viewer*",
    "GET /p/{slug}/judge": "judge",
    "POST /p/{slug}/judge": "judge",
    "GET /p/{slug}/judge/items": "judge",
    "POST /p/{slug}/judge/undo": "judge",
    "POST /p/{slug}/judge/mark": "judge",
    "POST /p/{slug}/compare/prefer": "judge",
    "POST /p/{slug}/compare/mark": "judge",
    "POST /p/{slug}/compare/ask": "judge",
    "GET /api/v1/projects/{slug}/next": "judge",
    "POST /api/v1/projects/{slug}/judgments": "judge",
    "POST /api/v1/projects/{slug}/judgments/batch": "judge",
    "POST /api/v1/projects/{slug}/marks": "judge",
    "POST /api/v1/projects/{slug}/preferences": "judge",
    "GET /p/{slug}/settle": "reviewer",
    "POST /p/{slug}/settle": "reviewer",
    "POST /p/{slug}/settle/undo": "reviewer",
    "DELETE /api/v1/projects/{slug}/model-judging": "reviewer",
    "GET /api/v1/projects/{slug}/assignments": "reviewer",
    "GET /api/v1/projects/{slug}/inbox": "reviewer",
    "GET /api/v1/projects/{slug}/model-judging": "reviewer",
    "GET /api/v1/projects/{slug}/results": "reviewer",
    "GET /api/v1/projects/{slug}/round": "viewer",
    "GET /api/v1/projects/{slug}/steps": "reviewer",
    "GET /p/{slug}/inbox": "reviewer",
    "GET /p/{slug}/judge/recent": "judge",
    "GET /p/{slug}/project": "reviewer",
    "GET /p/{slug}/project/files": "reviewer",
    "GET /p/{slug}/project/hand-out": "reviewer",
    "GET /p/{slug}/project/models": "reviewer",
    "GET /p/{slug}/project/results": "reviewer",
    "GET /p/{slug}/project/results/report": "reviewer",
    "POST /api/v1/projects/{slug}/assignments": "reviewer",
    "POST /api/v1/projects/{slug}/files": "reviewer",
    "POST /api/v1/projects/{slug}/inbox": "reviewer",
    "POST /api/v1/projects/{slug}/model-judging": "reviewer",
    "POST /p/{slug}/inbox": "reviewer",
    "POST /p/{slug}/project/files": "reviewer",
    "POST /p/{slug}/project/hand-out": "reviewer",
    "POST /p/{slug}/project/models": "reviewer",
    "POST /p/{slug}/project/models/stop": "reviewer",
    "POST /p/{slug}/project/round": "reviewer",
    "POST /p/{slug}/project/take-back": "reviewer",
    "PUT /api/v1/projects/{slug}/round": "reviewer",
    "POST /p/{slug}/settle/gold": "admin",
    "POST /p/{slug}/explore": "admin",
    "POST /p/{slug}/transfer": "admin",
    "GET /p/{slug}/settings": "admin",
    "POST /p/{slug}/settings": "admin",
    "GET /p/{slug}/people": "admin",
    "POST /p/{slug}/people/invite": "admin",
    "POST /p/{slug}/people/revoke": "admin",
    "POST /p/{slug}/people/role": "admin",
    "POST /p/{slug}/people/remove": "admin",
    "PUT /api/v1/projects/{slug}": "admin",
    "POST /api/v1/projects/{slug}/queries": "admin",
    "POST /api/v1/projects/{slug}/documents": "admin",
    "POST /api/v1/projects/{slug}/experiments": "admin",
}


def doors(app: Starlette) -> Iterator[str]:
    """Every method and path that the application answers."""
    for route in app.routes:
        assert isinstance(route, Route), route
        for method in sorted((route.methods or set()) - {"HEAD"}):
            yield f"{method} {route.path}"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    with open_store(tmp_path_factory.mktemp("roles") / "judging.db") as store:
        fill(store)
        yield make_app(store)


@pytest.fixture
def people(app: Starlette) -> dict[str, Client]:
    """Somebody of each kind, with a new session. Nobody's role, nor whether the round is open, is what a test left."""
    store = app.state.context.store
    store.projects.change(Project(SLUG, "The shop"), "setup")
    app.state.context.projects.clear()
    made = {"anonymous": stranger(app)}
    for who in WHO[1:]:
        made[who] = signed_in(app, who, "admin" if who == "server" else "viewer")
        store.memberships.remove(who, SLUG)
        if who not in ("outsider", "server"):
            store.memberships.put(who, SLUG, who, "setup")  # type: ignore[arg-type]
    return made


def ask(client: Client, door: str, slug: str = SLUG) -> Any:
    """Asks with nothing in hand but what proves that no other site sends it."""
    method, _, path = door.partition(" ")
    path = path.replace("{slug}", slug).replace("{sha256}", "0" * 64).replace("{token}", "t" * 43)
    path = path.replace("{name}", "base.css")
    if path.startswith("/api/") and method != "GET":
        return client.act(path, {}, method)
    return client.submit(path) if method == "POST" else client.request(method, path)


def found(answer: Any) -> str:
    """What the door did: let in, asked to sign in, refused, or said that there is no such project."""
    asked = answer.request.method == "GET" and answer.headers.get("location", "").startswith("/sign-in")
    if answer.status_code == 401 or asked:
        return "sign in"
    if "you are not in it" in answer.text:
        assert answer.status_code == 404
        return "absent"
    if answer.status_code == 403:
        return "refused"
    assert answer.status_code < 500, answer.text
    return "in"


def expected(row: Row, who: str, door: str, closed: bool) -> set[str]:
    if row == "anybody" or (who == "server" and row != "anybody"):
        return {"in"}
    if who == "anonymous":
        # A form of a page without a token is refused before anybody looks who sends it.
        return {"sign in"} if door.startswith("GET") or "/api/" in door else {"refused", "sign in"}
    if row == "account":
        return {"in"}
    if row == "server":
        return {"refused"}
    if who == "outsider":
        return {"absent"}
    least = ("viewer" if closed else "reviewer") if row == "viewer*" else row
    return {"in"} if WHO.index(who) >= WHO.index(least) else {"refused"}


def test_every_door_has_a_row(app: Starlette) -> None:
    assert sorted(set(doors(app))) == sorted(ROWS)


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_each_role_at_each_door(app: Starlette, people: dict[str, Client], closed: bool) -> None:
    def settle_round() -> None:
        context.store.closings.add(SLUG, closed, "setup")
        context.projects.clear()

    context = app.state.context
    settle_round()
    wrong = []
    for door, row in ROWS.items():
        for who, client in people.items():
            if who == "anonymous" and row == "anybody":
                client.csrf = ""
            answer = ask(client, door)
            got = found(answer)
            if row == "anybody" and got == "sign in":
                got = "in"  # what was sent is no password, and the door is where one signs in
            if row == "anybody" and who == "anonymous" and door.startswith("POST") and "/api/" not in door:
                got = "in" if answer.status_code == 403 else got  # without the token of a form nobody is let in
            if got not in expected(row, who, door, closed):
                wrong.append((door, who, got, answer.status_code))
            if got == "in" and (door.startswith("PUT") or "/settings" in door):
                settle_round()
            if door in ("POST /sign-out", "DELETE /api/v1/session", "POST /account/sessions") and who != "anonymous":
                people[who] = signed_in(app, who, "viewer")  # the session is over
    assert wrong == []


@pytest.mark.parametrize("who", ["outsider", "viewer", "admin"])
def test_a_project_that_one_is_not_in_is_one_that_is_not_there(
    app: Starlette, people: dict[str, Client], who: str
) -> None:
    """Byte for byte, but for the name that was asked for: nobody finds out what projects there are."""
    store = app.state.context.store
    if "hidden-one" not in [project.slug for project in store.projects.all()]:
        store.projects.add(Project("hidden-one", "Of others"), "setup")
    client = people[who]
    for door in ROWS:
        if "{slug}" in door:
            there, absent = ask(client, door, "hidden-one"), ask(client, door, "absent-one")
            assert (there.status_code, absent.status_code) == (404, 404), door
            assert there.text.replace("hidden-one", "") == absent.text.replace("absent-one", ""), door
    assert "Of others" not in client.get("/").text
    assert "hidden-one" not in client.get("/api/v1/projects").text
    assert "Of others" in people["server"].get("/").text


def test_a_role_that_is_taken_away_is_gone_with_the_next_request(
    app: Starlette, people: dict[str, Client], tmp_path: Path
) -> None:
    reviewer, memberships = people["reviewer"], app.state.context.store.memberships
    assert reviewer.get("/p/shop/settle").status_code == 200
    memberships.put("reviewer", SLUG, "judge", "setup")
    assert reviewer.get("/p/shop/settle").status_code == 403
    memberships.remove("reviewer", SLUG)
    assert reviewer.get("/p/shop/judge").status_code == 404
