"""`--columns` on every command that reads runs and qrels; and what is understood without it, from the command line.

A test is named after what somebody would type first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankproof
from rankproof.cli.shared.root import cli
from rankproof.reading.collect import NO_GRADES

RUN = CliRunner()
# RR: q1 finds d1 first, q2 finds d7 second; the other way around q1 second, q2 first: 3/4 both, told apart by query.
ROWS = [("q1", "d1", 0.9), ("q1", "d2", 0.2), ("q2", "d9", 0.8), ("q2", "d7", 0.7)]
BY_SCORE = {"q1": 1.0, "q2": 0.5}
BY_DISTANCE = {"q1": 0.5, "q2": 1.0}
NAMES = ("frage", "stück", "nähe")
COLUMNS = "run:query_id=frage,run:doc_id=stück,run:score=nähe"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.trec").write_text("q1 0 d1 1\nq2 0 d7 1\n")
    (tmp_path / "gold.csv").write_text("query_id,doc_id,grade\nq1,d1,1\nq2,d7,1\n")
    odd_run("odd.csv")
    odd_run("odd2.csv", scores=(0.1, 0.2, 0.8, 0.9))
    return tmp_path


def odd_run(path: str, names: tuple[str, ...] = NAMES, scores: tuple[float, ...] = (0.9, 0.2, 0.8, 0.7)) -> None:
    """A run under names that nobody could guess, in the format that the ending names."""
    rows = [(query, doc, score) for (query, doc, _), score in zip(ROWS, scores, strict=True)]
    if path.endswith(".parquet"):
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = zip(*rows, strict=True)
        parquet.write_table(pyarrow.table(dict(zip(names, map(list, columns), strict=True))), path)
        return
    if path.endswith(".jsonl"):
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    else:
        separator = "\t" if path.endswith(".tsv") else ","
        lines = [separator.join(map(str, row)) for row in (names, *rows)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def invoke(*line: str) -> Result:
    return RUN.invoke(cli, list(line), prog_name="rankproof")


def by_query(*line: str) -> dict[str, float]:
    told = invoke("evaluate", *line, "-m", "RR", "--json", "-q")
    assert told.exit_code == 0, told.output
    return dict(json.loads(told.stdout)["evaluations"][0]["measures"]["RR"]["by_query"])


def fine_print(*line: str) -> list[str]:
    told = invoke("evaluate", *line, "-m", "RR", "--json")
    assert told.exit_code == 0, told.output
    return list(json.loads(told.stdout)["evaluations"][0]["fine_print"])


# ---- --columns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_columns_in_every_format_that_has_names(ending: str) -> None:
    odd_run(f"run.{ending}")
    assert by_query("gold.trec", f"run.{ending}", "--columns", COLUMNS) == BY_SCORE
    away = COLUMNS.replace("score", "distance")
    assert by_query("gold.trec", f"run.{ending}", "--columns", away) == BY_DISTANCE
    assert "query from 'frage', document from 'stück', score from 'nähe'" in fine_print(
        "gold.trec", f"run.{ending}", "--columns", COLUMNS
    )


def test_columns_may_be_repeated_and_shared_by_judgments_and_run() -> None:
    Path("gold.tsv").write_text("frage\tstück\tnote\nq1\td1\t1\nq2\td7\t1\n")
    repeated = [word for pair in ("query_id=frage", "doc_id=stück", "score=nähe") for word in ("--columns", pair)]
    assert by_query("gold.tsv", "odd.csv", *repeated, "--columns", "grade=note") == BY_SCORE
    # Judgments in TREC text have no names, and what is said to both is then for the run.
    assert by_query("gold.trec", "odd.csv", *repeated) == BY_SCORE


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("compare gold.csv odd.csv odd2.csv RR", "odd2 against odd"),
        ("leaderboard gold.csv odd.csv odd2.csv RR", "2 systems by RR"),
        ("power gold.csv odd.csv odd2.csv -m RR", "odd against odd2"),
        ("next gold.csv odd.csv odd2.csv -m RR", "odd2 - odd"),
        ("similarity odd.csv odd2.csv", "2 queries in both"),
        ("audit rerank odd.csv odd2.csv --qrels gold.csv", "CLEAN"),
        ("runs validate odd.csv --qrels gold.csv", "odd.csv: valid"),
        ("validate gold.csv odd.csv --qrels gold.csv", "odd.csv: valid run"),
        ("convert odd.csv odd.trec", "odd.csv -> odd.trec (trec): run, 2 queries, 4 rows"),
    ],
)
def test_columns_on_every_command_that_reads_runs(line: str, holds: str) -> None:
    without = invoke(*line.split())
    assert without.exit_code in (1, 2), without.output  # nobody could guess these names
    told = invoke(*line.split(), "--columns", COLUMNS)
    assert told.exit_code == 0, told.output
    assert holds in told.output
    assert "gold.csv: valid run" not in told.output


def test_columns_tell_convert_and_validate_what_a_file_holds() -> None:
    Path("labels.csv").write_text("frage,stück,note\nq1,d1,1\nq2,d7,1\n")
    columns = "query_id=frage,doc_id=stück,grade=note"
    assert "labels.csv: valid qrels" in invoke("validate", "labels.csv", "--columns", columns).output
    assert invoke("convert", "labels.csv", "labels.trec", "--columns", columns).exit_code == 0
    assert Path("labels.trec").read_text() == "q1 0 d1 1\nq2 0 d7 1\n"
    told = invoke("convert", "labels.csv", "topics.tsv", "--noun", "topics", "--columns", columns)
    assert told.exit_code == 2


def test_a_manifest_has_the_columns_and_verify_reads_by_them() -> None:
    assert invoke("evaluate", "gold.csv", "odd.csv", "RR", "--columns", COLUMNS, "--manifest", "m.json").exit_code == 0
    assert json.loads(Path("m.json").read_text())["parameters"]["reading"]["columns"] == [COLUMNS]
    told = invoke("verify", "m.json")
    assert told.exit_code == 0
    assert "verified" in told.output


@pytest.mark.parametrize("columns", [f'"{COLUMNS}"', '{run = {query_id = "frage", doc_id = "stück", score = "nähe"}}'])
def test_columns_in_a_policy(columns: str) -> None:
    def policy(said: str) -> Result:
        Path("policy.toml").write_text(
            '[policy]\nqrels = "gold.csv"\ncandidate = "odd.csv"\nbaseline = "odd2.csv"\n'
            f"[evaluate]\ncolumns = {said}\n"
            '[[rule]]\nrule = "least_value"\nmeasure = "RR"\nat_least = 0.7\nbasis = "point"\n'
            '[[rule]]\nrule = "checks"\n',
            encoding="utf-8",
        )
        return invoke("gate", "policy.toml")

    told = policy(columns)
    assert told.exit_code == 0, told.output
    assert policy("7").exit_code == 2
    assert "sc0re" in policy('"sc0re=nähe"').output
    missing = policy('"run:query_id=question"')
    assert missing.exit_code == 1
    assert "stück" in missing.output


@pytest.mark.parametrize(
    ("columns", "status", "names"),
    [
        ("run:query_id=frage,run:doc_id=id", 1, ("odd.csv", "frage, stück, nähe", "'id'")),
        ("query_id=frage", 1, ("gold.csv", "query_id, doc_id, grade", "'frage'", "qrels:query_id=NAME")),
        ("frage", 2, ("'frage'", "query_id=question_id")),
        ("frage=query_id", 2, ("query_id=question_id",)),
        ("topic=frage", 2, ("'topic'", "query_id, doc_id")),
        ("runs:score=nähe", 2, ("'runs:score'", "run:score=NAME")),
        ("score=nähe,score=stück", 2, ("'score'", "'nähe'", "'stück'")),
        ("run:doc_id=frage,run:query_id=frage", 2, ("'frage'", "query_id", "doc_id")),
    ],
)
def test_columns_that_cannot_be_meant(columns: str, status: int, names: tuple[str, ...]) -> None:
    told = invoke("evaluate", "gold.csv", "odd.csv", "RR", "--columns", columns)
    assert told.exit_code == status, told.output
    for name in names:
        assert name in told.output, told.output


def test_columns_for_files_that_have_no_names_are_refused() -> None:
    Path("plain.run").write_text("q1 Q0 d1 1 0.9 x\n")
    for line in ("evaluate gold.trec plain.run RR", "convert plain.run x.json", "runs validate plain.run"):
        told = invoke(*line.split(), "--columns", "score=nähe")
        assert told.exit_code == 2, told.output
        assert "columns" in told.output
    assert invoke("evaluate", "gold.trec", "plain.run", "RR", "--columns", "run:score=nähe").exit_code == 2
    # From Python the same.
    with pytest.raises(rankproof.errors.UsageError):
        rankproof.evaluate("gold.trec", "plain.run", "RR", columns={"score": "nähe"})


def test_scores_and_kept_reports_take_no_columns() -> None:
    assert invoke("compare", "--scores", "odd.csv", "odd2.csv", "--columns", COLUMNS).exit_code == 2
    assert invoke("compare", "--saved", "a.json", "b.json", "--columns", COLUMNS).exit_code == 2


# ---- what is understood without it ---------------------------------------------------------------


def _written(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("name", "gold"),
    [
        ("lists.json", {"q1": ["d1"], "q2": ["d7"]}),
        ("one_id.json", {"q1": "d1", "q2": "d7"}),
        ("parallel.json", {"queries": ["q1", "q2"], "relevant": [["d1"], ["d7"]]}),
        (
            "wide.jsonl",
            '{"question_id": "q1", "relevant_ids": ["d1"]}\n{"question_id": "q2", "relevant_ids": ["d7"]}\n',
        ),
        ("no_grade.csv", "question_id,chunk_id\nq1,d1\nq2,d7\n"),
        ("no_grade.tsv", "qid\tpassage_id\nq1\td1\nq2\td7\n"),
        ("pairs.jsonl", '{"qid": "q1", "context_id": "d1"}\n{"qid": "q2", "context_id": "d7"}\n'),
    ],
)
def test_gold_without_grades_from_a_file(name: str, gold: Any) -> None:
    odd_run("run.csv", ("query_id", "doc_id", "score"))
    assert by_query(_written(name, gold), "run.csv") == BY_SCORE
    assert NO_GRADES in fine_print(name, "run.csv")


@pytest.mark.parametrize("query", ["question_id", "qid", "query_id", "user_input", "topic"])
@pytest.mark.parametrize("doc", ["chunk_id", "context_id", "passage_id", "pid", "node_id", "docno"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_usual_names_of_ids(query: str, doc: str, ending: str) -> None:
    odd_run(f"run.{ending}", (query, doc, "score"))
    assert by_query("gold.trec", f"run.{ending}") == BY_SCORE
    assert any(repr(query) in line and repr(doc) in line for line in fine_print("gold.trec", f"run.{ending}"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("similarity", BY_SCORE),
        ("relevance_score", BY_SCORE),
        ("distance", BY_DISTANCE),
        ("cosine_distance", BY_DISTANCE),
        ("score", BY_SCORE),
    ],
)
def test_similarity_ranks_down_and_distance_ranks_up(name: str, values: dict[str, float], ending: str) -> None:
    odd_run(f"run.{ending}", ("qid", "pid", name))
    assert by_query("gold.trec", f"run.{ending}") == values


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", ["position", "rank"])
def test_a_position_ranks_from_the_least_on(name: str, ending: str) -> None:
    odd_run(f"run.{ending}", ("qid", "pid", name), scores=(2, 1, 2, 1))
    assert by_query("gold.trec", f"run.{ending}") == BY_DISTANCE


def test_one_wide_file_with_lists_for_both() -> None:
    samples = [
        {"user_input": "q1", "retrieved_context_ids": ["d1", "d2"], "reference_context_ids": ["d1"]},
        {"user_input": "q2", "retrieved_context_ids": ["d9", "d7"], "reference_context_ids": ["d7"]},
    ]
    _written("samples.jsonl", "".join(f"{json.dumps(sample)}\n" for sample in samples))
    assert by_query("samples.jsonl", "samples.jsonl") == BY_SCORE
    columns = {
        "question": [s["user_input"] for s in samples],
        "top": [s["retrieved_context_ids"] for s in samples],
        "right": [s["reference_context_ids"] for s in samples],
    }
    _written("columns.json", columns)
    assert by_query("columns.json", "columns.json", "--columns", "retrieved=top,relevant=right") == BY_SCORE


def test_several_runs_at_once() -> None:
    told = invoke("evaluate", "gold.trec", "odd.csv", "odd2.csv", "-m", "RR", "--json", "--columns", COLUMNS)
    means = {e["run"]: e["measures"]["RR"]["value"] for e in json.loads(told.stdout)["evaluations"]}
    assert means == {"odd": 0.75, "odd2": 0.75}
    several = rankproof.evaluate(
        "gold.trec",
        {"a": "odd.csv", "b": "odd2.csv"},
        "RR",
        columns={"run": dict(zip(("query_id", "doc_id", "score"), NAMES, strict=True))},
    )
    assert several["b"]["RR"].by_query == {"q1": 0.5, "q2": 1.0}


def test_nuggets_are_found_by_content() -> None:
    # d2 supports the first in part (1/2), d1 supports it (1) and the okay one; nothing retrieved supports the second.
    nuggets = [
        {
            "query_id": "q1",
            "nugget": "lowers risk",
            "importance": "vital",
            "support": {"d1": "support", "d2": "partial_support"},
        },
        {"query_id": "q1", "nugget": "in adults", "importance": "vital", "support": {"d3": "support"}},
        {"query_id": "q1", "nugget": "since 2019", "importance": "okay", "support": {"d1": "support"}},
    ]
    _written("nuggets.jsonl", "".join(f"{json.dumps(nugget)}\n" for nugget in nuggets))
    Path("n.run").write_text("q1 Q0 d2 1 0.9 x\nq1 Q0 d1 2 0.8 x\n")
    told = invoke("evaluate", "nuggets.jsonl", "n.run", "-m", "NuggetRecall@1 NuggetRecall@2", "--json")
    assert told.exit_code == 0, told.output
    measures = json.loads(told.stdout)["evaluations"][0]["measures"]
    assert {name: measure["value"] for name, measure in measures.items()} == {
        "NuggetRecall@1": pytest.approx(0.5 / 3), "NuggetRecall@2": pytest.approx(2 / 3),
    }  # fmt: skip
    expected = rankproof.evaluate(rankproof.read_nuggets("nuggets.jsonl"), "n.run", "NuggetRecall@2")
    assert measures["NuggetRecall@2"]["value"] == expected["NuggetRecall@2"].mean
    assert "valid qrels" in invoke("validate", "nuggets.jsonl").output
    _written("broken.jsonl", json.dumps({**nuggets[0], "importance": "nice"}) + "\n")
    refused = invoke("evaluate", "broken.jsonl", "n.run", "NuggetRecall@2")
    assert refused.exit_code == 1
    assert "broken.jsonl, line 1" in refused.output
    assert "'nice'" in refused.output
