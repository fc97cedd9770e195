"""Operations of the API: their contract, how a request is checked and run, and all of them found by their files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Generic, Literal, TypeVar, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankproof.errors import InputError
from rankproof.judging.records import Account, Project, Role
from rankproof.web import api
from rankproof.web.context import AppContext, app_context, project_of
from rankproof.web.problems import Problem, understood
from rankproof.web.security.roles import Guarded, check_role, open_to_anybody
from rankproof.web.security.sessions import account_of

T = TypeVar("T")
B = TypeVar("B")
Q = TypeVar("Q")
Method = Literal["GET", "POST", "PUT", "DELETE"]
JSON = "application/json"

# No text holds NUL: PostgreSQL keeps none.
_NO_NUL = "^[^\\u0000]*$"

Text = Annotated[str, Meta(pattern=_NO_NUL, max_length=100_000)]
Note = Annotated[str, Meta(pattern=_NO_NUL, max_length=10_000)]
Short = Annotated[str, Meta(pattern=_NO_NUL, max_length=200)]
# 250 characters are 1,000 bytes at most, which is what the indexes of both databases hold.
Id = Annotated[str, Meta(pattern=_NO_NUL, min_length=1, max_length=250)]
Key = Annotated[
    str,
    Meta(
        # Keys of 64 are those of imported acts, made of their content: who sends one could ask what others said.
        pattern="^[A-Za-z0-9_-]{8,63}$",
        description="Names the act. Make a new one for each: sent twice, it is one act.",
    ),
]
Withdrawn = Annotated[
    str, Meta(pattern="^([A-Za-z0-9_-]{8,64})?$", description="The key of an act of your own that this one takes back.")
]
Slug = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]+$", min_length=1, max_length=80)]


class Paged(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Which part of a list is wanted."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1, description="How many to leave out.")] = 0

    def part(self, items: Sequence[T]) -> Sequence[T]:
        """That part."""
        return items[self.offset : self.offset + self.limit]


class Saved(msgspec.Struct):
    """An act that is kept. `added` is false where it was there already."""

    key: str
    added: bool


class Added(msgspec.Struct):
    """How many were new, and how many were there already."""

    added: int
    there: int


def keeping(work: Callable[[], T]) -> T:
    """What `work` gives; 409 where the store already holds something else."""
    try:
        return work()
    except InputError as error:
        problem = understood(error)
        if problem is None:
            raise
        raise Problem(409, problem.message) from None


@dataclass(frozen=True, slots=True)
class ApiRequest(Generic[B, Q]):
    """A request that holds to its operation: body and query are valid, and the role was checked."""

    request: Request
    body: B
    query: Q

    @property
    def context(self) -> AppContext:
        """The store and whatever else is at hand."""
        return app_context(self.request)

    @property
    def me(self) -> Account:
        """Who asks, with the role in the project of the address where there is one."""
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
    others   it shows what others judged: see `security.roles.RoleGuard`
    body     the type of the JSON that is sent; None for nothing
    query    the type of the query parameters
    replies  the type of the answer for each status of success; None for an answer without a body
    refusals statuses of refusals beside those that follow from the rest
    media    of the answer
    """

    method: Method
    path: str
    summary: str
    work: Callable[[ApiRequest[Any, Any]], Response]
    role: Role | None = "viewer"
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] | None = None
    replies: dict[int, type[msgspec.Struct] | None] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    media: str = JSON
    others: bool = False

    @property
    def name(self) -> str:
        """How programs call it."""
        return self.work.__name__

    @property
    def statuses(self) -> tuple[int, ...]:
        """Every status of a refusal that it may answer with."""
        codes = {400, 500, *self.refusals}
        if self.role is not None:
            codes |= {401, 403}
        elif self.method != "GET":
            codes.add(403)  # a page of another site
        if "{" in self.path:
            codes.add(404)
        if self.body is not None:
            codes |= {415, 422}
        if self.query is not None:
            codes.add(422)
        if self.method != "GET":
            codes.add(413)
        return tuple(sorted(codes))


def reply(value: msgspec.Struct, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(value), status, media_type=JSON)


def endpoint(operation: Operation) -> Guarded:
    """The handler of an operation. Its work may wait for the store: it runs in a thread."""
    read_query = _query_reader(operation.query)
    decoder = None if operation.body is None else msgspec.json.Decoder(operation.body)

    async def handler(request: Request) -> Response:
        if operation.role is not None:
            if operation.others:
                await run_in_threadpool(check_role, request, operation.role, True)
            else:
                check_role(request, operation.role)
        body = None if decoder is None else await _body(request, decoder)
        call: ApiRequest[Any, Any] = ApiRequest(request, body, read_query(request))
        return await run_in_threadpool(operation.work, call)

    return open_to_anybody(handler)


async def _body(request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, f"The body is {kind[:60] or 'of no kind'}.", "Send application/json.")
    content = await request.body()
    try:
        return decoder.decode(content)
    except msgspec.ValidationError as error:
        raise Problem(422, f"{error}.", "See /api/docs for what fits.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(400, f"The body is not JSON: {error}.") from None


def _query_reader(kind: type[msgspec.Struct] | None) -> Callable[[Request], Any]:
    if kind is None:
        return lambda request: None
    many = {name for name, hint in get_type_hints(kind).items() if get_origin(hint) is list}

    def read(request: Request) -> Any:
        given = request.query_params
        parameters = {name: given.getlist(name) if name in many else given[name] for name in given}
        try:
            return msgspec.convert(parameters, kind, strict=False)
        except msgspec.ValidationError as error:
            raise Problem(422, f"In the address: {error}.", "See /api/docs for what fits.") from None

    return read


ROOT = "/api/v1"


@cache
def operations() -> tuple[Operation, ...]:
    """What the modules of this folder offer: signing in first, the rest by address."""
    files = sorted(file[:-3] for folder in api.__path__ for file in os.listdir(folder) if file.endswith(".py"))
    modules = [import_module(f"rankproof.web.api.{file}") for file in files if not file.startswith("_")]
    every = (operation for module in modules for operation in module.OPERATIONS)
    return tuple(sorted(every, key=lambda one: (one.path != "/session", one.path)))


def routes() -> list[Route]:
    """One route for each method and path."""
    return [Route(ROOT + one.path, endpoint(one), methods=[one.method], name=one.name) for one in operations()]
