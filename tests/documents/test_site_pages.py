"""How the site is made from the pages, and what its check would find. In a browser: tests/web/test_site.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.documents.pages import DOCS, ROOT
from tests.documents.processes import script_of_docs
from tests.documents.test_install import INSTALL

import rankproof
from rankproof.kernel import shelf

BUILDER, CHECKER = script_of_docs("build_site"), script_of_docs("check_site")
# Texts, which have no formula.
WITHOUT_FORMULA = {"RelString", "RunID"}


def test_the_api_reference_has_every_public_name_once() -> None:
    names = [name for _, _, group in BUILDER.API.values() for name in group]
    assert sorted(names) == sorted(rankproof.__all__)


def test_every_measure_has_a_formula() -> None:
    assert {name for name, item in shelf.offered("measures").items() if not item.formula} == WITHOUT_FORMULA


def test_a_formula_becomes_mathml_without_characters_of_markdown() -> None:
    pytest.importorskip("latex2mathml", reason="latex2mathml makes MathML")
    formulas = {name: item.formula for name, item in shelf.offered("measures").items() if item.formula}
    for name, formula in formulas.items():
        made = BUILDER.mathml(formula)
        assert made.startswith("<math"), name
        assert not set("*_`\\") & set(made), name


def test_every_page_is_in_the_navigation(tmp_path: Path) -> None:
    pytest.importorskip("latex2mathml", reason="latex2mathml makes MathML")
    assert BUILDER.stage(tmp_path / "pages") == ""


def test_a_page_that_the_navigation_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("latex2mathml", reason="latex2mathml makes MathML")
    config = tmp_path / "zensical.toml"
    config.write_text((ROOT / "zensical.toml").read_text("utf-8").replace('"rag.md"', '"rug.md"'), encoding="utf-8")
    monkeypatch.setattr(BUILDER, "CONFIG", config)
    told = BUILDER.stage(tmp_path / "pages").splitlines()
    assert len(told) == 2
    assert " rag.md" in told[0]
    assert " rug.md" in told[1]


@pytest.mark.parametrize(
    ("source", "text", "staged"),
    [
        ("docs/gate.md", "[a](action.md#inputs)", "[a](action.md#inputs)"),
        ("docs/gate.md", "[a](ARCHITECTURE.md)", "[a](architecture.md)"),
        ("docs/doors/ship.md", "[a](../gate.md)", "[a](../gate.md)"),
        ("docs/adding/rule.md", "[a](../../README.md)", "[a](../index.md)"),
        ("docs/adding/rule.md", "[a](../../CHANGELOG.md)", "[a](../changelog.md)"),
        ("CONTRIBUTING.md", "[a](docs/decisions)", "[a](decisions/index.md)"),
        ("CONTRIBUTING.md", "[a](CODE_OF_CONDUCT.md)", "[a](code-of-conduct.md)"),
        ("docs/gate.md", "![a](images/report-gate.png)", "![a](images/report-gate.png)"),
        ("docs/gate.md", "[a](../action.yml)", f"[a]({INSTALL['REPOSITORY']}/blob/main/action.yml)"),
        ("docs/gate.md", "[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("docs/gate.md", "[a](#here)", "[a](#here)"),
        ("docs/gate.md", "[a](is-not-there.md)", "[a](is-not-there.md)"),
        ("docs/gate.md", "`[a](ARCHITECTURE.md)`", "`[a](ARCHITECTURE.md)`"),
    ],
)
def test_a_link_leads_to_the_page_of_the_site_or_to_the_repository(source: str, text: str, staged: str) -> None:
    assert BUILDER._linked(text, ROOT / source, BUILDER.page_places()) == staged


def test_what_stands_in_a_block_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```text\n[a](ARCHITECTURE.md)\n```\n")
    assert BUILDER.page(page, BUILDER.page_places()) == page.read_text()


FINE = '<a href="b/#part">b</a><a href="https://example.org">out</a><link rel="canonical" href="https://example.org/x">'


@pytest.mark.parametrize(
    ("html", "faults"),
    [
        (FINE, 0),
        ('<a href="b/">b</a><a href="mailto:a@example.org">m</a><a href="#top" id="top">t</a>', 0),
        ('<a href="/rankproof/b/">b</a>', 0),
        ('<a href="/b/">outside the site</a>', 1),
        ('<a href="c/">nowhere</a>', 1),
        ('<a href="b/#other">no such part</a>', 1),
        ('<a href="#nowhere">no such part</a>', 1),
        ('<img src="missing.png">', 1),
        ('<img src="https://example.org/x.png">', 1),
        ('<img srcset="b/index.html 1x, //example.org/x.png 2x">', 1),
        ('<script src="//example.org/x.js"></script>', 1),
        ('<link rel="stylesheet" href="https://example.org/x.css">', 1),
        ('<link rel="preconnect" href="https://example.org">', 1),
        ("<p style=\"background: url('https://example.org/x.png')\">", 1),
        ('<iframe src="https://example.org"></iframe>', 1),
    ],
)
def test_the_check_finds(html: str, faults: int, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<h2 id="part">Part</h2>')
    (tmp_path / "index.html").write_text(html)
    assert len(CHECKER.faults_of(tmp_path, "/rankproof/")) == faults


@pytest.mark.parametrize(
    "style", ["@import 'https://example.org/x.css';", "a { background: url(//example.org/x.png) }"]
)
def test_the_check_reads_style_sheets(style: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>")
    (tmp_path / "site.css").write_text(style)
    assert len(CHECKER.faults_of(tmp_path)) == 1


def test_a_site_without_a_page_is_a_fault(tmp_path: Path) -> None:
    assert len(CHECKER.faults_of(tmp_path)) == 1


def test_the_site_is_published_where_the_repository_lies() -> None:
    assert BUILDER._project()["site_url"] == f"https://{INSTALL['OWNER']}.github.io/rankproof/"
    assert BUILDER.site_path() == "/rankproof/"
    # With an address of the repository the theme asks GitHub for its stars.
    assert "repo_url" not in BUILDER._project()


def test_a_table_in_a_docstring_describes_attributes() -> None:
    pytest.importorskip("griffe", reason="griffe reads the code for the API reference")
    attributes = script_of_docs("api_attributes")
    text = (
        "What it is.\n\nlow, high   the ends,\n            both of them\nvalue       the mean\n\nAnd more: it goes on."
    )
    assert attributes.table_of(text) == {
        "low": "the ends, both of them", "high": "the ends, both of them", "value": "the mean",
    }  # fmt: skip
    assert attributes.without_table(text) == "What it is.\n\n\nAnd more: it goes on."


def test_the_workflow_publishes_what_make_site_builds() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads workflows")
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text("utf-8"))
    assert flow["permissions"] == {"contents": "read"}
    build, publish = flow["jobs"]["build"], flow["jobs"]["publish"]
    assert any(step.get("run") == "make site" for step in build["steps"])
    assert any(step.get("with", {}).get("path") == "build/site" for step in build["steps"])
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert "pull_request" in publish["if"]
    assert (DOCS / "build_site.py").exists()
