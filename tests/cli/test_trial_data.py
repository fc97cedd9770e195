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
from pathlib import Path

import numpy as np
import pytest
from tests.cli.trial_rows import DESIGN, HALVES, HEAD, begin, collected, failed, read, said, trial, users, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return begin(tmp_path, monkeypatch)


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
    assert told.exit_code == 2
    assert "2026-11-02 has the same 1,000 rows as 2026-11-01" in told.stderr
    told = trial("collect", "trial.toml", "rows.csv", "--day", "2026-11-03", "--into", "days")
    assert told.exit_code == 1
    assert "same 1,000 rows" in told.stderr


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


def test_days_are_those_of_a_zone_also_where_clocks_change(here: Path) -> None:
    Path("trial.toml").write_text(DESIGN.replace('day = "day"', 'day = "day"\nzone = "Europe/Berlin"'))
    # 25 October 2026 has 25 hours in Berlin: from 22:00 UTC of the day before to 23:00 UTC.
    times = {"2026-10-24T21:59:59Z": "2026-10-24", "2026-10-24T22:00:00Z": "2026-10-25",
             "2026-10-25T22:59:59Z": "2026-10-25",
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
    assert told.exit_code == 2
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
