"""Running an operation: role, kind of content, body and query are checked before its work begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_origin, get_type_hints

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from rankproof.web.api._operation import Call, Operation
from rankproof.web.problems import Problem
from rankproof.web.security.roles import Guarded, check_role, open_to_anybody


def endpoint(operation: Operation) -> Guarded:
    """The handler of an operation. Its work may wait for the store: it runs in a thread."""
    read_query = _query_reader(operation.query)
    decoder = None if operation.body is None else msgspec.json.Decoder(operation.body)

    async def handler(request: Request) -> Response:
        if operation.role is not None:
            check_role(request, operation.role)
        body = None if decoder is None else await _body(request, decoder)
        call: Call[Any, Any] = Call(request, body, read_query(request))
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


def _query_reader(wanted: type[msgspec.Struct] | None) -> Callable[[Request], Any]:
    if wanted is None:
        return lambda request: None
    many = {name for name, hint in get_type_hints(wanted).items() if get_origin(hint) is list}

    def read(request: Request) -> Any:
        given = request.query_params
        said = {name: given.getlist(name) if name in many else given[name] for name in given}
        try:
            return msgspec.convert(said, wanted, strict=False)
        except msgspec.ValidationError as error:
            raise Problem(422, f"In the address: {error}.", "See /api/docs for what fits.") from None

    return read
