"""`rankproof judgments`: from a dataset and runs to a project, from judgments to qrels that evaluate as expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.judging_commands import done, refused, run
from tests.reading.datasets import made

from rankproof.cli.shared.root import cli
from rankproof.judging.records import Judgment, Mark
from rankproof.judging.store import open_store
from rankproof.measuring.evaluate import evaluate


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two queries, three documents, two runs; qrels of two judges who differ on d2 for q1."""
    monkeypatch.chdir(tmp_path)
    corpus = [{"_id": f"d{i}", "name": f"thing {i}", "text": f"text {i}", "url": f"x{i}"} for i in (1, 2, 3)]
    queries = [{"_id": "q1", "text": "red"}, {"_id": "q2", "text": "blue"}]
    made.beir(
        tmp_path / "shop", corpus=made.json_lines(*corpus), queries=made.json_lines(*queries), qrels="q1 0 d3 1\n"
    )
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d2 1 3 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d2 1 3 b\nq1 Q0 d9 2 2 b\nq7 Q0 d2 1 3 b\n")
    (tmp_path / "ann.trec").write_text("q1 0 d1 3\nq1 0 d2 0\nq2 0 d2 1\n")
    (tmp_path / "bob.csv").write_text("query_id,doc_id,grade\nq1,d1,3\nq1,d2,2\nq8,d1,1\n")
    return tmp_path


@pytest.fixture
def judged(here: Path) -> str:
    done("init", "judging.db", "-p", "shop", "--dataset", "shop", "--run", "a=a.run", "--run", "b.run")
    done("import", "judging.db", "ann.trec", "--judge", "ann")
    done("import", "judging.db", "bob.csv", "--judge", "bob")
    return "judging.db"


def test_a_project_is_made_of_a_dataset_and_runs(here: Path) -> None:
    (here / "rules.md").write_text("Be kind.")
    told = done(
        "init", "judging.db", "--project", "shop", "--title", "The shop", "--scale", "esci", "--dataset", "shop",
        "--run", "first=a.run", "--run", "b.run", "--guidelines", "rules.md", "--wanted", "3",
    )  # fmt: skip
    assert told.splitlines() == [
        "judging.db: project shop, scale esci",
        "  added: 2 queries, 3 documents",
        "  ranked or judged without a text: 1 document, shown by id",
        "  run first: 2 queries",
        "  run b: 1 query",
        "  now: 2 queries, 3 documents, 2 runs",
    ]
    with open_store("judging.db") as store:
        project = store.projects.get("shop")
        assert (project.name, project.scale.name, project.guidelines, project.wanted) == (
            "The shop", "esci", "Be kind.", 3,
        )  # fmt: skip
        assert (project.template.title, project.template.texts, project.template.link) == ("name", ("text",), "url")
        assert store.runs.rankings("shop", "q1") == {"first": ["d1", "d2"], "b": ["d2", "d9"]}
        assert store.items.documents("shop", ["d3"]) == {"d3": {"name": "thing 3", "text": "text 3", "url": "x3"}}


def test_more_can_be_added(judged: str, here: Path) -> None:
    (here / "c.run").write_text("q2 Q0 d1 1 3 c\n")
    assert "run c: 1 query\n" in done("add", judged, "--run", "c.run")
    assert "run c: 1 query (there already)" in done("add", judged, "--run", "c.run")
    (here / "c.run").write_text("q2 Q0 d2 1 3 c\n")
    assert "There is a run 'c' with other content" in refused("add", judged, "--run", "c.run")
    assert "nothing to add" in refused("add", judged)


def test_what_does_not_fit_together_leaves_nothing(here: Path) -> None:
    (here / "c.run").write_text("q7 Q0 d2 1 3 c\n")
    told = refused("init", "judging.db", "-p", "shop", "--dataset", "shop", "--run", "c.run")
    assert "The run 'c' has none of the project's queries" in told
    assert "Two runs are called 'a'" in refused(
        "init", "judging.db", "-p", "shop", "--dataset", "shop", "--run", "a=a.run", "--run", "a=b.run"
    )
    assert "No scale is called 'ecsi'. Did you mean 'esci'?" in refused("init", "x.db", "-p", "s", "--scale", "ecsi")
    assert "no field 'headline'. They have: name, text, url" in refused(
        "init", "x.db", "-p", "s", "--dataset", "shop", "--title-field", "headline"
    )
    assert not (here / "judging.db").exists()
    assert not (here / "x.db").exists()


