"""`rankproof ab`: an A/B test from one table has the checks, the verdict and the statuses of `rankproof trial`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def ab(*args: object) -> dict[str, Any]:
    told = run("ab", *args, "--json")
    document: dict[str, Any] = json.loads(told.stdout)
    assert "error" not in document, document
    return document


def table(
    path: Path, n: int = 2000, lift: float = 0.0, names: tuple[str, str] = ("control", "treatment"), lost: float = 0.0
) -> None:
    """Users with a conversion, heavy-tailed revenue, searches and a latency; of the treatment a share gets lost."""
    rng = np.random.default_rng(5)
    lines = ["user_id,group,converted,revenue,clicks,searches,latency,device"]
    for unit in range(n):
        side = int(rng.integers(2))
        converted = int(rng.random() < 0.3 + side * lift)
        revenue = round(float(rng.lognormal(2, 1.5)), 2) if converted else 0.0
        searches = int(rng.integers(1, 5))
        clicks = int(rng.binomial(searches, 0.4 + side * lift / 2))
        latency = round(float(rng.lognormal(4.5, 0.4)), 1)
        device = ("phone", "desk")[int(rng.integers(2))]
        if side == 0 or rng.random() >= lost:
            lines.append(f"u{unit},{names[side]},{converted},{revenue},{clicks},{searches},{latency},{device}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "good.csv", lift=0.15)
    table(tmp_path / "none.csv")
    return tmp_path


def effect(document: dict[str, Any], metric: str) -> dict[str, Any]:
    (found,) = [e for e in document["trial"]["effects"] if e["metric"]["name"] == metric]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("file", "status", "word"), [("good.csv", 0, "PASS"), ("none.csv", 3, "UNDECIDED")])
def test_the_verdict_and_its_status(here: Path, file: str, status: int, word: str) -> None:
    told = run("ab", file, "--variant", "group", "--metric", "converted")
    assert told.exit_code == status
    assert told.output.startswith(word)


def test_a_worse_treatment_fails(here: Path) -> None:
    table(here / "bad.csv", lift=-0.2)
    assert run("ab", "bad.csv", "--variant", "group", "--metric", "converted").exit_code == 1


def test_the_written_design_gives_the_same_answer(here: Path) -> None:
    args = ("--metric", "converted", "--metric", "revenue", "--metric", "clicks/searches", "--segment", "device")
    more = ("--guardrail", "latency:p95:lower=10%")
    asked = ab("good.csv", "--variant", "group", *args, *more, "--write-config", "trial.toml")
    assert run("trial", "collect", "trial.toml", "good.csv", "--day", "2026-11-01", "-o", "day.json").exit_code == 0
    read = json.loads(run("trial", "read", "trial.toml", "day.json", "--json").stdout)
    assert read["status"] == asked["status"]
    assert read["trial"]["effects"] == asked["trial"]["effects"]
    assert read["trial"]["segments"] == asked["trial"]["segments"]
    assert read["trial"]["sample_ratio"] == asked["trial"]["sample_ratio"]
    for mine, theirs in zip(asked["rulings"], read["rulings"], strict=True):
        assert (mine["status"], mine["reason"]) == (theirs["status"], theirs["reason"])


def test_kinds_are_found_in_the_values_and_said(here: Path) -> None:
    document = ab("good.csv", "--variant", "group", "--metric", "converted", "--metric", "revenue")
    assert effect(document, "converted")["metric"]["kind"] == "proportion"
    assert effect(document, "revenue")["metric"]["kind"] == "mean"
    said = " ".join(document["notes"])
    assert "converted:binary" in said
    assert "revenue:mean" in said
    assert "planned shares: control 50%, treatment 50%" in said


def test_the_first_metric_decides_and_others_are_watched(here: Path) -> None:
    document = ab(
        "good.csv", "--variant", "group", "--metric", "converted", "--metric", "revenue", "--metric", "clicks"
    )
    assert [e["role"] for e in document["trial"]["effects"]] == ["decision", "watch", "watch"]


def test_one_column_may_be_two_metrics(here: Path) -> None:
    document = ab("good.csv", "--variant", "group", "--metric", "revenue", "--metric", "revenue:binary")
    assert effect(document, "revenue:binary")["metric"]["kind"] == "proportion"
    assert effect(document, "revenue")["metric"]["kind"] == "mean"


def test_units_that_get_lost_fail_the_sample_ratio_and_withhold_the_rest(here: Path) -> None:
    table(here / "lost.csv", lift=0.15, lost=0.3)
    told = run("ab", "lost.csv", "--variant", "group", "--metric", "converted")
    assert told.exit_code == 1
    assert "planned shares" in told.output
    assert "withheld" in told.output
    document = ab("lost.csv", "--variant", "group", "--metric", "converted")
    assert document["trial"]["effects"] == []


def test_a_planned_split_that_is_not_even(here: Path) -> None:
    assert run("ab", "good.csv", "--variant", "group", "--metric", "converted", "--split", "90/10").exit_code == 1
    table(here / "lost.csv", n=4000, lift=0.15, lost=0.5)
    args = ("ab", "lost.csv", "--variant", "group", "--metric", "converted", "--split")
    assert run(*args, "2/1").exit_code == 0
    assert run(*args, "control=2,treatment=1").exit_code == 0
    for wrong in ("2/1/1", "half", "control=1", "1/0", "control=1,other=1"):
        told = run(*args, wrong)
        assert told.exit_code == 2, wrong
        assert "control" in told.stderr


def test_a_planned_variant_without_units_fails_the_sample_ratio(here: Path) -> None:
    split = "control=1,treatment=1,third=1"
    told = run("ab", "good.csv", "--variant", "group", "--metric", "converted", "--split", split)
    assert told.exit_code == 1
    assert "third 0" in told.output


def test_events_are_added_up_by_unit(here: Path) -> None:
    """Every row nine or ten times says nothing new about users; counted as units it would look ten times as sure."""
    lines = Path("none.csv").read_text().splitlines()
    Path("events.csv").write_text(
        "\n".join([lines[0], *(line for i, line in enumerate(lines[1:]) for _ in range(9 + i % 2))]) + "\n"
    )
    users = ab("none.csv", "--variant", "group", "--metric", "converted")
    events = ab("events.csv", "--variant", "group", "--metric", "converted")
    assert effect(users, "converted")["effect"]["low"] == effect(events, "converted")["effect"]["low"]
    rows = ab("events.csv", "--variant", "group", "--metric", "converted", "--unit", "*")
    assert effect(rows, "converted")["effect"]["low"] > effect(users, "converted")["effect"]["low"]
    assert sum(rows["trial"]["units"].values()) == len(Path("events.csv").read_text().splitlines()) - 1


def test_rows_are_units_where_no_column_names_them(here: Path) -> None:
    text = Path("good.csv").read_text().replace("user_id", "number_of_row")
    Path("rows.csv").write_text(text)
    rows, users = (ab(file, "--variant", "group", "--metric", "converted") for file in ("rows.csv", "good.csv"))
    assert effect(rows, "converted") == effect(users, "converted")
    assert "each row counts as one" in " ".join(rows["notes"])
    run("ab", "rows.csv", "--variant", "group", "--metric", "converted", "--write-config", "rows.toml")
    assert tomllib.loads(Path("rows.toml").read_text())["columns"]["unit"] == "*"
    assert run("trial", "collect", "rows.toml", "rows.csv", "--day", "2026-11-01", "-o", "d.json").exit_code == 0
    assert json.loads(run("trial", "read", "rows.toml", "d.json", "--json").stdout)["status"] == rows["status"]


def test_units_in_two_variants_and_missing_values_are_left_out_and_counted(here: Path) -> None:
    lines = Path("good.csv").read_text().splitlines()
    lines += [
        "u0,control,1,1,1,1,1,desk",
        "u0,treatment,1,1,1,1,1,desk",
        "x1,control,,,1,1,1,desk",
        ",control,1,1,1,1,1,a",
    ]
    lines += ["x2,,1,1,1,1,1,desk"]
    Path("odd.csv").write_text("\n".join(lines) + "\n")
    dropped = ab("odd.csv", "--variant", "group", "--metric", "converted")["trial"]["dropped"]
    assert dropped == {
        "units without converted": 1,
        "units in two variants": 1,
        "rows without a unit": 1,
        "rows without a variant": 1,
    }


@pytest.mark.parametrize(
    ("names", "control"),
    [(("A", "B"), "A"), (("0", "1"), "0"), (("Baseline", "new"), "Baseline"), (("x", "off"), "off")],
)
def test_the_control_is_found_by_its_usual_names(here: Path, names: tuple[str, str], control: str) -> None:
    table(here / "t.csv", names=names)
    assert ab("t.csv", "--variant", "group", "--metric", "converted")["trial"]["control"] == control


def test_a_control_that_has_no_usual_name_is_asked_for(here: Path) -> None:
    table(here / "t.csv", names=("blue", "green"))
    told = run("ab", "t.csv", "--variant", "group", "--metric", "converted")
    assert told.exit_code == 2
    assert all(word in told.stderr for word in ("blue", "green", "--control"))
    assert (
        ab("t.csv", "--variant", "group", "--metric", "converted", "--control", "green")["trial"]["control"] == "green"
    )
    told = run("ab", "t.csv", "--variant", "group", "--metric", "converted", "--control", "grene")
    assert told.exit_code == 2
    assert "'green'" in told.stderr


@pytest.mark.parametrize(
    ("args", "status", "named"),
    [
        (("--variant", "grup", "--metric", "converted"), 1, "group"),
        (("--variant", "group", "--metric", "convertd"), 1, "converted"),
        (("--variant", "group", "--metric", "converted:binry"), 2, "binary"),
        (("--variant", "group", "--metric", "clicks:ratio"), 2, "clicks/"),
        (("--variant", "group", "--metric", "clicks/serches"), 1, "searches"),
        (("--variant", "group", "--metric", "device"), 1, "device"),
        (("--variant", "latency", "--metric", "converted"), 1, "latency"),
        (("--variant", "group", "--metric", "converted", "--guardrail", "latency"), 2, "MARGIN"),
        (("--variant", "group", "--metric", "converted", "--unit", "usr_id"), 1, "user_id"),
        (("--variant", "group", "--metric", "converted", "--method", "welch"), 2, "units"),
        (("--variant", "group", "--metric", "converted", "--write-config", "no/such/t.toml"), 2, "no/such"),
        (("--variant", "group"), 2, "--metric"),
    ],
)
def test_what_is_wrong_is_named(here: Path, args: tuple[str, ...], status: int, named: str) -> None:
    told = run("ab", "good.csv", *args)
    assert told.exit_code == status, told.output
    assert named in told.stderr


def test_one_variant_and_no_rows_are_no_test(here: Path) -> None:
    Path("one.csv").write_text("group,x\ncontrol,1\ncontrol,0\n")
    told = run("ab", "one.csv", "--variant", "group", "--metric", "x")
    assert told.exit_code == 1
    assert "'control'" in told.stderr
    Path("empty.csv").write_text("group,x\n")
    assert run("ab", "empty.csv", "--variant", "group", "--metric", "x").exit_code == 1
    Path("blank.csv").write_text("group,x\ncontrol,\ntreatment,\n")
    assert "'x'" in run("ab", "blank.csv", "--variant", "group", "--metric", "x").stderr
    assert run("ab", "-", "--variant", "group", "--metric", "x").exit_code == 2


def test_values_without_spread_are_undecided_and_never_a_pass(here: Path) -> None:
    lines = [f"u{i},{('control', 'treatment')[i % 2]},{i % 2}" for i in range(200)]
    Path("flat.csv").write_text("\n".join(["user_id,group,x", *lines]) + "\n")
    assert run("ab", "flat.csv", "--variant", "group", "--metric", "x").exit_code == 3


def test_two_units_are_undecided(here: Path) -> None:
    Path("tiny.csv").write_text("user_id,group,x\na,control,1\nb,treatment,3\n")
    assert run("ab", "tiny.csv", "--variant", "group", "--metric", "x").exit_code == 3


def test_welch_takes_one_look_at_the_planned_size(here: Path) -> None:
    args = ("ab", "good.csv", "--variant", "group", "--metric", "converted", "--method", "welch", "--units")
    assert run(*args, "2000").exit_code == 0
    told = run(*args, "5000")
    assert told.exit_code == 3
    assert "day" not in told.output.partition("Effects")[0]


def test_names_of_any_script_survive_the_written_design(here: Path) -> None:
    table(here / "t.csv", lift=0.15, names=("control", 'new "\u00fc\\ x'.replace('"', "")))
    asked = ab("t.csv", "--variant", "group", "--metric", "converted", "--write-config", "t.toml")
    assert run("trial", "collect", "t.toml", "t.csv", "--day", "2026-11-01", "-o", "d.json").exit_code == 0
    assert json.loads(run("trial", "read", "t.toml", "d.json", "--json").stdout)["status"] == asked["status"]


def test_json_lines_and_parquet_read_alike(here: Path) -> None:
    import csv

    with open("good.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    typed = [{**row, "converted": row["converted"] == "1", "revenue": float(row["revenue"])} for row in rows]
    Path("good.jsonl").write_text("".join(json.dumps(row) + "\n" for row in typed))
    plain = ab("good.csv", "--variant", "group", "--metric", "converted", "--metric", "revenue")
    lines = ab("good.jsonl", "--variant", "group", "--metric", "converted", "--metric", "revenue")
    assert lines["trial"]["effects"] == plain["trial"]["effects"]
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow.Table.from_pylist(typed), "good.parquet")
    columns = ab("good.parquet", "--variant", "group", "--metric", "converted", "--metric", "revenue")
    assert columns["trial"]["effects"] == plain["trial"]["effects"]


def test_days_and_fine_print_stand_in_the_full_form_only(here: Path) -> None:
    request = ("ab", "good.csv", "--variant", "group", "--metric", "converted")
    short, full = run(*request).stdout, run(*request, "--full").stdout
    assert len(short.splitlines()) < len(full.splitlines())
    assert "Fine print" in full
    assert "Fine print" not in short
    assert "--full" in short
    assert "--full" not in full


def test_the_written_design_is_named(here: Path) -> None:
    told = run("ab", "good.csv", "--variant", "group", "--metric", "converted", "--write-config", "next.toml")
    assert "Design: next.toml" in told.output
