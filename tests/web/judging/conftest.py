"""What the tests of the workbench share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, fill, signed_in, stranger

from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store
from rankproof.web.app import make_app


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with its tables and nothing in them: copying is quicker than making them."""
    path = tmp_path_factory.mktemp("empty") / "judging.db"
    open_store(path).close()
    return path


@pytest.fixture
def store(empty: Path, tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    shutil.copy(empty, tmp_path / "judging.db")
    with open_store(tmp_path / "judging.db") as opened:
        yield opened


@pytest.fixture
def shop(store: Store) -> Store:
    """A store with the project `shop`; see workbench.fill."""
    fill(store)
    return store


@pytest.fixture
def app(shop: Store) -> Starlette:
    return make_app(shop)


@pytest.fixture
def admin(app: Starlette) -> Client:
    return signed_in(app, "ada", "admin")


@pytest.fixture
def reviewer(app: Starlette) -> Client:
    return signed_in(app, "rita", "reviewer")


@pytest.fixture
def judge(app: Starlette) -> Client:
    return signed_in(app, "judy", "judge")


@pytest.fixture
def viewer(app: Starlette) -> Client:
    return signed_in(app, "vic", "viewer")


@pytest.fixture
def nobody(app: Starlette) -> Client:
    return stranger(app)
