"""docs/differs.md: every dialect has its section, which shows two numbers; the tools themselves give theirs.

That the numbers come out is tested with all other pages, in test_examples.py.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.documents.pages import DOCS, Block, blocks, headings
from tests.documents.reader import Reader

from rankproof.kernel import shelf

PAGE = DOCS / "differs.md"
OTHERS = [name for name in shelf.offered("dialects") if name != "rankproof"]
# Two numbers side by side, or a dict of them.
PAIR = re.compile(r"^\(([\d.]+), .*?([\d.]+)\)$", re.MULTILINE)


def sections() -> dict[str, list[Block]]:
    """The blocks below each heading."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    place = {number: line[3:] for number, line in enumerate(lines, start=1) if line.startswith("## ")}
    found: dict[str, list[Block]] = {heading: [] for heading in place.values()}
    for block in blocks(PAGE):
        above = [heading for number, heading in place.items() if number < block.line]
        if above:
            found[above[-1]].append(block)
    return found


def test_every_dialect_has_its_section_and_nothing_else_has() -> None:
    assert sorted(headings(PAGE)[1:]) == sorted(OTHERS)


@pytest.mark.parametrize("name", OTHERS)
def test_a_section_shows_two_numbers_that_differ(name: str) -> None:
    code = "\n".join(block.text for block in sections()[name])
    assert f'"{name}"' in code, "asks for the dialect"
    pairs = PAIR.findall(code)
    assert any(ours != theirs for ours, theirs in pairs) or "by_query" in code


def test_the_first_table_has_every_dialect() -> None:
    table = next(block.text for block in blocks(PAGE) if "for dialect in" in block.text)
    shown = dict(re.findall(r"^(\w+) +(\d\.\d{5})$", table, re.MULTILINE))
    # ragas has no nDCG, and LlamaIndex stops at a query that retrieves nothing: the page says so below the table.
    assert set(shown) == set(shelf.offered("dialects")) - {"ragas", "llama_index"}
    assert len(set(shown.values())) >= 6


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page defines: its judgments, its run and `mean`."""
    reader = Reader(tmp_path_factory.mktemp("differs"))
    assert reader.run(blocks(PAGE)[0]) == []
    return reader.names


def test_pytrec_eval_itself_says_so(names: dict[str, Any]) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec-eval-terrier is not installed")
    by_query = pytrec_eval.RelevanceEvaluator(names["qrels"], {"ndcg_cut.3"}).evaluate(names["run"])
    values = [value["ndcg_cut_3"] for value in by_query.values()]
    assert round(sum(values) / len(values), 5) == names["mean"]("nDCG@3", "pytrec_eval")


def test_ir_measures_itself_says_so(names: dict[str, Any]) -> None:
    irm = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    (value,) = irm.calc_aggregate([irm.nDCG @ 3], names["qrels"], names["run"]).values()
    assert round(value, 5) == names["mean"]("nDCG@3", "ir_measures")


def test_scikit_learn_itself_says_so(names: dict[str, Any]) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    values = [
        metrics.ndcg_score([[names["qrels"][query].get(doc, 0) for doc in docs]], [list(docs.values())], k=3)
        for query, docs in names["run"].items()
    ]
    assert round(sum(values) / len(values), 5) == names["mean"]("nDCG@3", "sklearn")
