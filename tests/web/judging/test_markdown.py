"""Guidelines in Markdown: what it may look like, and that nothing hostile comes through."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.web.markdown import as_html

TAGS = {"p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em", "a", "hr"}
GIVEN = {"a": {"href", "target", "rel"}, "ol": {"start"}}


class Seen(HTMLParser):
    """Every tag and attribute, and whether each tag is closed in its turn."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "hr":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def harmless(text: str) -> str:
    html = str(as_html(text))
    seen = Seen(html)
    assert seen.open == []
    for tag, given_ in seen.found:
        assert tag in TAGS
        assert set(given_) <= GIVEN.get(tag, set())
        if tag == "a":
            assert re.match(r"https?://[^/]", str(given_["href"]), re.IGNORECASE)
            assert given_["rel"] == "noopener noreferrer nofollow"
    return html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("A line.\nAnother.\n\nA second.", "<p>A line.\nAnother.</p>\n<p>A second.</p>"),
        ("# One\n#### Four #", "<h3>One</h3>\n<h6>Four</h6>"),
        ("**bold** __bold__ *it* _it_ `co*d*e`",
         "<p><strong>bold</strong> <strong>bold</strong> <em>it</em> <em>it</em> <code>co*d*e</code></p>"),
        ("snake_case_name 2*3*4", "<p>snake_case_name 2<em>3</em>4</p>"),
        ("- a\n- b\n  - c\n", "<ul><li>a</li><li>b\n<ul><li>c</li></ul></li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("> q", "<blockquote><p>q</p></blockquote>"),
        ("---", "<hr>"),
        ("```\n<b>**x**\n```\nafter", "<pre><code>&lt;b&gt;**x**</code></pre>\n<p>after</p>"),
        (r"\*no\*", "<p>*no*</p>"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_it_makes(text: str, html: str) -> None:
    assert harmless(text) == html


def test_links_open_elsewhere_and_tell_nothing() -> None:
    html = harmless("[the **form**](https://example.org/a?b=1&c=2) and <http://example.org>")
    assert 'href="https://example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow"' in html
    assert "<strong>form</strong></a>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,<script>alert(1)</script>)", "[x](java\tscript:alert(1))",
        "[x](&#106;avascript:alert(1))", "[x](//evil.example)", "[x](https:evil)", "[x](vbscript:x)",
        '[x](https://e.org/"onmouseover="alert(1))', '[x"onclick="alert(1)](https://e.org)', "<javascript:alert(1)>",
        "<https://e.org/\"><script>alert(1)</script>>", "![x](https://evil.example/a.png)", "`<b>`",
        "```<script>\n</pre>",
        "# <svg onload=alert(1)>", "- <b>\n  <script>", "> <iframe>", "**<b>**", "[<b>](https://e.org)", "<!-- x -->",
        "[a]: javascript:alert(1)\n[a]", "[x](https://e.org\\@evil)", "{{7*7}}", "\x00<b>\x00", "[[x](https://a.b)](https://c.d)",
        "*[x*](https://e.org)", "**a *b** c*", "&lt;script&gt;", "</p></dialog><form action=//evil>",
    ],
)  # fmt: skip
def test_hostile_texts(text: str) -> None:
    html = harmless(text)
    assert "<script" not in html
    assert "<img" not in html
    assert not re.search(r"<[^>]*\son\w+=", html)


@given(text=st.one_of(st.text(max_size=80), st.text(alphabet="ab*_`[]()<>#-+.!\\ 1\n\t&\"':/htps~", max_size=80)))
@settings(max_examples=examples(200), deadline=None)
def test_nothing_but_these_tags_ever(text: str) -> None:
    harmless(text)


@pytest.mark.parametrize("text", ["**a" * 20000, "`" * 50000, "[" * 50000, "*a " * 20000, "> " * 5000, "[a](" * 20000])
def test_long_ones_are_quick(text: str) -> None:
    began = time.process_time()
    as_html(text)
    assert time.process_time() - began < 3
