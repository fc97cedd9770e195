"""People: invitations, roles, closing accounts, and the audit log; all for admins."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import ORIGIN, Client, signed_in, stranger

PAGES = ["/people", "/people/audit"]
FORMS = [
    "/people/invite", "/people/role", "/people/active", "/people/revoke", "/people/password", "/people/sessions",
    "/projects", "/p/shop/settings", "/p/shop/people/invite", "/p/shop/people/role", "/p/shop/people/remove",
]  # fmt: skip


@pytest.mark.parametrize("path", [*PAGES, "/p/shop/settings"])
def test_only_admins_see_them(app: Starlette, judge: Client, nobody: Client, path: str) -> None:
    assert judge.get(path).status_code == 403
    assert nobody.get(path).status_code == 303


@pytest.mark.parametrize("path", FORMS)
def test_only_admins_change_them(viewer: Client, judge: Client, nobody: Client, path: str) -> None:
    fields = {"role": "admin", "name": "judy", "active": "no", "slug": "mine", "scale": "graded"}
    assert viewer.submit(path, **fields).status_code == 403
    assert judge.submit(path, **fields).status_code == 403
    nobody.get("/sign-in")
    assert nobody.post(path, data=fields).status_code == 403
    assert judge.get("/").status_code == 200


def test_an_invitation_is_shown_once_and_logged(app: Starlette, admin: Client) -> None:
    answer = admin.submit("/p/shop/people/invite", person="Vera", role="viewer")
    assert answer.status_code == 201
    link = re.search(rf'value="({ORIGIN}/invitation/[^"]+)"', answer.text)
    assert link is not None
    assert stranger(app).get(link[1].removeprefix(ORIGIN)).status_code == 200
    for place in ("/people", "/p/shop/people"):
        page = admin.get(place).text
        assert link[1] not in page
        assert "vera: viewer in shop, by ada" in page
    entry = app.state.context.store.audit.all(newest=1)[0]
    assert (entry.account, entry.action, entry.detail) == (
        "ada",
        "invitation",
        {"person": "vera", "role": "viewer", "project": "shop"},
    )


def test_a_closed_account_is_out_at_once_and_can_be_opened_again(app: Starlette, admin: Client, judge: Client) -> None:
    assert judge.get("/").status_code == 200
    assert admin.submit("/people/active", name="judy", active="no").status_code == 303
    assert judge.get("/").status_code == 303
    assert judge.act("/api/v1/projects/shop/judgments", {}).status_code == 401
    admin.submit("/people/active", name="judy", active="yes")
    assert signed_in(app, "judy", "judge").get("/").status_code == 200
    assert [entry.action for entry in app.state.context.store.audit.all(newest=2)] == [
        "account opened",
        "account closed",
    ]


def test_a_role_changes_at_the_next_request(app: Starlette, admin: Client, judge: Client) -> None:
    assert admin.submit("/people/role", name="judy", role="admin").status_code == 303
    assert judge.get("/people").status_code == 200
    entry = app.state.context.store.audit.all(newest=1)[0]
    assert entry.detail == {"name": "judy", "before": "viewer", "role": "admin"}


def test_the_last_admin_stays(admin: Client) -> None:
    for path, fields in (("/people/role", {"role": "viewer"}), ("/people/active", {"active": "no"})):
        answer = admin.submit(path, name="ada", **fields)
        assert answer.status_code == 409
        assert "ada is the only admin." in answer.text


@pytest.mark.parametrize("fields", [{"name": "none", "role": "judge"}, {"name": "ada", "role": "king"}, {}])
def test_what_is_not_there_cannot_be_changed(admin: Client, fields: dict[str, str]) -> None:
    assert admin.submit("/people/role", **fields).status_code in (404, 422)


def test_the_log_is_paged_and_odd_pages_are_the_first(app: Starlette, admin: Client) -> None:
    for i in range(150):
        app.state.context.audit("ada", "test", number=i)
    first = admin.get("/people/audit").text
    assert "number: 149" in first
    assert "number: 49" not in first
    older = re.search(r'href="(/people/audit\?before=\d+)"', first)
    assert older is not None
    assert "number: 49" in admin.get(older[1]).text
    for odd in ("x", "-1", "9" * 40, "%00", "'; drop table audit; --", "²"):
        assert admin.get("/people/audit", params={"before": odd}).status_code in (200, 400)
