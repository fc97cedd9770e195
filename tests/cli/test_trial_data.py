"""`rankproof trial` on data that would fool it: refused, or told with numbers, and always in the verdict."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

DESIGN = """
[trial]
name = "t"
control = "old"
shares = {old = 0.5, new = 0.5}
method = "sequence(units=5000)"
[columns]
day = "day"
[[metric]]
name = "clicks"
value = "clicks"
covariate = "before"
"""
HEAD = "user_id,variant,day,clicks,before"
Row = tuple[Any, ...]


def trial(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["trial", *args])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("trial.toml").write_text(DESIGN)
    os.mkdir("days")
    return tmp_path


def write(path: str, rows: Iterable[Row]) -> str:
    Path(path).write_text("\n".join([HEAD, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def users(
    day: int, counts: dict[str, int], mean: float, *, seed: int = 0, before: dict[str, float] | None = None
) -> list[Row]:
    """New users of a day, one row each, whose clicks have that mean in both variants."""
    rng = np.random.default_rng([seed, day])
    date = f"2026-11-{day:02d}"
    return [
        (
            f"u{day}-{variant}-{i}",
            variant,
            date,
            int(rng.poisson(mean)),
            int(rng.poisson((before or {}).get(variant, 5))),
        )
        for variant, n in counts.items()
        for i in range(n)
    ]


def collected(*files: str, args: tuple[str, ...] = ()) -> click.testing.Result:
    told = trial("collect", "trial.toml", *files, "--into", "days", *args)
    assert told.exit_code == 0, told.output
    return told


def read() -> dict[str, Any]:
    """The verdict on all days, with the exit status that the command had."""
    told = trial("read", "trial.toml", "days", "--json")
    document: dict[str, Any] = json.loads(told.stdout)
    assert told.exit_code in (0, 1, 3), told.output
    return {**document, "exit": told.exit_code}


def failed(document: dict[str, Any]) -> list[str]:
    return [ruling["measure"] for ruling in document["rulings"] if ruling["status"] == "FAIL"]


def said(document: dict[str, Any], begins: str) -> str:
    found = [line for line in document["warnings"] if line.startswith(begins)]
    assert found, (begins, document["warnings"])
    return found[0]


HALVES = {"old": 500, "new": 500}


def test_simpsons_paradox_makes_no_effect_and_fails_as_evidence(here: Path) -> None:
    """60 : 40 on a poor day and 40 : 60 on a rich one: even in the sum, where the same ranking seems 6% better."""
    rows = [*users(1, {"old": 1200, "new": 800}, 2), *users(2, {"old": 800, "new": 1200}, 3)]
    collected(write("rows.csv", rows))
    document = read()
    assert (document["exit"], failed(document)) == (1, ["part_ratios"])
    assert document["trial"]["sample_ratio"]["holds"]  # the sum hides it
    assert document["trial"]["effects"] == []
    assert "2026-11-01: old 1,200 (planned 1,000), new 800" in document["rulings"][1]["reason"]


def test_a_small_tilt_of_days_is_taken_out_by_strata(here: Path) -> None:
    """Too small to be noticed on a day: variants are compared within days, so that it makes no effect either."""
    rows = [*users(1, {"old": 540, "new": 460}, 2), *users(2, {"old": 460, "new": 540}, 9)]
    collected(write("rows.csv", rows))
    document = read()
    assert document["exit"] == 3
    effect = document["trial"]["effects"][0]["effect"]
    assert abs(effect["value"]) < 0.04  # thrown together: +11%
    assert "days: variants are compared within each of 2 days, which are strata" in document["notes"]


@pytest.mark.parametrize("how", ["link", "copy", "packed", "other order", "JSON lines", "one day of it"])
def test_the_same_rows_in_two_files_are_refused(here: Path, how: str) -> None:
    rows = [*users(1, HALVES, 2), *users(2, HALVES, 2)]
    write("rows.csv", rows)
    other = "other.csv"
    if how == "link":
        os.symlink("rows.csv", other)
    elif how == "copy":
        shutil.copy("rows.csv", other)
    elif how == "packed":
        other = "other.csv.gz"
        Path(other).write_bytes(gzip.compress(Path("rows.csv").read_bytes()))
    elif how == "other order":
        write(other, [rows[i] for i in np.random.default_rng(0).permutation(len(rows))])
    elif how == "one day of it":
        write(other, rows[1000:])
    else:
        other = "other.jsonl"
        Path(other).write_text("".join(json.dumps(dict(zip(HEAD.split(","), row, strict=True))) + "\n" for row in rows))
    told = trial("collect", "trial.toml", "rows.csv", other, "--into", "days")
    assert told.exit_code == (2 if how == "link" else 1), told.output
    assert other in told.stderr
    assert "count twice" in told.stderr
    assert os.listdir("days") == []


def test_rows_that_were_doubled_or_repeat_are_refused(here: Path) -> None:
    rows = users(1, HALVES, 2)
    told = trial("collect", "trial.toml", write("twice.csv", [*rows, *rows]), "--into", "days")
    assert told.exit_code == 1
    assert "Every row is there 2 times" in told.stderr
    # With a time of their own no two rows can be alike.
    timed = [(u, v, f"{d}T10:{i // 60 % 60:02d}:{i % 60:02d}Z", *more) for i, (u, v, d, *more) in enumerate(rows)]
    told = trial("collect", "trial.toml", write("some.csv", [*timed, *timed[:30]]), "--into", "days")
    assert told.exit_code == 1
    assert "30 rows of 1,030 (2.91%) repeat another one" in told.stderr
    # Without one they may be what a user did twice: they are told.
    assert "30 rows that repeat another one" in collected(write("some.csv", [*rows, *rows[:30]])).stdout
    assert "30 rows that repeat" in said(read(), "odd rows")


def test_an_id_of_rows_shows_what_repeats(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN.replace('day = "day"', 'day = "day"\nrow = "event"'))
    lines = [f"{','.join(map(str, row))},e{i}" for i, row in enumerate(users(1, HALVES, 2))]
    Path("rows.csv").write_text("\n".join([f"{HEAD},event", *lines, lines[7]]) + "\n")
    told = trial("collect", "trial.toml", "rows.csv", "--into", "days")
    assert told.exit_code == 1
    assert "1 row of 1,001" in told.stderr


def test_one_files_rows_are_no_two_days(here: Path) -> None:
    """The same file collected for two days, by --day: one of them is a copy."""
    Path("trial.toml").write_text(DESIGN.replace('[columns]\nday = "day"\n', ""))
    write("rows.csv", users(1, HALVES, 2))
    for day in ("2026-11-01", "2026-11-02"):
        told = trial("collect", "trial.toml", "rows.csv", "--day", day, "-o", f"days/{day}.json")
        assert told.exit_code == 0, told.output
    told = trial("read", "trial.toml", "days")
    assert told.exit_code == 1
    assert "2026-11-02 has the same 1,000 rows as 2026-11-01" in told.stderr
    told = trial("collect", "trial.toml", "rows.csv", "--day", "2026-11-03", "--into", "days")
    assert told.exit_code == 1
    assert "same 1,000 rows" in told.stderr


def returning(days: int = 14, seed: int = 0) -> list[list[Row]]:
    """Every user comes on about half of the days, with a liking of their own."""
    rng = np.random.default_rng(seed)
    liking = rng.gamma(1.0, 2.0, 400)
    variants = [("old", "new")[int(code)] for code in rng.integers(0, 2, 400)]
    return [
        [
            (f"u{i}", variants[i], f"2026-11-{day:02d}", int(rng.poisson(liking[i])), 1)
            for i in np.flatnonzero(rng.random(400) < 0.5).tolist()
        ]
        for day in range(1, days + 1)
    ]


def test_returning_users_count_once_where_rows_are_together(here: Path) -> None:
    rows = [row for day in returning() for row in day]
    told = collected(write("rows.csv", rows))
    assert "rows of units that entered on another day" in told.stdout
    document = read()
    assert sum(document["trial"]["units"].values()) == len({row[0] for row in rows})
    assert failed(document) == []


def test_returning_users_in_files_of_single_days_fail_as_evidence(here: Path) -> None:
    for number, rows in enumerate(returning(), start=1):
        told = collected(write(f"{number}.csv", rows))
        assert ("users are in several days of the folder" in told.stdout) == (number > 1)
    document = read()
    assert (document["exit"], failed(document)) == (1, ["returning_units"])
    assert "counted on an earlier day already" in document["rulings"][1]["reason"]
    assert document["trial"]["effects"] == []


def test_user_days_have_wider_intervals_by_how_often_users_come(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN.replace('name = "t"', 'name = "t"\nenter = "every_day"'))
    for number, rows in enumerate(returning(), start=1):
        collected(write(f"{number}.csv", rows))
    document = read()
    assert failed(document) == []
    spread = document["trial"]["data"]["presence"]["spread"]
    # Of 14 days each with one half: the mean of squares over the mean, (14 / 4 + 49) / 7.
    assert spread == pytest.approx(7.5, rel=0.05)
    assert f"widened {spread:.3g} times" in said(document, "returning users")


def test_a_window_adds_up_what_users_do_later(here: Path) -> None:
    """Three days from entry: clicks of the third day count, those of the fourth do not, and open days wait."""
    Path("trial.toml").write_text(DESIGN.replace('name = "t"', 'name = "t"\nwindow = 3'))
    rng = np.random.default_rng(0)
    rows: list[Row] = []
    for entry in (1, 2, 3):
        for i in range(100):
            late = [(entry + 2, 10), (entry + 3, 1000)]
            rows += [
                (f"u{entry}-{i}", ("old", "new")[i % 2], f"2026-11-{day:02d}", clicks + int(rng.integers(2)), 1)
                for day, clicks in ((entry, 0), *late)
                if day <= 4
            ]
    told = collected(write("rows.csv", rows))
    assert "not complete: 2026-11-03" in told.stdout
    document = read()
    assert sum(document["trial"]["units"].values()) == 200
    assert 10 <= document["trial"]["effects"][0]["control"] <= 12
    assert "1 day from 2026-11-03 on" in said(document, "waiting")
    # What is complete stays as it is when later rows come: a ramp keeps its record.
    first = Path("days/2026-11-01.json").read_bytes()
    rows += [(f"u3-{i}", ("old", "new")[i % 2], "2026-11-05", 10, 1) for i in range(100)]
    rows += [(f"u1-{i}", ("old", "new")[i % 2], "2026-11-05", 70, 1) for i in range(100)]
    collected(write("rows.csv", rows))
    assert Path("days/2026-11-01.json").read_bytes() == first
    assert sum(read()["trial"]["units"].values()) == 300


def test_no_complete_day_is_an_error_that_says_when(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN.replace('name = "t"', 'name = "t"\nwindow = 7'))
    collected(write("rows.csv", users(1, HALVES, 2)))
    told = trial("read", "trial.toml", "days")
    assert told.exit_code == 1
    assert "2026-11-07" in told.stderr


def test_users_in_both_variants_are_refused_within_rows_and_across_files(here: Path) -> None:
    rows = users(1, HALVES, 2)
    swapped = [(u, {"old": "new", "new": "old"}[v], "2026-11-02", c, b) for u, v, _, c, b in rows[:50]]
    one, two = write("1.csv", rows), write("2.csv", [*users(2, HALVES, 2), *swapped])
    told = trial("collect", "trial.toml", one, two, "--into", "days")
    assert told.exit_code == 1
    assert "50 users of 2,000 (2.5%) were seen in two variants" in told.stderr
    collected(one)
    told = trial("collect", "trial.toml", two, "--into", "days")
    assert told.exit_code == 1
    assert "50 of 2,000 users (2.5%) are in another variant" in told.stderr
    # Collected apart, each by itself: the verdict knows.
    assert trial("collect", "trial.toml", two, "-o", "days/2026-11-02.json").exit_code == 0
    document = read()
    assert document["exit"] == 1
    assert "crossing_units" in failed(document)


def test_three_bots_are_told_and_a_rule_leaves_them_out(here: Path) -> None:
    rows = users(1, {"old": 4757, "new": 4757}, 0.2)
    rows += [(f"bot{i}", "new", "2026-11-01", 1, 5) for i in range(3) for _ in range(400)]
    collected(write("rows.csv", rows))
    document = read()
    told = said(document, "concentration: 3 of 9,517 users hold 39% of all clicks (3 in new)")
    assert "[exclude] rows" in told
    assert document["trial"]["effects"][0]["effect"]["value"] > 0.5
    Path("trial.toml").write_text(DESIGN + "[exclude]\nrows = 100\n")
    told_again = collected("rows.csv")
    assert "left out: 3 units with more than 100 rows" in told_again.stdout
    document = read()
    assert abs(document["trial"]["effects"][0]["effect"]["value"]) < 0.1
    assert not any(line.startswith("concentration") for line in document["warnings"])
    checks = {check["name"]: check for check in document["trial"]["data"]["checks"]}
    assert checks["left_out"]["reason"].startswith("old 0 (planned 2), new 3 (planned 2)")


def test_a_rule_that_takes_more_of_one_variant_fails_as_evidence(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN + "[exclude]\nrows = 2\n")
    rows = users(1, HALVES, 2)
    rows += [row for row in rows if row[1] == "new" and int(row[0].rpartition("-")[2]) < 60 for _ in range(3)]
    collected(write("rows.csv", rows))
    assert "left_out" in failed(read())


def test_programs_are_left_out_by_their_agent(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN.replace('day = "day"', 'day = "day"\nagent = "agent"'))
    lines = [f"{','.join(map(str, row))},{'Googlebot/2.1' if i % 10 == 0 else 'Firefox'}" for i, row in
             enumerate(users(1, HALVES, 2))]  # fmt: skip
    Path("rows.csv").write_text("\n".join([f"{HEAD},agent", *lines]) + "\n")
    assert "100 rows of user agents that say they are programs" in collected("rows.csv").stdout


def test_missing_days_and_days_outside_are_told(here: Path) -> None:
    dates = 'name = "t"\nbegins = 2026-11-02\nends = 2026-11-06'
    Path("trial.toml").write_text(DESIGN.replace('name = "t"', dates))
    told = collected(write("rows.csv", [row for day in (1, 3, 4, 6, 7) for row in users(day, HALVES, 2)]))
    assert "left out: 2,000 rows of units of days outside the trial" in told.stdout or len(os.listdir("days")) == 3
    document = read()
    assert document["trial"]["data"]["missing"] == ["2026-11-02", "2026-11-05"]
    assert "2026-11-02, 2026-11-05: 2 of 5 days have no file" in said(document, "missing days")


def test_what_differed_before_the_trial_fails_as_evidence(here: Path) -> None:
    collected(write("rows.csv", users(1, {"old": 2000, "new": 2000}, 2, before={"new": 6})))
    document = read()
    assert (document["exit"], failed(document)) == (1, ["before"])
    assert "Before the trial new differs from old by +0.9" in document["rulings"][1]["reason"]


def test_negative_counts_and_parts_above_their_whole_are_told(here: Path) -> None:
    metric = '[[metric]]\nready = "abandonment"\nrole = "watch"\n'
    Path("trial.toml").write_text(DESIGN + metric)
    lines = [f"{','.join(map(str, row))},1,{2 if i < 5 else 0}" for i, row in enumerate(users(1, HALVES, 2))]
    lines[9] = "odd,old,2026-11-01,-4,1,1,0"
    Path("rows.csv").write_text("\n".join([f"{HEAD},searches,abandoned", *lines]) + "\n")
    told = collected("rows.csv").stdout
    assert "odd: 1 row with a negative clicks" in told
    assert "odd: 5 units with more abandoned than searches" in told
    assert len([line for line in read()["warnings"] if line.startswith("odd rows")]) == 2


def test_ids_that_are_none_are_no_unit(here: Path) -> None:
    nothing = [
        ("null", "new", "2026-11-01", 50, 1),
        ("NaN", "old", "2026-11-01", 50, 1),
        ("(not set)", "old", "2026-11-01", 1, 1),
    ]
    told = collected(write("rows.csv", [*users(1, HALVES, 2), *nothing * 20]))
    assert "left out: 60 rows without a unit" in told.stdout
    assert "1,060  500  500" in told.stdout


def test_one_unit_with_much_of_all_rows_is_told(here: Path) -> None:
    rows = [*users(1, HALVES, 2), *(("00000000", "new", "2026-11-01", 0, i) for i in range(600))]
    collected(write("rows.csv", rows))
    assert "1 of 1,001 users hold 38% of all rows (1 in new)" in said(read(), "concentration")


def test_ids_that_lost_digits_are_refused_and_whole_numbers_are_one(here: Path) -> None:
    told = trial(
        "collect", "trial.toml", write("rows.csv", [("1.23457E+15", "old", "2026-11-01", 1, 1)]), "--into", "days"
    )
    assert told.exit_code == 1
    assert "rows.csv, line 2" in told.stderr
    assert "'1.23457E+15'" in told.stderr
    Path("rows.jsonl").write_text(
        '{"user_id": 1e16, "variant": "old", "day": "2026-11-01", "clicks": 1, "before": 1}\n'
    )
    assert trial("collect", "trial.toml", "rows.jsonl", "--into", "days").exit_code == 1
    same = [(17, "old"), ("17.0", "old"), (" 17 ", "old"), (18, "new")]
    told = collected(write("rows.csv", [(u, v, "2026-11-01", i, 1) for i, (u, v) in enumerate(same)]))
    assert told.stdout.splitlines()[1].split()[-2:] == ["1", "1"]


def test_ids_that_look_alike_are_told(here: Path) -> None:
    alike = [("Jos\u00e9", "old"), ("Jose\u0301", "new"), ("ANN", "old"), ("ann", "new"), ("a nn", "old")]
    told = collected(write("rows.csv", [*users(1, HALVES, 2), *((u, v, "2026-11-01", 1, 1) for u, v in alike)]))
    assert "5 units whose ids differ only by case, blanks or Unicode form" in told.stdout


def test_days_are_those_of_a_zone_also_where_clocks_change(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN.replace('day = "day"', 'day = "day"\nzone = "Europe/Berlin"'))
    # 25 October 2026 has 25 hours in Berlin: from 22:00 UTC of the day before to 23:00 UTC.
    times = {"2026-10-24T21:59:59Z": "2026-10-24", "2026-10-24T22:00:00Z": "2026-10-25",
             "2026-10-25T22:59:59Z":
    "2026-10-25",
             "2026-10-25T23:00:00Z": "2026-10-26", "2026-10-25T18:00:01-05:00": "2026-10-26",
             "1792969199": "2026-10-25", "1792969199000": "2026-10-25", "1792969200000000": "2026-10-26"}  # fmt: skip
    write("rows.csv", [(f"u{i}", "old", time, 1, 1) for i, time in enumerate(times)])
    collected("rows.csv")
    counts = {path.stem: json.loads(path.read_text())["units"]["old"] for path in Path("days").iterdir()}
    expected: dict[str, int] = {}
    for day in times.values():
        expected[day] = expected.get(day, 0) + 1
    assert counts == expected
    told = trial(
        "collect", "trial.toml", write("naive.csv", [("u", "old", "2026-10-25T00:30:00", 1, 1)]), "-o", "x.json"
    )
    assert told.exit_code == 1
    assert 'written = "UTC"' in told.stderr
    Path("trial.toml").write_text(DESIGN.replace('day = "day"', 'day = "day"\nzone = "Europe/Atlantis"'))
    assert trial("collect", "trial.toml", "rows.csv", "--into", "days").exit_code == 2


def test_a_day_file_changed_by_hand_is_refused(here: Path) -> None:
    collected(write("rows.csv", users(1, HALVES, 2)))
    path = Path("days/2026-11-01.json")
    document = json.loads(path.read_text())
    document["cells"][0]["moments"]["means"]["numerator"] += 0.5
    path.write_text(json.dumps(document))
    told = trial("read", "trial.toml", "days")
    assert told.exit_code == 1
    assert "its seal does not fit" in told.stderr


def test_old_day_files_are_read_and_say_what_they_cannot_show(here: Path) -> None:
    collected(write("rows.csv", users(1, HALVES, 2)))
    path = Path("days/2026-11-01.json")
    document = {key: value for key, value in json.loads(path.read_text()).items() if key not in ("trace", "seal")}
    path.write_text(json.dumps(document))
    assert any("1 file of days cannot show which users came back" in note for note in read()["notes"])


@pytest.mark.full
def test_two_collections_at_once_and_one_that_is_killed_leave_whole_days(here: Path) -> None:
    write("rows.csv", [row for day in range(1, 6) for row in users(day, HALVES, 2)])
    collected("rows.csv")
    whole = {path.name: path.read_bytes() for path in Path("days").iterdir()}
    command = [sys.executable, "-m", "rankproof", "trial", "collect", "trial.toml", "rows.csv", "--into", "days"]
    both = [threading.Thread(target=subprocess.run, args=(command,), kwargs={"capture_output": True}) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert {path.name: path.read_bytes() for path in Path("days").iterdir()} == whole
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(0.4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for path in Path("days").iterdir():
        assert whole.get(path.name, path.read_bytes()) == path.read_bytes()
    collected("rows.csv")
    assert {name: (Path("days") / name).read_bytes() for name in whole} == whole
