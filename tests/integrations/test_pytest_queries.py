"""The sample project of examples/relevance_tests, run as a project of its own: each verdict as its settings say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import rankproof
from rankproof.errors import InputError
from rankproof.integrations.pytest_queries import KeptValue, as_ranking, summary_lines
from rankproof.reports.verdict_sections import verdict_text

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "src/rankproof/stack/samples/rankings"
QUERIES = 20


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Everything that a gate and a summary import: a test run within this process forgets what it imports itself."""
    rule = {"rule": "no_regression", "measure": "nDCG@10", "margin": 0.02}
    sides = {"qrels": "qrels.trec", "baseline": "bm25.run", "candidate": "dense.run", "topics": "topics.tsv"}
    verdict = rankproof.gate({"rule": [rule]}, **{side: str(SAMPLE / name) for side, name in sides.items()})
    assert verdict_text(verdict)
    assert summary_lines([KeptValue(f"q{i}", "AP", "higher", 0.5, 0.5 + i / 100) for i in range(5)])


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The sample project with the files that `rankproof sample data` writes."""
    for path in (ROOT / "examples/relevance_tests").glob("*.*"):
        shutil.copy(path, pytester.path)
    shutil.copytree(SAMPLE, pytester.path / "data")
    monkeypatch.syspath_prepend(pytester.path)
    monkeypatch.delenv("RANKINGS", raising=False)
    return pytester


def run(project: pytest.Pytester, *args: str) -> pytest.RunResult:
    loaded = (
        "-p",
        "no:cacheprovider",
        "-p",
        "no:schemathesis",
        "-p",
        "no:xdist",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    )
    return project.runpytest_inprocess(*loaded, "-rA", *args)


def test_a_better_retriever_passes_everywhere(project: pytest.Pytester) -> None:
    told = run(project)
    told.assert_outcomes(passed=1 + QUERIES + 2)
    told.stdout.fnmatch_lines(
        [
            "*relevance by query (rankproof)*",
            "R@10 over 20 queries: 0.5594 -> 0.7345 (+0.1751, 95% confidence interval [[]+0.0951, +0.2552[]]); 0*",
            "Single queries *",
        ]
    )


def test_a_worse_retriever_fails_as_a_whole_and_on_the_question_that_lost_more(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKINGS", "bm25.run")
    told = run(project, "--rankproof-baseline", "data/hybrid.run")
    told.assert_outcomes(passed=QUERIES - 1 + 2, failed=2, warnings=1)
    told.stdout.fnmatch_lines(
        [
            "FAIL: assert_not_worse, candidate against hybrid (1 failed)",
            "*its one-sided 95% upper bound -0.1181 misses -0.0200.",
            "FAIL: query q16, candidate against hybrid (1 failed)",
            "*'wireless mouse small hands': 1.0000 -> 0.4286 (-0.5714)",
            "  lost most: q16 -0.5714, *",
            "FAILED *::test_the_retriever_is_not_worse *",
            "FAILED *::test_each_question[[]q16[]] *",
        ]
    )
    told.stdout.no_fnmatch_line("*Traceback*")
    told.stdout.no_fnmatch_line("*pytest_plugin.py*")
    told.stdout.no_fnmatch_line("*pytest_queries.py*")


@pytest.mark.parametrize(
    ("setting", "outcome"),
    [
        ("fail", {"failed": 2, "passed": QUERIES - 1 + 2}),
        ("warn", {"failed": 1, "passed": QUERIES + 2, "warnings": 1}),
        ("skip", {"failed": 1, "passed": QUERIES - 1 + 2, "skipped": 1}),
    ],
)
def test_an_undecided_retriever_is_what_the_setting_says(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, setting: str, outcome: dict[str, int]
) -> None:
    """The one that fails in every case is q20, for which nothing was retrieved: that is an answer, and the worst."""
    monkeypatch.setenv("RANKINGS", "dense.run")
    told = run(project, "--rankproof-undecided", setting)
    told.assert_outcomes(**outcome)
    told.stdout.fnmatch_lines(
        [
            "FAIL: query q20, candidate against bm25 (1 failed)",
            "R@10 over 20 queries: 0.5594 -> 0.6178 (+0.0585, *); 4 worse, 10 better",
        ]
    )
    told.stdout.fnmatch_lines_random(["*UNDECIDED: *"])


OTHERS = """
    import pytest

    GOLD = {"a": ["d1"], "b": ["d2", "d3"]}
    TEXTS = {"a": "first question", "b": "second question"}

    def test_a_retriever_that_fails(assert_not_worse):
        def broken(question):
            raise ConnectionError("refused by the index")
        assert_not_worse({"a": ["d1"], "b": ["d2"]}, broken, "R@5", margin=0.1, gold=GOLD, topics=TEXTS)

    def test_no_texts(assert_not_worse):
        assert_not_worse({"a": ["d1"], "b": ["d2"]}, lambda question: [], "R@5", margin=0.1, gold=GOLD)

    def test_no_margin(assert_not_worse):
        assert_not_worse({"a": ["d1"]}, {"a": ["d1"]}, "R@5", gold=GOLD)

    def test_the_same(assert_not_worse):
        same = {"a": ["d1"], "b": ["d2"]}
        assert assert_not_worse(same, lambda q: same[{v: k for k, v in TEXTS.items()}[q]], "R@5 AP", margin=0.1,
                                gold=GOLD, topics=TEXTS).status == "PASS"

    def test_scores_of_another_tool(assert_not_worse):
        old = [{"question_id": i, "faithfulness": 0.5 + i / 100} for i in range(30)]
        new = [{"question_id": i, "faithfulness": 0.6 + i / 90} for i in range(30)]
        assert assert_not_worse(old, new, "faithfulness", margin=0.05, scores=True).status == "PASS"

    def test_a_word_that_is_no_setting(assert_not_worse):
        runs = {"a": ["d1"], "b": ["d2"]}, {"a": ["d3"], "b": ["d2"]}
        assert_not_worse(*runs, "R@5", margin=0.1, gold=GOLD, undecided="perhaps")
