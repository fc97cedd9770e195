"""`rankproof tasks`: the searches that agents made for each task, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import rankproof
from rankproof.cli.shared.root import cli
from rankproof.kernel.schema_files import bundled

RUN = CliRunner()
# Two documents are needed for each task.
QRELS = "".join(f"t{i} 0 a{i} 2\nt{i} 0 b{i} 1\nt{i} 0 x{i} 0\n" for i in range(30))


def write(path: str, calls: dict[str, list[list[str]]], tokens: int | None = 10) -> None:
    """Calls as JSON lines; call n of a task costs n times `tokens`, and the number of the task."""
    rows = [
        {"task_id": task, "call": n, "docs": docs, **({} if tokens is None else {"tokens": n * tokens + i})}
        for i, (task, searches) in enumerate(calls.items())
        for n, docs in enumerate(searches, 1)
    ]
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


SLOW = {f"t{i}": [[f"a{i}", f"x{i}"], [f"x{i}"], [f"b{i}"]] for i in range(30)}
FAST = {f"t{i}": [[f"a{i}", f"b{i}"]] if i % 5 else [[f"a{i}"], [f"b{i}"]] for i in range(30)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels.trec").write_text(QRELS)
    write("slow.jsonl", SLOW)
    write("fast.jsonl", FAST)
    return tmp_path


def invoke(line: str) -> Result:
    return RUN.invoke(cli, line.split(), prog_name="rankproof")


def answered(line: str) -> dict[str, Any]:
    told = invoke(f"tasks {line} --json")
    assert told.exit_code == 0, told.output
    document: dict[str, Any] = json.loads(told.stdout)
    Draft202012Validator(bundled(document["schema"])).validate(document)
    return document


def refused(line: str, status: int, *names: str) -> None:
    told = invoke(f"tasks {line}")
    assert told.exit_code == status, told.output
    assert told.output.count("\n") == 1, told.output  # one message
    for name in names:
        assert name in told.output, told.output


# ---- what comes out ------------------------------------------------------------------------------


def test_a_worked_example_by_hand() -> None:
    """t1 finds a, then nothing new, then b; t2 never finds c; t3 has no line; t4 is not judged."""
    Path("q.trec").write_text("t1 0 a 1\nt1 0 b 1\nt2 0 c 1\nt3 0 d 1\n")
    Path("calls.csv").write_text("task_id,docs,tokens\nt1,a x,10\nt1,x a,20\nt1,y b,5\nt2,x,7\nt2,,\nt4,d,1\n")
    document = answered("q.trec calls.csv -q")
    (told,) = document["evaluations"]
    assert {name: (round(m["value"], 4), m["by_query"]) for name, m in told["measures"].items()} == {
        "AllRecall@20": (0.3333, {"t1": 1, "t2": 0, "t3": 0}),
        "R@20": (0.3333, {"t1": 1, "t2": 0, "t3": 0}),
        "CallsToAll": (3, {"t1": 3}),
        "Calls": (2.5, {"t1": 3, "t2": 2}),
        # The second call of t1, and the second of t2, which returned nothing: (1/3 + 1/2) / 2.
        "RedundantCalls": (0.4167, {"t1": 1 / 3, "t2": 0.5}),
        "Tokens": (35, {"t1": 35}),  # 10 + 20 + 5; of t2 one call has none
        "TokensToAll": (35, {"t1": 35}),
    }
    lines = " ".join(told["fine_print"])
    for text in (
        "never found everything, without CallsToAll and TokensToAll: 2 (t2, t3)",
        "not in the calls, found nothing, without a price: 1 (t3)",
        "a call without its tokens, without Tokens: 1 (t2)",
        "with calls, not judged, not scored: 1 (t4)",
    ):
        assert text in lines


def test_one_file_is_what_python_evaluates() -> None:
    (told,) = answered("qrels.trec slow.jsonl -m R@1,nDCG@5 --depth 1 --level 2 -q")["evaluations"]
    expected = rankproof.evaluate_tasks("qrels.trec", "slow.jsonl", "R@1 nDCG@5", depth=1, level=2)
    assert told["run"] == expected.run_name == "slow"
    assert {name: measure["by_query"] for name, measure in told["measures"].items()} == {
        name: result.by_query for name, result in expected.items()
    }
    # At level 2 the first call finds all that is needed, and the names say the level.
    assert set(told["measures"]["CallsToAll(rel=2)"]["by_query"].values()) == {1}
    assert "R(rel=2)@1" in told["measures"]
    assert expected["R@1"].mean == expected["R(rel=2)@1"].mean == 1


def test_several_files_are_compared_as_everywhere() -> None:
    document = answered("qrels.trec slow.jsonl fast.jsonl")
    made = [rankproof.evaluate_tasks("qrels.trec", f"{n}.jsonl", "AllRecall@20 R@20", name=n) for n in ("slow", "fast")]
    expected = rankproof.compare_evaluations(made)
    assert document["systems"] == ["slow", "fast"]
    assert document["contrasts"] == json.loads(json.dumps(expected.to_dict(by_query=False)))["contrasts"]
    turned = answered("qrels.trec slow.jsonl fast.jsonl -m Calls --baseline fast.jsonl")
    assert turned["systems"] == ["fast", "slow"]
    # 3 calls against 1.2: the first measure decides, and fewer calls are better.
    first = turned["contrasts"][0]
    assert (first["measure"], first["direction"]) == ("Calls", "worse")
    assert first["difference"]["value"] == pytest.approx(1.8)


def test_measures_of_calls_stand_where_they_are_named() -> None:
    measures = answered("qrels.trec slow.jsonl -m Tokens -m R@5 -m Calls")["evaluations"][0]["measures"]
    assert list(measures) == ["Tokens", "R@5", "Calls", "CallsToAll", "RedundantCalls", "TokensToAll"]
    leveled = answered("qrels.trec slow.jsonl -m callstoall(rel=2),calls -l 2")["evaluations"][0]["measures"]
    assert list(leveled)[:2] == ["CallsToAll(rel=2)", "Calls"]


def test_a_task_that_was_never_solved_is_told_beside_the_numbers() -> None:
    write("lost.jsonl", {**FAST, "t3": [["x3"], ["a3"]]})
    for shown in (invoke("tasks qrels.trec slow.jsonl lost.jsonl"), invoke("tasks qrels.trec lost.jsonl slow.jsonl")):
        (warning,) = [line for line in shown.output.splitlines() if "Warning: CallsToAll" in line]
        assert "lost has none on 1 (t3)" in warning
        assert "AllRecall" in warning
        assert "AllRecall@20" in shown.output
    document = answered("qrels.trec slow.jsonl lost.jsonl")
    (contrast,) = [c for c in document["contrasts"] if c["measure"] == "CallsToAll"]
    assert "t3" in json.dumps(contrast["difference"])
    # Neither solved it: then the others are compared, and nothing is one-sided.
    write("lost2.jsonl", {**SLOW, "t3": [["x3"]]})
    both = answered("qrels.trec lost.jsonl lost2.jsonl")
    assert not any("CallsToAll" in warning for warning in both["warnings"])


def test_tokens_that_only_one_system_has_are_not_dropped_silently() -> None:
    write("unpriced.jsonl", FAST, tokens=None)
    shown = invoke("tasks qrels.trec slow.jsonl unpriced.jsonl")
    assert "unpriced has no Tokens, TokensToAll" in shown.output
    refused("qrels.trec unpriced.jsonl -m Tokens", 2, "Tokens", "unpriced")


def test_calls_that_all_returned_nothing_are_the_worst_answer_and_no_mistake() -> None:
    write("silent.jsonl", {task: [[], []] for task in FAST})
    measures = answered("qrels.trec silent.jsonl")["evaluations"][0]["measures"]
    assert measures["AllRecall@20"]["value"] == measures["R@20"]["value"] == 0
    assert measures["RedundantCalls"]["value"] == 1
    compared = answered("qrels.trec slow.jsonl silent.jsonl")
    assert compared["contrasts"][0]["direction"] == "worse"


# ---- kept evaluations ----------------------------------------------------------------------------


def test_a_gate_on_calls_decides_on_kept_evaluations() -> None:
    for name in ("slow", "fast"):
        assert invoke(f"tasks qrels.trec {name}.jsonl --save {name}.json").exit_code == 0
    Path("policy.toml").write_text('[[rule]]\nrule = "least_gain"\nmeasure = "Calls"\nat_least = 1\n')
    assert invoke("gate policy.toml --saved --baseline slow.json --candidate fast.json").exit_code == 0
    assert invoke("gate policy.toml --saved --baseline fast.json --candidate slow.json").exit_code == 1
    shown = invoke("compare --saved slow.json fast.json --json")
    assert shown.exit_code == 0, shown.output
    directly = answered("qrels.trec slow.jsonl fast.jsonl")
    assert json.loads(shown.stdout)["contrasts"] == directly["contrasts"]


def test_a_gate_is_undecided_where_a_task_was_never_solved() -> None:
    write("lost.jsonl", {**FAST, "t3": [["x3"], ["a3"]]})
    for name in ("slow", "lost"):
        invoke(f"tasks qrels.trec {name}.jsonl --save {name}.json")
    Path("policy.toml").write_text('[[rule]]\nrule = "no_regression"\nmeasure = "CallsToAll"\nmargin = 0.1\n')
    told = invoke("gate policy.toml --saved --baseline slow.json --candidate lost.json")
    assert told.exit_code == 3, told.output
    assert "t3" in told.output


@pytest.mark.parametrize("option", ["--depth 1", "--level 2"])
def test_evaluations_by_other_rules_are_not_compared(option: str) -> None:
    invoke("tasks qrels.trec slow.jsonl --save slow.json")
    invoke(f"tasks qrels.trec fast.jsonl --save fast.json {option}")
    told = invoke("compare --saved slow.json fast.json")
    if option == "--depth 1":
        assert told.exit_code == 1, told.output
    else:  # the names say the level: what has another name is not compared, and the reader is told
        assert "slow has no AllRecall(rel=2)@20" in told.output
        assert "fast has no AllRecall@20" in told.output


def test_reports_in_every_form() -> None:
    written = invoke("tasks qrels.trec slow.jsonl fast.jsonl --html page.html --markdown page.md")
    assert written.exit_code == 0, written.output
    for page in ("page.html", "page.md"):
        for name in ("AllRecall@20", "CallsToAll", "RedundantCalls", "TokensToAll"):
            assert name in Path(page).read_text()
    one = invoke("tasks qrels.trec slow.jsonl -o table.txt --html one.html")
    assert one.exit_code == 0, one.output
    assert "RedundantCalls" in Path("table.txt").read_text()
    assert "RedundantCalls" in Path("one.html").read_text()


def test_the_answer_does_not_depend_on_the_order_of_lines() -> None:
    lines = Path("slow.jsonl").read_text().splitlines(keepends=True)
    first = answered("qrels.trec slow.jsonl -q")
    Path("slow.jsonl").write_text("".join(reversed(lines)))
    second = answered("qrels.trec slow.jsonl -q")
    first.pop("observed"), second.pop("observed")
    assert first == second


# ---- what is refused -----------------------------------------------------------------------------


def test_outputs_never_overwrite_inputs() -> None:
    before = Path("slow.jsonl").read_text()
    for option in ("-o", "--html", "--markdown", "--save"):
        refused(f"qrels.trec slow.jsonl {option} slow.jsonl", 2, "slow.jsonl")
        refused(f"qrels.trec slow.jsonl {option} qrels.trec", 2, "qrels.trec")
    refused("qrels.trec slow.jsonl --baseline fast.jsonl -o fast.jsonl", 2, "fast.jsonl")
    assert Path("slow.jsonl").read_text() == before


def test_wrong_usage_is_one_message() -> None:
    refused("qrels.trec slow.jsonl --seed 3", 2, "--seed")
    refused("qrels.trec slow.jsonl fast.jsonl --save kept.json", 2, "--save")
    refused("qrels.trec slow.jsonl -m NoSuch@5", 2, "NoSuch")
    refused("qrels.trec slow.jsonl -m CallsToAl", 2, "'CallsToAll'")
    refused("qrels.trec slow.jsonl --depth 0", 2, "--depth")
    refused("qrels.trec slow.jsonl fast.jsonl --format trec", 2, "trec")
    refused("- -", 2, "Standard input")
    refused("qrels.trec nowhere.jsonl", 1, "nowhere.jsonl")
    refused("qrels.trec qrels.trec", 1, "qrels.trec", "task_id")
    refused("slow.jsonl qrels.trec", 2, "slow.jsonl", "QRELS")
    assert not Path("kept.json").exists()


def test_calls_of_other_tasks_are_refused() -> None:
    write("other.jsonl", {"z1": [["a1"]]})
    refused("qrels.trec other.jsonl", 1, "other", "z1", "t0")


def test_faults_of_a_file_come_with_their_line() -> None:
    lines = Path("slow.jsonl").read_text().splitlines(keepends=True)
    for fault, names in (
        ('{"task_id": "t0", "call": 1, "docs": []}\n', ("line 91", "line 1", "'t0'")),
        ('{"task_id": "t0", "call": 7, "docs": [], "tokens": -4}\n', ("line 91", "-4")),
        ('{"task_id": "t0", "call": 7}\n', ("line 91", "docs")),
    ):
        Path("bad.jsonl").write_text("".join([*lines, fault]))
        refused("qrels.trec bad.jsonl -o out.txt", 1, "bad.jsonl", *names)
    assert not Path("out.txt").exists()
