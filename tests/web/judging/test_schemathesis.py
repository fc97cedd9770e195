"""The API against its own OpenAPI document: whatever is sent, no fault, and no answer that is not documented."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.live.postgres import running
from tests.web.judging.workbench import ORIGIN, SLUG, fill

from rankproof.judging.records import Account
from rankproof.judging.store import open_store
from rankproof.web.api._openapi import document
from rankproof.web.api._operations import ROOT, Operation, operations
from rankproof.web.app import make_app
from rankproof.web.security.sessions import open_session
from rankproof.web.security.throttle import Throttle

HOST = ORIGIN.removeprefix("http://")
schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")


class NeverWaits(Throttle):
    """So that guesses reach what is behind."""

    def enter(self, account: str, address: str) -> None:
        """Nobody waits."""


Api = tuple[Any, Callable[[], str]]


@contextmanager
def bound(url: str) -> Iterator[Api]:
    """The schema bound to a workbench with the project `shop`, and what opens a session of an admin."""
    with open_store(url) as store:
        fill(store)
        app = make_app(store)
        context = app.state.context
        object.__setattr__(context, "throttle", NeverWaits(store))
        store.accounts.add("ada", "admin", "no password")
        told = copy.deepcopy(document())
        for methods in told["paths"].values():
            for operation in methods.values():
                operation["security"] = []  # the token is sent below: cases without it would only try the door
        schema = schemathesis.openapi.from_dict(told)
        schema.app = app
        yield schema, lambda: open_session(context, Account("ada", "admin")).token


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with bound(str(tmp_path_factory.mktemp("api") / "judging.db")) as found:
        yield found


postgres_dsn = pytest.fixture(scope="module")(running)


@pytest.fixture(scope="module")
def on_postgres(postgres_dsn: str) -> Iterator[Api]:
    with bound(postgres_dsn) as found:
        yield found


def tried(api: Api, operation: Operation, examples: int, invalid: bool) -> None:
    """Sends cases of an operation as an admin, half of them about the project that is there, and checks the answers."""
    from schemathesis.checks import (
        content_type_conformance,
        negative_data_rejection,
        not_a_server_error,
        response_schema_conformance,
        status_code_conformance,
    )

    schema, sign_in = api
    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    mode = schemathesis.GenerationMode.NEGATIVE if invalid else schemathesis.GenerationMode.POSITIVE
    if invalid:
        checks.append(negative_data_rejection)
    token = sign_in()
    seen = 0

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=schema[ROOT + operation.path][operation.method].as_strategy(generation_mode=mode))
    def cases(case: Any) -> None:
        nonlocal token, seen
        seen += 1
        if not invalid and seen % 2 and "slug" in (case.path_parameters or {}):
            case.path_parameters["slug"] = SLUG
        case.call_and_validate(headers={"Authorization": f"Bearer {token}", "Host": HOST}, checks=checks)
        if operation.name == "sign_out":
            token = sign_in()

    cases()
    assert seen


@pytest.mark.slow
@pytest.mark.parametrize("operation", operations(), ids=lambda one: one.name)
def test_what_the_document_allows_is_answered_as_it_says(api: Api, operation: Operation) -> None:
    tried(api, operation, 5, invalid=False)


NEGATABLE = [one for one in operations() if one.body or one.query]


@pytest.mark.slow
@pytest.mark.parametrize("operation", NEGATABLE, ids=lambda one: one.name)
def test_what_the_document_forbids_is_refused(api: Api, operation: Operation) -> None:
    tried(api, operation, 5, invalid=True)


@pytest.mark.full
@pytest.mark.parametrize("place", ["api", "on_postgres"])
@pytest.mark.parametrize("invalid", [False, True])
@pytest.mark.parametrize("operation", NEGATABLE, ids=lambda one: one.name)
def test_the_same_with_many_cases_in_both_databases(
    request: pytest.FixtureRequest, operation: Operation, invalid: bool, place: str
) -> None:
    tried(request.getfixturevalue(place), operation, 60, invalid)