"""


def test_functions_gold_scores_and_mistakes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OTHERS)
    told = run(pytester)
    told.assert_outcomes(passed=2, failed=4)
    told.stdout.fnmatch_lines(
        [
            "rankproof: the retriever failed on query 'a' ('first question'), so nothing is compared. *the index",
            "rankproof: a function retrieves by a query's text, and 2 of 2 judged queries have none ('a', 'b'). *",
            "rankproof: assert_not_worse needs measures and a margin, *",
            "*undecided is one of fail, warn, skip; got 'perhaps'",
        ]
    )


def test_a_query_without_a_baseline_or_judgments_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(relevance_query):\n    relevance_query.assert_not_worse(['d1'], 'R@5')\n")
    told = run(pytester)
    assert told.ret == pytest.ExitCode.INTERRUPTED
    told.stdout.fnmatch_lines(["*no qrels is configured. Add rankproof_qrels*"])
    (pytester.path / "gold.json").write_text('{"a": ["d1"], "b": ["d2"]}')
    told = run(pytester, "--rankproof-qrels", "gold.json")
    told.assert_outcomes(failed=2)
    told.stdout.fnmatch_lines(["rankproof: no baseline is configured. *"])


def test_unjudged_documents_leave_a_loss_undecided_where_judgments_name_what_is_not_relevant(
    pytester: pytest.Pytester,
) -> None:
    """The candidate's first document was never judged: it may be relevant, unless gold names the relevant ones only."""
    pytester.makepyfile(
        "def test_it(relevance_query):\n    relevance_query.assert_not_worse(['new', 'd9'], 'P@2', tolerance=0.1)\n"
    )
    (pytester.path / "base.json").write_text('{"a": ["d1", "d9"]}')
    for gold, word in (("a 0 d1 1\na 0 d9 0\n", "UNDECIDED"), ("a 0 d1 1\n", "FAIL")):
        (pytester.path / "gold.trec").write_text(gold)
        told = run(pytester, "--rankproof-qrels", "gold.trec", "--rankproof-baseline", "base.json")
        told.assert_outcomes(failed=1)
        told.stdout.fnmatch_lines([f"{word}: query a, *"])


def test_a_measure_that_goes_by_the_top_grade_takes_that_of_all_judgments(pytester: pytest.Pytester) -> None:
    """ERR of one document of grade 1 among grades up to 3 is (2^1 - 1) / 2^3 = 0.125; alone it would be 0.5."""
    pytester.makepyfile(
        "def test_it(relevance_query):\n"
        "    err = relevance_query.assert_not_worse(None, 'ERR@5').evaluation['ERR(max_grade=3)@5'].mean\n"
        "    assert err == {'a': 0.125, 'b': 0.875}[relevance_query.query_id]\n"
    )
    (pytester.path / "gold.trec").write_text("a 0 d1 1\nb 0 d1 3\n")
    (pytester.path / "run.json").write_text('{"a": ["d1"], "b": ["d1"]}')
    sides = [f"--rankproof-{side}=run.json" for side in ("baseline", "candidate")]
    run(pytester, "--rankproof-qrels", "gold.trec", *sides).assert_outcomes(passed=2)


def test_what_a_retriever_may_give() -> None:
    assert as_ranking(["d1", "d2"], "q") == ["d1", "d2"]
    assert as_ranking(("d1", "d2"), "q") == ["d1", "d2"]
    assert as_ranking([("d1", 0.5), ("d2", 0.4)], "q") == {"d1": 0.5, "d2": 0.4}
    assert as_ranking({"d1": 0.5}, "q") == {"d1": 0.5}
    assert as_ranking(iter(["d1"]), "q") == ["d1"]
    for wrong in ("d1", None, 5, [("d1", 0.5), ("d1", 0.4)]):
        with pytest.raises(InputError, match="'q'"):
            as_ranking(wrong, "q")


def test_the_summary_of_a_measure_that_is_better_low() -> None:
    kept = [KeptValue(f"q{i}", "AvgPos", "lower", 2.0, 2.0 + (i % 3) * 0.5 - 0.25) for i in range(12)]
    first, second = summary_lines(kept)
    assert first.endswith("8 worse, 4 better")
    assert "q2 +0.7500" in second
