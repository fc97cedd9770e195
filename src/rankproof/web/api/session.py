"""Sessions: a name and a password for a token."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.judging.records import Role
from rankproof.web.api._operations import ApiRequest, Operation, reply
from rankproof.web.security.accounts import address_of, check_password
from rankproof.web.security.sessions import end_session, open_session, signed_in


class Credentials(msgspec.Struct, forbid_unknown_fields=True):
    """Who signs in."""

    name: Annotated[str, Meta(max_length=200, pattern="^[^\\u0000]*$")]
    password: Annotated[str, Meta(max_length=200)]


class Person(msgspec.Struct):
    """An account and what it may do."""

    name: str
    role: Role


class ApiSession(msgspec.Struct):
    """A session. Send its token with every request: `Authorization: Bearer TOKEN`."""

    token: str
    expires: str
    account: Person


def sign_in(call: ApiRequest[Credentials, None]) -> Response:
    """Opens a session; too many wrong tries have to wait."""
    account = check_password(call.context, call.body.name, call.body.password, address_of(call.request))
    opened = open_session(call.context, account, request=call.request)
    return reply(ApiSession(opened.token, opened.expires, Person(account.name, account.role)), 201)


def who_am_i(call: ApiRequest[None, None]) -> Response:
    """The account of the token."""
    return reply(Person(call.me.name, call.me.role))


def sign_out(call: ApiRequest[None, None]) -> Response:
    """Ends the session: its token opens nothing any more."""
    who = signed_in(call.request.scope)
    assert who is not None
    end_session(call.context, who)
    call.context.audit(call.me.name, "sign-out")
    return Response(status_code=204)


OPERATIONS = (
    Operation(
        "POST",
        "/session",
        "Sign in",
        sign_in,
        role=None,
        body=Credentials,
        replies={201: ApiSession},
        refusals=(401, 429),
    ),
    Operation("GET", "/session", "Who am I", who_am_i, replies={200: Person}),
    Operation("DELETE", "/session", "Sign out", sign_out, replies={204: None}),
)
