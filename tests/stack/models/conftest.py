"""A folder for models, a model to fetch, and a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.stack.models import tiny
from tests.stack.models.fetched import PROMPTS, Server

from rankproof.stack.models.cards import FOLDER_VARIABLE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))  # no local repository of Maven
    for name in ("HF_ENDPOINT", "HF_TOKEN", "RANKPROOF_MAVEN_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return tiny.model(tmp_path / "made", prompts=PROMPTS)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()
