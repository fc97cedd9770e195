"""Experiments: evaluations, comparisons, verdicts and benchmarks as reported, by the hash of their content."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.kernel.jsontext import to_json
from rankproof.web.api._operations import JSON, ApiRequest, Operation, Short, reply
from rankproof.web.problems import Problem

_Kind = Annotated[str, Meta(pattern="^[a-z][a-z_-]{0,39}$")]


class Experiment(msgspec.Struct):
    """What is known of an experiment without reading it."""

    sha256: str
    kind: str
    name: str
    by: str
    time: str


class ApiExperiments(msgspec.Struct):
    """Every experiment of a project."""

    experiments: list[Experiment]


class NewExperiment(msgspec.Struct, forbid_unknown_fields=True):
    """A document to keep."""

    kind: _Kind
    name: Short
    document: dict[str, Any]


class ApiKept(msgspec.Struct):
    """The hash that an experiment is known by."""

    sha256: str


class ExperimentFilter(msgspec.Struct, forbid_unknown_fields=True):
    """Which experiments."""

    kind: _Kind | None = None


class Content(msgspec.Struct):
    """The document itself, as it was kept."""


def list_experiments(call: ApiRequest[None, ExperimentFilter]) -> Response:
    """The experiments, in the order they were added."""
    stored = call.context.store.experiments.all(call.slug, call.query.kind)
    return reply(ApiExperiments([msgspec.convert(one, Experiment, from_attributes=True) for one in stored]))


def show_experiment(call: ApiRequest[None, None]) -> Response:
    """The document with this hash."""
    digest = call.request.path_params["sha256"]
    if not re.fullmatch("[0-9a-f]{64}", digest):
        raise Problem(404, f"{digest!r} is no hash of an experiment.")
    document = call.context.store.experiments.get(call.slug, digest)
    return Response(to_json(document), media_type=JSON)


def add_experiment(call: ApiRequest[NewExperiment, None]) -> Response:
    """Keeps a document; the same content again is the same experiment."""
    body = call.body
    digest = call.context.store.experiments.add(call.slug, body.kind, body.name, body.document, call.me.name)
    call.context.audit(call.me.name, "experiment", project=call.slug, sha256=digest)
    return reply(ApiKept(digest), 201)


OPERATIONS = (
    Operation(
        "GET",
        "/projects/{slug}/experiments",
        "List experiments",
        list_experiments,
        others=True,
        query=ExperimentFilter,
        replies={200: ApiExperiments},
    ),
    Operation(
        "GET",
        "/projects/{slug}/experiments/{sha256}",
        "Show an experiment",
        show_experiment,
        others=True,
        replies={200: Content},
    ),
    Operation(
        "POST",
        "/projects/{slug}/experiments",
        "Keep an experiment",
        add_experiment,
        role="admin",
        body=NewExperiment,
        replies={201: ApiKept},
    ),
)
