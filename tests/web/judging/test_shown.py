"""Documents as they are shown: by the template, with nothing that could do harm, and no picture from a stranger."""

from __future__ import annotations

import pytest

from rankproof.errors import UsageError
from rankproof.judging.records import Template
from rankproof.web.documents import first_words, language_of, link, machine_of, picture, show_document

TEMPLATE = Template("title", ("text", "more"), "image", "url", "price", ("x.org", "*.pictures.example"))


def test_fields_come_by_the_template_and_empty_ones_are_left_out() -> None:
    fields = {"title": "A shoe", "more": " ", "text": "Red.", "image": "https://x.org/a.png", "url": "http://x.org"}
    shown = show_document(TEMPLATE, "d1", fields, "red")
    assert (shown.name, [field.name for field in shown.fields]) == ("A shoe", ["text"])
    assert (shown.image, shown.link, shown.known) == ("https://x.org/a.png", "http://x.org", True)
    assert show_document(TEMPLATE, "d1", None, "red").name == "d1"
    assert not show_document(TEMPLATE, "d1", None, "red").known
    assert show_document(Template("title", ("text",)), "d1", fields, "red").image == ""


@pytest.mark.parametrize(
    "address",
    ["https://x.org/a.png", "HTTPS://x.org/a", "data:image/png;base64,AA==", "/static/a.png", "pictures/a.png"],
)
def test_pictures_that_are_shown(address: str) -> None:
    assert picture(f" {address} ", ("x.org",)) == address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://x.org/a.png", True),
        ("https://X.ORG:443/a.png", True),
        ("https://a.pictures.example/1", True),
        ("https://b.a.pictures.example/1", True),
        ("https://pictures.example/1", False),
        ("https://x.org.evil.example/a.png", False),
        ("https://evil.example/x.org", False),
        ("https://x.org@evil.example/a.png", False),
        ("https://evilpictures.example/1", False),
        ("https://a.x.org/1", False),
        ("https://x.org:8443/a.png", False),
        ("https://x.org:port/a.png", False),
        ("http://x.org/a.png", False),
    ],
)
def test_pictures_come_only_from_machines_that_are_named(address: str, shown: bool) -> None:
    assert picture(address, TEMPLATE.image_hosts) == (address if shown else "")
    assert picture(address) == ""


def test_a_picture_that_is_not_fetched_says_where_it_is() -> None:
    shown = show_document(TEMPLATE, "d", {"title": "A", "image": "https://Elsewhere.example/a"}, "")
    assert (shown.image, shown.elsewhere) == ("", "elsewhere.example")
    assert show_document(TEMPLATE, "d", {"title": "A", "image": "javascript:x"}, "").elsewhere == ""
    assert machine_of("https://[::1]/a") == "::1"


@pytest.mark.parametrize(
    "host",
    [
        "https://x.org",
        "x.org/path",
        "*",
        "*.org*",
        "x.org;script-src *",
        "x.org 'unsafe-inline'",
        "",
        "localhost",
        "X.org",
    ],
)
def test_what_is_no_machine_is_no_host(host: str) -> None:
    with pytest.raises(UsageError, match="no name of a machine"):
        Template(image_hosts=(host,))


def test_without_a_title_the_first_words_stand_in() -> None:
    text = (
        "Light boots for the town and the woods. They can be resoled, and they have been made in one place for years."
    )
    shown = show_document(TEMPLATE, "d", {"text": text}, "boots")
    assert (shown.name, shown.lead) == ("Light boots for the town and the woods.…", True) or shown.name.endswith("…")
    assert text.startswith(shown.name.rstrip("…"))
    assert [piece.text for piece in shown.title if piece.marked] == ["boots"]
    assert not show_document(TEMPLATE, "d", {"title": "T", "text": text}, "").lead
    assert not show_document(TEMPLATE, "d", {}, "").lead


def test_first_words_end_with_a_word_and_never_inside_a_character() -> None:
    assert first_words("one   two\nthree") == "one two three"
    assert first_words("word " * 50).endswith("word…")
    assert len(first_words("あ" * 300)) == 91
    marked = first_words("x" * 89 + "e\u0301" * 20)
    assert marked[:-1] == "x" * 89 + "e\u0301" or marked[:-1] == "x" * 89


def test_the_price_is_shown() -> None:
    assert show_document(TEMPLATE, "d", {"title": "A", "price": " € 5 "}, "").price == "€ 5"
    assert show_document(Template(), "d", {"title": "A", "price": "5"}, "").price == ""


def test_the_language_is_told_where_the_letters_say_it() -> None:
    texts = {"赤い靴": "ja", "红色跑步鞋": "zh", "빨간 신발": "ko", "รองเท้า": "th", "حذاء أحمر": "ar", "נעליים": "he",
             "παπούτσια": "el", "red shoes": "", "": "", "red shoes 靴": "", "Nike シューズ": "ja"}  # fmt: skip
    assert {text: language_of(text) for text in texts} == texts


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
