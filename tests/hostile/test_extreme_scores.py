"""Scores at the ends of floating point: no warning of NumPy, and the right answer, or a reason why there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankproof
import rankproof.arrays
from rankproof.cli.shared.root import cli
from rankproof.errors import InputError, UsageError

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
RUN = CliRunner()
UNITS = 30
RNG = np.random.default_rng(0)
POLICY = '[[rule]]\nrule = "no_regression"\nmeasure = "score"\nmargin = 0.05\n'
COMMANDS = [
    "compare --scores a.csv b.csv",
    "compare --scores a.csv b.csv c.csv",
    "leaderboard --scores a.csv b.csv c.csv",
    "gate policy.toml --scores a.csv b.csv",
    "power --scores a.csv b.csv",
]


def columns(scale: float) -> list[list[float]]:
    return (RNG.random((3, UNITS)) * scale).tolist()


# Values of three systems; the first one of "beyond" is too large to be squared and summed.
BEYOND: dict[str, list[list[float]]] = {
    "1e308": columns(1.7e308),
    "opposite ends": [[1.7e308] * UNITS, [-1.7e308] * UNITS, [0.0] * UNITS],
    "1e300 and 1": [[1e300 if (i + at) % 2 else 1.0 for i in range(UNITS)] for at in range(3)],
    "one of 1e300": [[1e300, *column[1:]] for column in columns(1)],
    "squares overflow": columns(1e200),
}
WITHIN: dict[str, list[list[float]]] = {
    "1e59": columns(1e59),
    "1e59 and 1": [[1e59 if (i + at) % 3 else 1.0 for i in range(UNITS)] for at in range(3)],
    "denormals": [[5e-324 * ((i + at) % 4) for i in range(UNITS)] for at in range(3)],
    "1e-200": columns(1e-200),
    "1e59 and denormals": [[1e59 if (i + at) % 3 else 5e-324 for i in range(UNITS)] for at in range(3)],
    "zeros of both signs": [[0.0, -0.0] * (UNITS // 2), [-0.0] * UNITS, [0.0] * UNITS],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


def write(folder: Path, systems: list[list[float]]) -> None:
    for name, values in zip("abc", systems, strict=True):
        rows = "".join(f"q{i},{value!r}\n" for i, value in enumerate(values))
        (folder / f"{name}.csv").write_text(f"id,score\n{rows}")


def invoke(line: str) -> Result:
    done = RUN.invoke(cli, line.split(), prog_name="rankproof")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", BEYOND)
def test_scores_that_overflow_are_refused_with_the_row(folder: Path, name: str, command: str) -> None:
    write(folder, BEYOND[name])
    done = invoke(command)
    assert done.exit_code == 1, done.output
    assert "'score'" in done.stderr
    assert "too large" in done.stderr
    assert "row" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", WITHIN)
def test_scores_of_any_size_below_are_answered_without_a_warning_of_numpy(
    folder: Path, name: str, command: str
) -> None:
    write(folder, WITHIN[name])
    assert invoke(command).exit_code in ((0, 1, 3) if command.startswith("gate") else (0,))


def test_a_large_score_gives_what_the_same_score_in_another_unit_gives() -> None:
    base = {f"q{i}": float(value) for i, value in enumerate(RNG.random(UNITS))}
    other = {unit: value + 0.1 + RNG.random() / 10 for unit, value in base.items()}
    usual = rankproof.compare_scores(base, other).contrast("score")
    large = rankproof.compare_scores(
        {u: v * 2.0**190 for u, v in base.items()}, {u: v * 2.0**190 for u, v in other.items()}
    ).contrast("score")
    assert large.direction == usual.direction == "better"
    assert large.p_value == pytest.approx(usual.p_value)
    assert usual.difference.value is not None
    assert large.difference.value == pytest.approx(usual.difference.value * 2.0**190)


def test_differences_too_small_to_count_are_told(folder: Path) -> None:
    write(folder, WITHIN["1e-200"])
    told = json.loads(invoke("compare --scores a.csv b.csv --json").stdout)
    assert any("count as none" in text and "another unit" in text for text in told["warnings"])
    write(folder, WITHIN["zeros of both signs"])
    told = json.loads(invoke("compare --scores a.csv b.csv --json").stdout)
    assert not any("count as none" in text for text in told["warnings"])


@pytest.mark.parametrize("cell", [float("inf"), 10**400, "1e999", 1e300])
def test_a_cell_without_end_is_not_left_out_in_silence(cell: Any) -> None:
    """It was, with its whole column, where another column was a score and none was named."""
    rows = [{"id": i, "score": i / 9, "cost": cell if i == 3 else 1.0 * i} for i in range(9)]
    with pytest.raises(InputError, match=r"row 4: .*'cost' is too large"):
        rankproof.compare_scores(rows, rows)
    assert rankproof.compare_scores(rows, rows, "score").measures == ("score",)


def test_a_range_without_end_is_refused() -> None:
    values = {f"q{i}": i / 9 for i in range(9)}
    with pytest.raises(UsageError, match="1e"):
        rankproof.compare_scores(values, values, ranges={"score": (-1e308, 1e308)})


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "scores",
    [
        RNG.random((12, 8)) * 1.7e308,
        np.where(RNG.random((12, 8)) < 0.5, 1.7e308, -1.7e308),
        np.where(RNG.random((12, 8)) < 0.5, 1e300, 1.0),
        5e-324 * RNG.integers(0, 5, (12, 8)),
        np.where(RNG.random((12, 8)) < 0.5, 0.0, -0.0),
    ],
    ids=["1e308", "opposite ends", "1e300 and 1", "denormals", "zeros of both signs"],
)
def test_arrays_rank_scores_of_any_size(scores: np.ndarray, dtype: type) -> None:
    """A ranking needs an order alone: the same as that of the places of the scores among all of them."""
    with np.errstate(over="ignore", under="ignore"):
        given = scores.astype(dtype)
    labels = (np.arange(96).reshape(12, 8) % 3 == 0).astype(int)
    if not np.isfinite(given).all():
        with pytest.raises(InputError, match="inf"):
            rankproof.arrays.evaluate(given, labels, "nDCG@5")
        return
    places = np.unique(given, return_inverse=True)[1].reshape(given.shape).astype(float)
    values = rankproof.arrays.evaluate(given, labels, "nDCG@5 RR")
    expected = rankproof.arrays.evaluate(places, labels, "nDCG@5 RR")
    assert values["nDCG@5"].by_query == expected["nDCG@5"].by_query
    rankproof.arrays.compare({"a": given, "b": given[:, ::-1].copy()}, labels, "nDCG@5 RR")
