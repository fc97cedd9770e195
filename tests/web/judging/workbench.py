"""A workbench for tests: a store with a small project, clients that are signed in, and a server for a browser."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.testclient import TestClient

from rankproof.judging.records import Account, Project, Role
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web.app import make_app
from rankproof.web.context import AppContext
from rankproof.web.security.sessions import open_session
from rankproof.web.settings import ServeSettings

ORIGIN = "http://127.0.0.1:8080"
SLUG = "shop"


def fill(store: Store, slug: str = SLUG) -> Project:
    """A project with three queries, six documents and two runs of four."""
    project = Project(slug, "The shop", guidelines="Think of somebody who buys.\n\nBe strict.")
    store.projects.add(project, "setup")
    store.items.add_queries(slug, [Query("q1", "red shoes"), Query("q2", "rain coat"), Query("q/3", "shoe polish")])
    store.items.add_documents(
        slug, ((f"d{i}", {"title": f"Thing {i}", "text": f"This is the red thing number {i}."}) for i in range(1, 7))
    )
    queries = ("q1", "q2", "q/3")
    store.runs.add(slug, "bm25", {q: ["d1", "d2", "d3", "d4"] for q in queries}, "a" * 64)
    store.runs.add(slug, "dense", {q: ["d3", "d5", "d1", "d6"] for q in queries}, "b" * 64)
    return project


class Client(TestClient):
    """Somebody at a browser, without the browser. Forms that are posted carry the token of the session."""

    csrf = ""

    def submit(self, path: str, **fields: Any) -> Any:
        """Posts a form as the page would."""
        return self.post(path, data={"csrf": self.csrf, **fields})

    def act(self, path: str, body: Any, method: str = "POST") -> Any:
        """Sends JSON as a script of a page would."""
        return self.request(method, path, json=body, headers={"X-CSRF-Token": self.csrf})


def stranger(app: Starlette, **more: Any) -> Client:
    """Somebody who is not signed in."""
    return Client(app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False, **more)


def signed_in(app: Starlette, name: str, role: Role) -> Client:
    """Somebody with a session and an account, made where there is none: an admin of the server, or with the role in
    every project that there is."""
    context: AppContext = app.state.context
    if name not in [account.name for account in context.store.accounts.all()]:
        enlist(context.store, name, role)
    client = stranger(app)
    client.cookies.set(context.settings.cookie, open_session(context, Account(name, role)).token)
    client.csrf = token_in(client.get("/").text)
    return client


def enlist(store: Store, name: str, role: Role, password: str = "no password") -> None:
    """An account: an admin of the server, or with the role in every project that there is."""
    store.accounts.add(name, "admin" if role == "admin" else "viewer", password)
    for project in store.projects.all() if role != "admin" else []:
        store.memberships.put(name, project.slug, role, "setup")


def raw(
    app: Starlette, method: str, path: str, headers: Iterable[tuple[bytes, bytes]] = (), body: Iterable[bytes] = ()
) -> int:
    """The status of a request that no client would send: the path as it is, headers twice, a body without end."""
    pieces, sent = iter(body), []

    async def receive() -> dict[str, Any]:
        piece = next(pieces, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
             "headers": list(headers), "client": None, "root_path": "", "scheme": "http",
             "http_version": "1.1"}  # fmt: skip

    async def ask() -> None:
        await app(scope, receive, send)

    # In a thread of its own: a browser that is open has a loop in this one.
    with ThreadPoolExecutor(1) as own:
        own.submit(asyncio.run, ask()).result()
    return int(sent[0]["status"])


def token_in(page: str) -> str:
    """The token that the forms of a page carry."""
    found = re.search(r'<meta name="csrf" content="([^"]+)">', page)
    assert found is not None
    return found[1]


@contextmanager
def serving(store: Store, **settings: Any) -> Iterator[tuple[Starlette, str]]:
    """The workbench on a free port, for a browser; gives the application and its address."""
    config = uvicorn.Config("", host="127.0.0.1", port=0, log_level="warning", lifespan="off", server_header=False)
    bound = config.bind_socket()
    port = bound.getsockname()[1]
    app = make_app(store, ServeSettings(port=port, **settings))
    config.app = app
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield app, f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def session_cookie(app: Starlette, origin: str, name: str, role: Role) -> dict[str, Any]:
    """A cookie that signs a browser in: context.add_cookies([session_cookie(...)])."""
    client = signed_in(app, name, role)
    context: AppContext = app.state.context
    return {
        "name": context.settings.cookie,
        "value": client.cookies[context.settings.cookie],
        "url": origin,
        "httpOnly": True,
    }
