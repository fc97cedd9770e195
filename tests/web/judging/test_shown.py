"""Documents as they are shown: by the template, with words of the query marked, and nothing that could do harm."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.judging.records import Template
from rankproof.web.documents import link, picture, show_document

TEMPLATE = Template("title", ("text", "more"), "image", "url")


def marked(query: str, text: str) -> list[str]:
    (field,) = show_document(TEMPLATE, "d", {"text": text}, query).fields
    return [piece.text for piece in field.pieces if piece.marked]


def test_fields_come_by_the_template_and_empty_ones_are_left_out() -> None:
    fields = {"title": "A shoe", "more": " ", "text": "Red.", "image": "https://x.org/a.png", "url": "http://x.org"}
    shown = show_document(TEMPLATE, "d1", fields, "red")
    assert (shown.name, [field.name for field in shown.fields]) == ("A shoe", ["text"])
    assert (shown.image, shown.link, shown.known) == ("https://x.org/a.png", "http://x.org", True)
    assert show_document(TEMPLATE, "d1", None, "red").name == "d1"
    assert not show_document(TEMPLATE, "d1", None, "red").known
    assert show_document(Template("title", ("text",)), "d1", fields, "red").image == ""


def test_words_of_the_query_are_marked_in_their_forms() -> None:
    assert marked("red shoes", "Red SHOE, a shoemaker's shoes; redder") == ["Red", "SHOE", "shoes"]
    assert marked("walk", "walks walked walking walker walkway") == ["walks", "walked", "walking", "walker"]
    assert marked("HX-450", "The HX-450 and the hx 451") == ["HX", "450", "hx"]
    assert marked("Straße", "STRASSE") == ["STRASSE"]


def test_common_words_are_marked_only_where_there_is_nothing_else() -> None:
    assert marked("shoes for the rain", "for the rain") == ["rain"]
    assert marked("to be or not to be", "to be") == ["to", "be"]


@given(text=st.text(), query=st.text())
@settings(max_examples=examples(150), deadline=None)
def test_the_pieces_together_are_the_text(text: str, query: str) -> None:
    shown = show_document(Template("title", ("text",)), "d", {"text": text}, query)
    for field in shown.fields:
        assert "".join(piece.text for piece in field.pieces) == text


@pytest.mark.parametrize(
    "address",
    ["https://x.org/a.png", "HTTPS://x.org/a", "data:image/png;base64,AA==", "/static/a.png", "pictures/a.png"],
)
def test_pictures_that_are_shown(address: str) -> None:
    assert picture(f" {address} ") == address


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "JAVASCRIPT:alert(1)", "java\nscript:alert(1)", "data:text/html,<script>",
        "\\\\evil.org\\x", "/\\evil.org", "vbscript:x", "file:///etc/passwd", "https:evil", "https://[", "x y",
        "blob:x", "//evil.org/x", "a:b/../c.png",
        "data:image/svg+xml,<svg onload=alert(1)>", "\x01javascript:alert(1)", "",
    ],
)  # fmt: skip
def test_addresses_that_are_not(address: str) -> None:
    assert picture(address) == ""
    assert link(address) == ""


def test_links_go_to_machines() -> None:
    assert link("https://x.org/a?b=c#d") == "https://x.org/a?b=c#d"
    assert link("http://x.org") == "http://x.org"
    assert link("/here") == link("ftp://x.org/a") == link("mailto:a@b.c") == ""
