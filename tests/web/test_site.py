"""The documentation site, built from these pages and opened in a real browser."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import re
import threading
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.documents.processes import script_of_docs
from tests.web.judging.looks import faults, opened, overflow

import rankproof
from rankproof.kernel import shelf

# Building takes seconds, and axe half a minute over all pages.
pytestmark = pytest.mark.slow
BUILDER, CHECKER = script_of_docs("build_site"), script_of_docs("check_site")
MISSING = [name for name in ("zensical", "mkdocstrings", "latex2mathml") if importlib.util.find_spec(name) is None]
built_only = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (requirements-docs.txt)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert BUILDER.build(folder) == "", "the builder has a warning"
    return folder / "site"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


# ---- what was built ------------------------------------------------------------------------------


@built_only
def test_every_link_leads_somewhere_and_nothing_comes_from_another_host(site: Path) -> None:
    assert CHECKER.faults_of(site, BUILDER.site_path()) == []


@built_only
def test_every_measure_shows_its_formula_as_mathematics(site: Path) -> None:
    text = (site / "reference" / "measures" / "index.html").read_text("utf-8")
    sections = dict(re.findall(r'<h2 id="([^"]+)">(.*?)(?=<h2 id=|$)', text, re.DOTALL))
    for name, item in shelf.offered("measures").items():
        shown = sections[name.casefold()]
        assert ("<math" in shown) == bool(item.formula), name
        assert "merror" not in shown
        assert "\\" not in re.sub(r"<code.*?</code>", "", shown, flags=re.DOTALL), f"{name}: LaTeX is left over"


class Texts(HTMLParser):
    """The text between each anchor of a page and the next."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.at = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if (name := dict(attrs).get("id")) and name.startswith("rankproof."):
            self.at = name
            self.found[name] = ""

    def handle_data(self, data: str) -> None:
        if self.at:
            self.found[self.at] += data


@pytest.fixture(scope="module")
def described(site: Path) -> dict[str, str]:
    texts = Texts()
    for page in (site / "api").rglob("index.html"):
        texts.feed(page.read_text("utf-8"))
    return texts.found


@built_only
def test_every_public_name_has_its_place_in_the_api_reference(described: dict[str, str]) -> None:
    assert {f"rankproof.{name}" for name in rankproof.__all__} <= set(described)


@built_only
@pytest.mark.parametrize("name", ["Evaluation", "Result", "Comparison", "Contrast", "Verdict", "Estimate"])
def test_every_attribute_is_described_in_the_api_reference(name: str, described: dict[str, str]) -> None:
    kind = getattr(rankproof, name)
    members = {one for one, _ in inspect.getmembers(kind, lambda m: isinstance(m, property) or inspect.isfunction(m))}
    public = {one for one in {f.name for f in fields(kind)} | members if not one.startswith("_")}
    own = {one for one in public if one in vars(kind) or one in {f.name for f in fields(kind)}}
    for attribute in own:
        text = described.get(f"rankproof.{name}.{attribute}")
        assert text is not None, f"{name}.{attribute} is not on the page"
        prose = re.sub(r"\s+", " ", text.replace("¶", "")).replace(attribute, "", 1)
        assert len(re.findall(r"[a-z]{2,}", prose.partition("#")[2] or prose)) >= 3, f"{name}.{attribute}: {text!r}"


# ---- in the browser ------------------------------------------------------------------------------


@built_only
@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("confidence interval", "/reference/significance/"),
        ("ragas", "/rag/"),
        ("ndcg", "/reference/measures/#ndcg"),
        ("A/B test", "/doors/ab-test/"),
        ("statistically significant", "/statistics/"),
        ("effect size", "/compare/"),
    ],
)
def test_search_finds(typed: str, page: str, browser: Any, address: str) -> None:
    tab = browser.new_page()
    tab.goto(address)
    tab.get_by_role("button", name="Search").first.click()
    tab.locator("dialog input[role=combobox]").fill(typed)
    results = tab.locator("dialog a[href*='?h=']")
    results.first.wait_for()
    links = [results.nth(i).get_attribute("href").removeprefix(address) for i in range(min(results.count(), 20))]
    found = [re.sub(r"\?h=[^#]*", "", link) for link in links]
    assert any(one == page or one.startswith(f"{page}#") for one in found), found
    results.first.click()
    tab.wait_for_url(f"**{found[0].partition('#')[0]}*")
    assert tab.locator("h1").count() == 1
    tab.close()


PAGES = ("/", "/doors/evaluate/", "/reference/measures/", "/api/compare/", "/reference/cli/")
# Every day two short pages; axe takes a dozen seconds for the long ones.
DAILY = {("/", "dark"), ("/doors/evaluate/", "light")}
LOOKED_AT = [
    pytest.param(path, scheme, marks=[] if (path, scheme) in DAILY else [pytest.mark.full])
    for path in PAGES
    for scheme in ("light", "dark")
]


@built_only
@pytest.mark.parametrize(("path", "scheme"), LOOKED_AT)
def test_a_page_asks_no_other_host_and_axe_finds_nothing_serious(
    path: str, scheme: str, browser: Any, address: str
) -> None:
    with opened(browser, None, scheme=scheme) as tab:
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(address + path)
        tab.wait_for_load_state("networkidle")
        assert [url for url in asked if not url.startswith(address)] == []
        assert (
            tab.locator("body").get_attribute("data-md-color-scheme") == {"light": "default", "dark": "slate"}[scheme]
        )
        assert faults(tab) == []


@built_only
@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_phone(path: str, browser: Any, address: str) -> None:
    with opened(browser, None, width=375) as tab:
        tab.goto(address + path)
        assert overflow(tab) <= 0