def test_importing_says_what_is_new(judged: str) -> None:
    assert done("import", judged, "bob.csv", "--judge", "bob").splitlines() == [
        "0 judgments added to shop",
        "  there already: 2",
        "  left out, since the project does not have their queries: 1",
        "  bob: 2",
    ]


def test_imports_that_are_refused(judged: str, here: Path) -> None:
    assert "does not say who judged" in refused("import", judged, "ann.trec")
    (here / "high.trec").write_text("q1 0 d1 9\n")
    assert "has grade 9, and the scale 'graded' has 0, 1, 2, 3. Nothing was added" in refused(
        "import", judged, "high.trec", "--judge", "ann"
    )
    (here / "other.trec").write_text("z1 0 d1 1\n")
    assert "has none of the queries" in refused("import", judged, "other.trec", "--judge", "ann")
    (here / "own.csv").write_text("judge,query_id,doc_id,grade\ncy,q1,d1,1\n")
    assert "says itself who judged" in refused("import", judged, "own.csv", "--judge", "ann")
    assert "1 judgment added" in done("import", judged, "own.csv")
    assert "There is no judging store at no.db" in refused("import", "no.db", "ann.trec", "--judge", "ann")


def test_show(judged: str) -> None:
    assert done("show", judged).splitlines() == [
        "shop: shop, scale graded",
        "  2 queries, 3 documents, 2 runs, 0 flags, 0 picks, 0 preferences, 0 failures",
        "",
        "judge  source  judged  0  1  2  3  cannot tell  later",
        "ann    person       3  1  1  0  1            0      0",
        "bob    person       2  0  0  1  1            0      0",
        "",
        "3 pairs with a grade; 2 by two judges or more, 50.0% of them alike",
        "",
        "judges disagree: 1 pair",
        "query  document  grades",
        "q1     d2        ann 0, bob 2",
    ]


def test_adjudicate(judged: str, here: Path) -> None:
    lines = done("adjudicate", judged, "--qrels", "settled.trec").splitlines()
    assert lines[:2] == ["2 pairs of 2 queries settled; method: settled", "  grade 1: 1, grade 3: 1"]
    assert lines[2].startswith("  from 5 judgments by person, SHA-256 ")
    assert lines[4:] == [
        "how     pairs",
        "1 of 1      1",
        "2 of 2      1",
        "tie         1",
        "",
        "unresolved: 1 pair",
        "query  document  grades",
        "q1     d2        ann 0, bob 2",
    ]
    assert (here / "settled.trec").read_text() == "q1 0 d1 3\nq2 0 d2 1\n"


def test_settled_grades_evaluate_to_the_expected_number(judged: str, here: Path) -> None:
    done("export", judged, "qrels.trec", "--method", "trusted(judges=['bob'], otherwise='majority')")
    # q1: d1 3, d2 2; q2: d2 1. Run a has them in that order; run b finds d2 first and not d1.
    assert evaluate("qrels.trec", "a.run", "nDCG@2")["nDCG@2"].mean == pytest.approx(1.0)
    # Linear gains, q1: 2 / (3 + 2 / log2(3)) = 0.4693; q2 is missing from b and counts 0.
    found = evaluate("qrels.trec", "b.run", "nDCG@2")["nDCG@2"].mean
    assert found == pytest.approx(2 / (3 + 2 / 1.584962500721156) / 2)


def test_the_same_judgments_give_the_same_bytes(judged: str, here: Path) -> None:
    for name in ("one.json", "two.json"):
        done("adjudicate", judged, "--json", "-o", name, "--qrels", f"{name}.trec")
    assert (here / "one.json").read_bytes() == (here / "two.json").read_bytes()
    # Another store with the same acts, added in another order, settles them alike.
    done("export", judged, "acts.json", "--what", "judgments")
    acts = json.loads((here / "acts.json").read_text())
    acts["acts"].reverse()
    (here / "acts.json").write_text(json.dumps(acts))
    done("init", "other.db", "-p", "shop")
    done("import", "other.db", "acts.json")
    done("adjudicate", "other.db", "--json", "-o", "three.json", "--qrels", "three.trec")
    assert (here / "three.json").read_bytes() == (here / "one.json").read_bytes()
    assert (here / "three.trec").read_bytes() == (here / "one.json.trec").read_bytes()


