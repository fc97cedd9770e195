"""`rankproof trial` and who its units are: counted once, in one variant, no programs, no ids that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cli.trial_rows import DESIGN, HALVES, HEAD, Row, begin, collected, failed, read, said, trial, users, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return begin(tmp_path, monkeypatch)


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
    assert told.exit_code == 2
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
    # The means are told; a share of the control is not, where three users hold this much of the variance.
    effect = document["trial"]["effects"][0]
    assert effect["treatment"] > 1.5 * effect["control"]
    assert effect["effect"]["value"] is None
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
