"""Projects and their settings: a change is another revision, and what does not fit is sent back with the form."""

from __future__ import annotations

from starlette.applications import Starlette
from tests.web.judging.workbench import Client

from rankproof.judging.store.store import Store
from rankproof.web.pages.settings import as_fields, from_fields


def test_what_the_form_shows_reads_back_to_the_same_project(shop: Store) -> None:
    project = shop.projects.get("shop")
    assert from_fields(project, as_fields(project)) == project


def test_a_change_is_a_revision_and_is_logged(app: Starlette, admin: Client, shop: Store) -> None:
    fields = as_fields(shop.projects.get("shop")) | {
        "guidelines": "Be kind.\r\n\r\nBe quick.",
        "levels": "0 | No\n1 | Maybe | It might.\n4 | Yes | It is | surely.",
        "wanted": "3",
        "texts": "text, more",
    }
    assert admin.submit("/p/shop/settings", **fields).status_code == 303
    project = shop.projects.get("shop")
    assert project.guidelines == "Be kind.\n\nBe quick."
    assert project.scale.grades == (0, 1, 4)
    assert project.scale.levels[2].meaning == "It is | surely."
    assert (project.wanted, project.template.texts) == (3, ("text", "more"))
    assert len(shop.projects.history("shop")) == 2
    entry = shop.audit.all(newest=1)[0]
    assert entry.action == "settings"
    assert entry.detail == {"project": "shop", "changed": "guidelines, levels, texts, wanted"}


def test_nothing_changed_is_no_revision(admin: Client, shop: Store) -> None:
    assert admin.submit("/p/shop/settings", **as_fields(shop.projects.get("shop"))).status_code == 303
    assert len(shop.projects.history("shop")) == 1


def test_what_does_not_fit_is_sent_back_with_what_was_typed(admin: Client, shop: Store) -> None:
    fields = as_fields(shop.projects.get("shop"))
    for wrong in (
        {"levels": "1 | Only one"}, {"levels": "0 No\n1 Yes"}, {"levels": "1 | b\n0 | a"}, {"relevant": "9"},
        {"wanted": "many"}, {"wanted": "0"}, {"gold": "2"}, {"gold": "nan"},
        {"selection": "f(a=" + "-" * 5000 + "1)"}, {"selection": "__import__('os')"}, {"selection": ""},
    ):  # fmt: skip
        answer = admin.submit("/p/shop/settings", **fields | wrong | {"guidelines": "Typed <b>now</b>"})
        assert answer.status_code == 422, wrong
        assert "Typed &lt;b&gt;now&lt;/b&gt;" in answer.text
    assert len(shop.projects.history("shop")) == 1


def test_a_project_is_made_and_a_wrong_one_is_not(admin: Client, shop: Store) -> None:
    made = admin.submit("/projects", slug="new-one", name="New", scale="binary")
    assert (made.status_code, made.headers["location"]) == (303, "/p/new-one/settings")
    assert shop.projects.get("new-one").scale.grades == (0, 1)
    for slug in ("", "a b", "../x", "new-one", "x" * 81, "é"):
        answer = admin.submit("/projects", slug=slug, name="Again", scale="binary")
        assert answer.status_code == 422, slug
    assert admin.submit("/projects", slug="ok", scale="none").status_code in (404, 422)
    assert [project.slug for project in shop.projects.all()] == ["shop", "new-one"]


def test_home_shows_progress(admin: Client, viewer: Client, reviewer: Client) -> None:
    page = viewer.get("/").text
    assert "The shop" in page
    assert "3 queries" in page
    assert "6 documents" in page
    assert "0 pairs judged by you" in page
    assert "0 judged pairs" in reviewer.get("/").text
    assert "New project" not in page
    assert "New project" in admin.get("/").text
    assert viewer.get("/p/none").status_code == 404
