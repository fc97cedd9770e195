"""`rankproof spans`: chunks as ranges of text, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import rankproof
from rankproof import spans
from rankproof.cli.shared.root import cli
from rankproof.kernel.schema_files import bundled

RUN = CliRunner()
NEEDED = ("query_id", "doc_id", "start", "end")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 queries on 6 documents: gold of 50 to 250 characters; short chunks hit it more often than long ones."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    texts = {f"d{i}": " ".join("x" * int(n) for n in rng.integers(1, 9, 500)) for i in range(6)}
    Path("docs.jsonl").write_text("".join(json.dumps({"_id": d, "text": t}) + "\n" for d, t in texts.items()))
    gold, short, long = [], [], []
    for q in range(40):
        doc, start = f"d{q % 6}", int(rng.integers(0, 1200))
        gold.append((f"q{q}", doc, start, start + int(rng.integers(50, 250)), 1))
        for rank in range(1, 4):
            near = max(0, start - 60 + 70 * rank)
            short.append((f"q{q}", doc, near, near + 100, rank))
            far = 400 * int(rng.integers(0, 4)) + rank
            long.append((f"q{q}", doc, far, far + 300, 1 / rank))
    write("gold.csv", (*NEEDED, "grade"), gold)
    write("short.csv", (*NEEDED, "rank"), short)
    write("long.csv", (*NEEDED, "score"), long)
    return tmp_path


def write(path: str, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    Path(path).write_text("\n".join(",".join(map(str, row)) for row in (header, *rows)) + "\n")


def invoke(line: str) -> Result:
    return RUN.invoke(cli, ["spans", *line.split()], prog_name="rankproof")


def answered(line: str) -> dict[str, Any]:
    told = invoke(f"{line} --json")
    assert told.exit_code == 0, told.output
    document: dict[str, Any] = json.loads(told.stdout)
    Draft202012Validator(bundled(document["schema"])).validate(document)
    return document


def refused(line: str, status: int, *names: str) -> None:
    told = invoke(line)
    assert told.exit_code == status, told.output
    assert told.output.count("\n") == 1, told.output  # one message
    for name in names:
        assert name in told.output, told.output


# ---- one system, several systems -----------------------------------------------------------------


def test_one_file_of_chunks_is_an_evaluation() -> None:
    document = answered("gold.csv short.csv -m SpanRecall@2 -m SpanIoU@150chars -q")
    expected = spans.evaluate("gold.csv", "short.csv", "SpanRecall@2 SpanIoU@150chars")
    assert document["schema"] == "evaluation/1"
    (told,) = document["evaluations"]
    assert told["run"] == "short"
    assert {name: measure["by_query"] for name, measure in told["measures"].items()} == {
        name: result.by_query for name, result in expected.items()
    }


def test_several_files_are_compared_as_compare_does() -> None:
    document = answered("gold.csv short.csv long.csv -m SpanRecall@300chars")
    made = [spans.evaluate("gold.csv", f"{n}.csv", "SpanRecall@300chars", name=n) for n in ("short", "long")]
    expected = rankproof.compare_evaluations(made)
    assert document["schema"] == "comparison/1"
    assert document["systems"] == ["short", "long"]
    assert document["contrasts"] == json.loads(json.dumps(expected.to_dict(by_query=False)))["contrasts"]
    assert expected.contrast("SpanRecall@300chars").direction == "worse"
    turned = answered("gold.csv short.csv long.csv -m SpanRecall@300chars --baseline long")
    assert turned["systems"] == ["long", "short"]
    assert turned["contrasts"][0]["direction"] == "better"


def test_without_measures_the_default_ones_at_a_budget() -> None:
    assert list(answered("gold.csv short.csv")["evaluations"][0]["measures"]) == [
        "SpanRecall@4000chars", "SpanPrecision@4000chars", "SpanIoU@4000chars",
    ]  # fmt: skip
    tokens = answered("gold.csv short.csv --unit tokens")["evaluations"][0]
    assert next(iter(tokens["measures"])) == "SpanRecall@1000tokens"
    assert any("unit: tokens" in line for line in tokens["fine_print"])


def test_tokens_of_texts_are_those_of_python() -> None:
    texts = {json.loads(line)["_id"]: json.loads(line)["text"] for line in Path("docs.jsonl").read_text().splitlines()}
    expected = spans.evaluate("gold.csv", "short.csv", "SpanRecall@20tokens", texts=texts, tokens=spans.WORDS)
    for tokens in ("words", r"\w+|[^\w\s]"):
        line = f"gold.csv short.csv -m SpanRecall@20tokens --texts docs.jsonl --tokens {tokens} -q"
        (told,) = answered(line)["evaluations"]
        assert told["measures"]["SpanRecall@20tokens"]["by_query"] == expected["SpanRecall@20tokens"].by_query
    other = answered(r"gold.csv short.csv -m SpanRecall@20tokens --texts docs.jsonl --tokens \S -q")["evaluations"][0]
    assert other["measures"]["SpanRecall@20tokens"]["by_query"] != expected["SpanRecall@20tokens"].by_query


def test_texts_as_one_object_and_twice() -> None:
    texts = {json.loads(line)["_id"]: json.loads(line)["text"] for line in Path("docs.jsonl").read_text().splitlines()}
    Path("object.json").write_text(json.dumps(texts))
    first = answered("gold.csv short.csv --texts object.json -q")["evaluations"][0]["measures"]
    assert first == answered("gold.csv short.csv --texts docs.jsonl -q")["evaluations"][0]["measures"]
    Path("twice.jsonl").write_text(Path("docs.jsonl").read_text() + '{"_id": "d1", "text": "other"}\n')
    refused("gold.csv short.csv --texts twice.jsonl", 1, "twice.jsonl, line 7", "'d1'")


def test_whole_leaves_out_the_chunk_that_crosses_the_budget() -> None:
    whole = answered("gold.csv short.csv -m SpanRecall@150chars --whole -q")["evaluations"][0]["measures"]
    ((name, told),) = whole.items()
    assert "whole" in name
    expected = spans.evaluate("gold.csv", "short.csv", "SpanRecall@100chars")["SpanRecall@100chars"]
    assert told["by_query"] == expected.by_query  # chunks have 100 characters: one fits into 150
    refused("gold.csv short.csv -m SpanRecall@5 --whole", 2, "--whole", "@4000chars")


# ---- overlap thresholds --------------------------------------------------------------------------


def test_overlap_thresholds_are_one_more_family_in_every_form() -> None:
    line = "gold.csv short.csv long.csv -m SpanRecall@300chars --overlap 0.25,0.5,0.75"
    overlaps = answered(line)["overlaps"]
    expected = spans.threshold_sensitivity(
        "gold.csv", {"short": "short.csv", "long": "long.csv"}, "SpanFound@300chars", thresholds=(0.25, 0.5, 0.75)
    )
    assert overlaps["measures"] == {f"{at:g}": text for at, text in expected.measures.items()}
    assert overlaps["stable"] == expected.stable
    assert [c["direction"] for c in overlaps["contrasts"]] == list(expected.directions("long").values())
    rows = [row[:5] for row in expected.section().table[1:]]
    written = invoke(f"{line} --html page.html --markdown page.md")
    assert written.exit_code == 0, written.output
    for shown in (written.output, invoke(f"{line} --full").output, Path("page.md").read_text()):
        assert "Overlap thresholds" in shown
        for row in rows:
            assert all(cell in shown for cell in row)
    page = Path("page.html").read_text()
    assert 'id="overlaps"' in page
    assert all(cell.replace("-", "\N{MINUS SIGN}") in page for row in rows for cell in row[2:])
    assert "overlaps" not in answered("gold.csv short.csv long.csv -m SpanRecall@300chars")


def test_overlap_thresholds_of_one_system_are_measures() -> None:
    measures = answered("gold.csv short.csv -m SpanRecall@2 --overlap 0.25,1")["evaluations"][0]["measures"]
    assert list(measures) == ["SpanRecall@2", "SpanFound(overlap=0.25)@2", "SpanFound(overlap=1)@2"]
    assert measures["SpanFound(overlap=0.25)@2"]["value"] > measures["SpanFound(overlap=1)@2"]["value"]


# ---- forms and files -----------------------------------------------------------------------------


def test_forms_and_files_of_an_evaluation() -> None:
    assert invoke("gold.csv short.csv -m SpanRecall@2 --format csv").output.startswith("run,")
    assert "SpanRecall@2" in invoke("gold.csv short.csv -m SpanRecall@2 --full").output
    assert invoke("gold.csv short.csv -m SpanRecall@2 --html one.html --markdown one.md -o one.txt").exit_code == 0
    for name in ("one.html", "one.md", "one.txt"):
        assert "SpanRecall@2" in Path(name).read_text()
    for name in ("two.tex", "two.csv"):
        form = "latex" if name.endswith("tex") else "csv"
        assert invoke(f"gold.csv short.csv long.csv -m SpanRecall@2 --format {form} -o {name}").exit_code == 0
        assert "SpanRecall@2" in Path(name).read_text()


def test_kept_reports_are_compared_later() -> None:
    for name in ("short", "long"):
        assert invoke(f"gold.csv {name}.csv -m SpanRecall@300chars --save {name}.json").exit_code == 0
    told = RUN.invoke(cli, ["compare", "--saved", "short.json", "long.json", "--json"])
    kept, at_once = json.loads(told.stdout), answered("gold.csv short.csv long.csv -m SpanRecall@300chars")
    assert kept["contrasts"] == at_once["contrasts"]
    refused("gold.csv short.csv long.csv --save both.json", 2, "--save")


def test_the_answer_is_the_same_each_time() -> None:
    line = "gold.csv short.csv long.csv --overlap 0.5"
    assert invoke(f"{line} --full").output == invoke(f"{line} --full").output


def test_segments_and_topics() -> None:
    Path("kinds.csv").write_text("query_id,kind\n" + "".join(f"q{i},{'ab'[i % 2]}\n" for i in range(40)))
    Path("topics.tsv").write_text("".join(f"q{i}\tquestion {i}\n" for i in range(40)))
    document = answered("gold.csv short.csv long.csv -m SpanRecall@2 --queries kinds.csv --by kind --topics topics.tsv")
    assert set(document["segments"]) == {"kind=a", "kind=b"}
    assert document["topics"]["q3"] == "question 3"


# ---- hostile inputs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "names"),
    [
        ("50", "40", ("line 2", "'q0'", "'d0'", "50 to 40")),
        ("40", "40", ("line 2", "40 to 40")),
        ("-1", "40", ("line 2", "-1 to 40")),
        ("nan", "40", ("line 2", "start", "'nan'")),
        ("1.5", "40", ("line 2", "start", "'1.5'")),
        ("", "40", ("line 2", "start")),
        ("1e3", "2e3", ("line 2", "start")),
        ("0", "99999999999999999999", ("line 2", "end")),
    ],
)
def test_ranges_that_are_none(start: str, end: str, names: tuple[str, ...]) -> None:
    write("bad.csv", NEEDED, [("q0", "d0", start, end)])
    refused("gold.csv bad.csv", 1, "bad.csv", *names)
    refused("bad.csv short.csv", 1, "bad.csv", *names)
    refused("gold.csv short.csv bad.csv", 1, "bad.csv", *names)


def test_past_the_end_and_unknown_documents_are_seen_with_texts() -> None:
    write("past.csv", NEEDED, [("q0", "d0", 0, 900_000)])
    write("unknown.csv", NEEDED, [("q0", "d99", 0, 10)])
    assert invoke("gold.csv past.csv").exit_code == 0
    assert invoke("gold.csv unknown.csv").exit_code == 0  # a chunk of a document without gold finds nothing
    refused("gold.csv past.csv --texts docs.jsonl", 1, "past.csv, line 2", "'d0'", "900000")
    refused("gold.csv unknown.csv --texts docs.jsonl", 1, "unknown.csv, line 2", "'d99'")


def test_empty_files_and_files_of_something_else() -> None:
    Path("empty.csv").write_text("")
    Path("header.csv").write_text(",".join(NEEDED) + "\n")
    Path("other.csv").write_text("query_id,doc_id,grade\nq1,d1,1\n")
    Path("broken.jsonl").write_text('{"query_id": "q1", \n')
    Path("binary.csv").write_bytes(b"\x00\xff" * 50)
    for name in ("empty.csv", "header.csv", "other.csv", "broken.jsonl", "binary.csv", "absent.csv"):
        refused(f"gold.csv {name}", 1, name)
        refused(f"{name} short.csv", 1, name)
    for name in ("empty.csv", "broken.jsonl", "gold.csv"):
        refused(f"gold.csv short.csv --texts {name}", 1, name)


def test_gold_and_chunks_exchanged() -> None:
    refused("short.csv gold.csv", 1, "short.csv", "'rank'", "exchanged")
    refused("long.csv gold.csv", 1, "long.csv", "'score'", "exchanged")
    refused("gold.csv gold.csv", 1, "gold.csv", "'grade'", "exchanged")
    Path("chunks.jsonl").write_text('{"query_id": "q1", "chunks": [{"doc_id": "d1", "start": 0, "end": 9}]}\n')
    refused("chunks.jsonl short.csv", 1, "chunks.jsonl, line 1", "'chunks'", "exchanged")


def test_a_doubled_file_is_warned_of() -> None:
    rows = [(f"q{q}", "d0", 100 * k, 100 * k + 100) for q in range(40) for k in range(3)]
    write("once.csv", NEEDED, rows)
    write("twice.csv", NEEDED, rows + rows)
    assert "stand twice" not in invoke("gold.csv once.csv").output
    told = invoke("gold.csv twice.csv").output
    assert "120 chunks of 240 stand twice" in told
    assert any("120 chunks" in warning for warning in answered("gold.csv once.csv twice.csv")["warnings"])
    Path("ranked.csv").write_text(Path("short.csv").read_text() + Path("short.csv").read_text().partition("\n")[2])
    refused("gold.csv ranked.csv", 1, "ranked.csv", "rank 1")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("gold.csv short.csv -m nDCG@10", ("span measure", "nDCG")),
        ("gold.csv short.csv -m SpanRecal@5", ("SpanRecall",)),
        ("gold.csv short.csv -m SpanRecall@100tokens", ("SpanRecall@100tokens", "chars")),
        ("gold.csv short.csv --unit tokens -m SpanRecall@100chars", ("SpanRecall@100chars", "tokens")),
        ("gold.csv short.csv --unit tokens --tokens words --texts docs.jsonl", ("--unit", "--tokens")),
        ("gold.csv short.csv --unit tokens --texts docs.jsonl", ("--texts",)),
        ("gold.csv short.csv --tokens words", ("--tokens", "--texts")),
        ("gold.csv short.csv --tokens (a --texts docs.jsonl", ("'(a'",)),
        ("gold.csv short.csv long.csv --overlap half", ("--overlap", "'half'")),
        ("gold.csv short.csv long.csv --overlap 0.5,1.5", ("1.5",)),
        ("gold.csv short.csv long.csv --overlap nan", ("nan",)),
        ("gold.csv short.csv --overlap 2", ("2",)),
        ("gold.csv short.csv --by kind", ("--by",)),
        ("gold.csv short.csv --seed 7", ("--seed",)),
        ("gold.csv short.csv long.csv --baseline other", ("other",)),
        ("gold.csv short.csv long.csv --format trec", ("trec", "comparison")),
        ("gold.csv short.csv -o gold.csv", ("gold.csv",)),
        ("gold.csv - -", ("-",)),
    ],
)
def test_what_cannot_be_meant(line: str, names: tuple[str, ...]) -> None:
    before = Path("gold.csv").read_text()
    refused(line, 2, *names)
    assert Path("gold.csv").read_text() == before


def test_a_table_is_the_same_however_it_is_written() -> None:
    plain = Path("short.csv").read_text()
    expected = answered("gold.csv short.csv -m SpanRecall@2 -q")["evaluations"][0]["measures"]
    quoted = "\n".join(
        [
            plain.splitlines()[0],
            *(f'"{line[: line.index(",")]}"{line[line.index(",") :]}' for line in plain.splitlines()[1:]),
        ]
    )
    for number, text in enumerate(
        (
            "\ufeff" + plain,
            plain.replace(",", ";"),
            plain.replace(",", "\t"),
            plain.replace("\n", "\r\n"),
            quoted,
            plain.replace("\n", "\n\n", 3),
        )
    ):
        Path(f"form{number}.csv").write_bytes(text.encode())
        told = answered(f"gold.csv form{number}.csv -m SpanRecall@2 -q")["evaluations"][0]["measures"]
        assert told == expected, number
    assert spans.read_chunks("short.csv").start.dtype == np.int64


def test_one_file_of_chunks_given_twice_was_a_traceback() -> None:
    for line in ("gold.csv short.csv short.csv -m SpanRecall@1", "gold.csv short.csv long.csv short.csv --overlap 0.5"):
        assert invoke(line).exit_code == 0, line
    assert answered("gold.csv short.csv short.csv -m SpanRecall@1")["systems"] == ["chunks 1", "chunks 2"]
