"""Models that judge in the background: started, watched, stopped, failed, interrupted and gone on with."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.raising import raises
from tests.stack.stages.model_server import http, serving
from tests.web.judging.workbench import Client, signed_in

from rankproof.errors import InputError
from rankproof.judging.store import loop
from rankproof.judging.store.store import Store
from rankproof.web import model_jobs
from rankproof.web.app import make_app
from rankproof.web.model_jobs import OfferedModel, read_models
from rankproof.web.settings import ServeSettings

API = "/api/v1/projects/shop/model-judging"
PAGE = "/p/shop/project/models"


def answer(text: str) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": 4}
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return http(json.dumps({"choices": [choice], "usage": usage, "model": "m"}))


def graded(body: Any, before: int) -> bytes:
    return answer("Grade: 2")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_jobs, "BEAT", 0.05)


def served(store: Store, url: str, **more: Any) -> tuple[Starlette, Client]:
    offer = OfferedModel(endpoint=url, model="m", concurrency=1, retries=0, timeout=5.0, **more)
    app = make_app(store, ServeSettings(models={"small": offer}))
    return app, signed_in(app, "rita", "reviewer")


def until(store: Store, holds: Callable[[Any], bool]) -> Any:
    for _ in range(1500):
        job = store.jobs.newest("shop")
        if job is not None and holds(job):
            return job
        time.sleep(0.02)
    raise AssertionError(f"never: {store.jobs.newest('shop')}")


def over(job: Any) -> bool:
    return bool(job.state != "running")


def test_a_job_judges_whoever_looks_and_is_told(shop: Store) -> None:
    with serving(graded) as server:
        _, rita = served(shop, server.url, price_in=1.0, price_out=1.0, currency="EUR")
        looked = rita.submit(PAGE, do="look", model="small", depth="2")
        assert "Preview" in looked.text
        assert server.asked == []
        assert rita.submit(PAGE, do="start", model="small", depth="2").status_code == 303
        job = until(shop, over)
    assert (job.state, job.done, job.total) == ("done", 12, 12)
    acts = shop.judgments.current("shop", source="model")
    assert {(act.judge, act.grade) for act in acts} == {("graded:m", 2)}
    assert len(acts) == 12
    assert "done" in rita.get(PAGE).text
    told = rita.get(API).json()
    assert (told["jobs"][0]["state"], told["models"]) == ("done", ["small"])


def test_no_project_has_two_and_one_is_stopped(shop: Store) -> None:
    gate = Event()

    def slow(body: Any, before: int) -> bytes:
        gate.wait(5)
        return graded(body, before)

    with serving(slow) as server:
        _, rita = served(shop, server.url)
        assert rita.act(API, {"model": "small", "depth": 2}).status_code == 201
        assert rita.act(API, {"model": "small"}).status_code == 409
        assert rita.submit(PAGE, do="start", model="small").status_code == 422
        assert "is judging" in rita.get(PAGE).text
        assert rita.submit(f"{PAGE}/stop").status_code == 303
        time.sleep(0.3)  # until the job has heard of it
        gate.set()
        job = until(shop, over)
        assert job.state == "stopped"
        assert 1 <= len(shop.judgments.current("shop", source="model")) < 12
        assert rita.act(API, None, "DELETE").status_code == 409
        assert rita.submit(PAGE, do="again", job=str(job.number)).status_code == 303
        until(shop, lambda one: one.number > job.number and over(one))
        assert len(server.asked) == 12  # nothing is asked twice
    assert len(shop.judgments.current("shop", source="model")) == 12


def test_the_budget_holds_and_the_servers_ceiling_above_it(shop: Store) -> None:
    with serving(graded) as server:
        _, rita = served(shop, server.url, max_calls=5)
        assert rita.act(API, {"model": "small", "depth": 2, "max_calls": 1000}).status_code == 201
        job = until(shop, over)
        assert (job.state, len(server.asked)) == ("stopped", 5)
        assert "max_calls = 5" in job.detail["why"]
        assert rita.act(API, {"model": "small", "max_cost": 1.0}).status_code == 422  # no price is known


def test_a_failure_is_shown(shop: Store) -> None:
    _, rita = served(shop, "http://127.0.0.1:9/v1")
    assert rita.act(API, {"model": "small", "depth": 2}).status_code == 201
    job = until(shop, over)
    assert job.state == "failed"
    assert "no connection" in job.detail["why"] or "nobody answers" in job.detail["why"]
    assert "failed" in rita.get(PAGE).text


def test_a_server_that_went_away_leaves_an_interrupted_job(shop: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    number = shop.jobs.start("shop", {"model": "small", "pairs": "unjudged", "depth": 2}, "rita")
    with serving(graded) as server:
        _, rita = served(shop, server.url)  # another server, after the first
        assert rita.act(API, {"model": "small", "depth": 2}).status_code == 409  # for all that it knows it runs
        monkeypatch.setattr(loop, "SILENT", timedelta(0))
        time.sleep(0.01)
        page = rita.get(PAGE).text
        assert "interrupted" in page
        assert "Go on" in page
        assert rita.submit(PAGE, do="again", job=str(number)).status_code == 303
        monkeypatch.setattr(loop, "SILENT", timedelta(seconds=20))
        assert until(shop, over).state == "done"


def test_a_page_never_says_where_a_model_is(shop: Store, app: Starlette) -> None:
    bare = signed_in(app, "rita", "reviewer")
    assert "knows no model" in bare.get(PAGE).text
    sent = {"model": "http://169.254.169.254/v1", "endpoint": "http://169.254.169.254/v1"}
    assert bare.submit(PAGE, do="start", **sent).status_code == 404
    assert bare.act(API, sent).status_code == 422
    assert bare.act(API, {"model": "small"}).status_code == 404
    assert shop.jobs.all("shop") == []


@pytest.mark.parametrize(
    "text",
    ["", "x = 1", "[small]\nmodel = 'm'", "[small]\nendpoint = 3", "[small]\nendpoint = 'e'\nkey = 'secret'",
     "[small]\nendpoint = 'e'\nmax_cost = 1.0", "[small]\nendpoint = 'e'\nmax_calls = 0", "[[["],
)  # fmt: skip
def test_a_file_of_models_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "models.toml"
    path.write_text(text)
    with raises(InputError, "models.toml"):
        read_models(str(path))
    path.write_text("[small]\nendpoint = 'https://api.example.org/v1'\nmodel = 'm'\nkey_env = 'K'\n")
    assert read_models(str(path))["small"].key_env == "K"
