"""Preferences: which of several rankings of a query somebody prefers."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.errors import UsageError
from rankproof.judging import records as judging
from rankproof.web.api._operations import (
    ApiRequest,
    Id,
    Key,
    Note,
    Operation,
    Paged,
    Saved,
    Short,
    Withdrawn,
    keeping,
    reply,
)
from rankproof.web.problems import Problem
from rankproof.web.security.independence import refuse_closed, seen_judge


class NewPreference(msgspec.Struct, forbid_unknown_fields=True):
    """The variants in the order of their sides, and the preferred one; null where they are equally good."""

    key: Key
    query_id: Id
    variants: Annotated[list[Short], Meta(min_length=2, max_length=4)]
    preferred: Short | None
    blind: bool = False
    note: Note = ""
    withdraws: Withdrawn = ""


class ApiPreference(NewPreference, kw_only=True):
    """A preference and whose it is."""

    judge: str
    time: str


class ApiPreferences(msgspec.Struct):
    """A part of the preferences, and how many there are."""

    preferences: list[ApiPreference]
    total: int


class PreferenceFilter(Paged, kw_only=True):
    """Which preferences."""

    judge: Short | None = None
    query_id: Id | None = None


def list_preferences(call: ApiRequest[None, PreferenceFilter]) -> Response:
    """The preferences that hold now, in the order given. Until the round is closed judges see their own."""
    query, judge = call.query, seen_judge(call.request, call.query.judge)
    preferences = call.context.store.preferences.current(call.slug, judge=judge, query_id=query.query_id)
    part = [msgspec.convert(act, ApiPreference, from_attributes=True) for act in query.part(preferences)]
    return reply(ApiPreferences(part, len(preferences)))


def add_preference(call: ApiRequest[NewPreference, None]) -> Response:
    """Keeps a preference. 201 at first, 200 when the same key comes again."""
    body, slug = call.body, call.slug
    refuse_closed(call.project)
    call.context.existing.require_query(slug, body.query_id)
    try:
        act = judging.Preference(
            body.key, call.me.name, body.query_id, tuple(body.variants), body.preferred, body.blind, body.note,
            call.context.now(), body.withdraws,
        )  # fmt: skip
    except UsageError as error:
        raise Problem(422, str(error)) from None
    added = keeping(lambda: call.context.store.preferences.add(slug, act))
    return reply(Saved(body.key, added), 201 if added else 200)


OPERATIONS = (
    Operation(
        "GET",
        "/projects/{slug}/preferences",
        "List preferences",
        list_preferences,
        query=PreferenceFilter,
        replies={200: ApiPreferences},
    ),
    Operation(
        "POST",
        "/projects/{slug}/preferences",
        "Prefer a ranking",
        add_preference,
        role="judge",
        body=NewPreference,
        replies={201: Saved, 200: Saved},
        refusals=(409,),
    ),
)
