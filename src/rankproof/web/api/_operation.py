"""Operation: one thing that the API does. Routes, validation and the OpenAPI document all come from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rankproof.records.account import Account, Role
from rankproof.records.project import Project
from rankproof.web.desk import Desk, desk, project_of
from rankproof.web.security.sessions import account_of

B = TypeVar("B")
Q = TypeVar("Q")
Method = Literal["GET", "POST", "PUT", "DELETE"]
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call(Generic[B, Q]):
    """A request that holds to its operation: body and query are valid, and the role was checked."""

    request: Request
    body: B
    query: Q

    @property
    def at(self) -> Desk:
        """The store and whatever else is at hand."""
        return desk(self.request)

    @property
    def me(self) -> Account:
        """Who asks."""
        return account_of(self.request)

    @property
    def project(self) -> Project:
        """The project that the address names."""
        return project_of(self.request)

    @property
    def slug(self) -> str:
        """Its name, whether or not it is there; the store refuses names that it does not know."""
        return str(self.request.path_params["slug"])


@dataclass(frozen=True, slots=True)
class Operation:
    """What is asked and what is answered.

    role     who may ask; None for anybody
    body     the type of the JSON that is sent; None for nothing
    query    the type of the query parameters
    replies  the type of the answer for each status of success; None for an answer without a body
    refusals statuses of refusals beside those that follow from the rest
    media    of the answer
    """

    method: Method
    path: str
    summary: str
    work: Callable[[Call[Any, Any]], Response]
    role: Role | None = "viewer"
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] | None = None
    replies: dict[int, type[msgspec.Struct] | None] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    media: str = JSON
    notes: str = ""

    @property
    def name(self) -> str:
        """How programs call it."""
        return self.work.__name__

    @property
    def statuses(self) -> tuple[int, ...]:
        """Every status of a refusal that it may answer with."""
        found = {400, 500, *self.refusals}
        if self.role is not None:
            found |= {401, 403}
        elif self.method != "GET":
            found.add(403)  # a page of another site
        if "{" in self.path:
            found.add(404)
        if self.body is not None:
            found |= {415, 422}
        if self.query is not None:
            found.add(422)
        if self.method != "GET":
            found.add(413)
        return tuple(sorted(found))


def reply(value: msgspec.Struct, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(value), status, media_type=JSON)