@pytest.mark.parametrize("name", ["q.trec", "q.csv", "q.tsv", "q.json", "q.jsonl", "q.trec.gz", "q.parquet"])
def test_qrels_are_exported_in_every_format(judged: str, name: str) -> None:
    told = done("export", judged, name)
    assert told.splitlines()[0].endswith("2 settled pairs")
    assert told.splitlines()[-1] == "  unresolved and left out: 1 pair"
    from rankproof import read_qrels

    assert read_qrels(name).to_dict() == {"q1": {"d1": 3}, "q2": {"d2": 1}}


def test_acts_are_exported_with_what_was_taken_back(judged: str, here: Path) -> None:
    with open_store(judged) as store:
        last = store.judgments.last("shop", "bob")
        assert last is not None
        store.judgments.add(
            "shop", Judgment("f" * 32, "bob", last.query_id, last.doc_id, None, "withdrawn", withdraws=last.key)
        )
        store.marks.add("shop", Mark("e" * 32, "flag", "ann", "q1", "d1", "wrong", "=1+1"))
    assert "4 judgments" in done("export", judged, "now.csv", "--what", "judgments")
    assert "6 judgments" in done("export", judged, "all.csv", "--what", "judgments", "--history")
    assert "'=1+1" in run("export", judged, "-", "--what", "flags", "--to", "csv").stdout
    picks = json.loads(run("export", judged, "-", "--what", "picks").stdout)
    assert (picks["kind"], picks["acts"]) == ("picks", [])
    done("init", "other.db", "-p", "shop")
    assert "6 judgments added" in done("import", "other.db", "all.csv")
    done("export", "other.db", "again.csv", "--what", "judgments", "--history")
    assert (here / "again.csv").read_bytes() == (here / "all.csv").read_bytes()
    done("export", judged, "flags.json", "--what", "flags")
    assert "1 flag added" in done("import", "other.db", "flags.json")


def test_exports_that_are_refused(judged: str, here: Path) -> None:
    assert "flags are written as csv or json" in refused("export", judged, "x.txt", "--what", "flags")
    assert "--history exports all acts of judges" in refused("export", judged, "x.trec", "--history")
    assert "x.unknown" in refused("export", judged, "x.unknown")
    assert "No adjudication is called 'most'" in refused("export", judged, "x.trec", "--method", "most")
    assert not (here / "x.trec").exists()


def test_which_project_is_meant(judged: str) -> None:
    done("init", judged, "-p", "other")
    assert "several projects: shop, other. Name one with --project" in refused("show", judged)
    assert "No project is called 'shpo'. Did you mean 'shop'?" in refused("show", judged, "-p", "shpo")
    assert "There is a project 'shop' already" in refused("init", judged, "-p", "shop")
    with open_store("empty.db"):
        pass
    assert "has no project yet" in refused("show", "empty.db")


def test_reports_are_kept_once_and_all_or_none(judged: str) -> None:
    for name in "ab":
        made = CliRunner().invoke(cli, ["evaluate", "ann.trec", f"{name}.run", "-m", "P@1", "--save", f"{name}.json"])
        assert made.exit_code == 0, made.output
    assert "this is not JSON" in refused("keep", judged, "a.json", "shop/corpus.jsonl")
    with open_store(judged) as store:
        assert store.experiments.all("shop") == []
    assert done("keep", judged, "a.json", "b.json").startswith("a.json: evaluation of a, SHA-256 ")
    assert done("keep", judged, "a.json").endswith("(there already)\n")
    with open_store(judged) as store:
        assert [(one.kind, one.name) for one in store.experiments.all("shop")] == [
            ("evaluation", "a"),
            ("evaluation", "b"),
        ]
