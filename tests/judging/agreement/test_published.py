"""Worked examples that the statistics' own authors published."""

from __future__ import annotations

import math

import pytest

from rankproof.proving.agreement import ratings_of, together, two
from rankproof.proving.agreement_records import AgreementFigure, Ratings

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units, a dot where
# an observer said nothing.
OBSERVERS = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
# Fleiss (1971), table 1: 30 patients, how many of six psychiatrists gave each of five diagnoses.
DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


def observed() -> Ratings:
    return ratings_of(
        {
            name: {f"unit {i}": {"d": int(word)} for i, word in enumerate(said.split()) if word != "."}
            for name, said in OBSERVERS.items()
        }
    )


@pytest.mark.parametrize(("kind", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff(kind: str, value: float) -> None:
    found = together(observed()).alpha[kind]
    assert isinstance(found, AgreementFigure)
    assert found.value == pytest.approx(value, abs=0.0005)
    assert found.pairs == 11  # the twelfth unit has one grade, which says nothing
    assert found.low < value < found.high


def test_fleiss() -> None:
    said: dict[str, dict[str, dict[str, int]]] = {f"psychiatrist {i}": {} for i in range(6)}
    for patient, counts in enumerate(DIAGNOSES.split()):
        given = [diagnosis for diagnosis, count in enumerate(counts) for _ in range(int(count))]
        for judge, diagnosis in zip(said, given, strict=True):
            said[judge][f"patient {patient}"] = {"d": diagnosis}
    found = together(ratings_of(said), pairwise=False)
    assert found.fleiss_grades == 6
    assert isinstance(found.fleiss, AgreementFigure)
    assert found.fleiss.value == pytest.approx(0.430, abs=0.0005)


def test_cohen() -> None:
    """Cohen (1960), table 1, shares of 200 pairs: (0.70 - 0.41) / (1 - 0.41) = 0.492."""
    shares = [[0.44, 0.07, 0.09], [0.05, 0.20, 0.05], [0.01, 0.03, 0.06]]
    first: dict[str, dict[str, int]] = {}
    second: dict[str, dict[str, int]] = {}
    for a, row in enumerate(shares):
        for b, share in enumerate(row):
            for i in range(round(200 * share)):
                query = f"{a}{b}{i}"
                first[query], second[query] = {"d": a}, {"d": b}
    found = two(ratings_of({"a": first, "b": second}), "a", "b")
    assert isinstance(found.kappa["none"], AgreementFigure)
    # 0.44 + 0.20 + 0.06 = 0.70; 0.60 x 0.50 + 0.30 x 0.30 + 0.10 x 0.20 = 0.41; 0.29 / 0.59 = 0.4915
    assert found.kappa["none"].value == pytest.approx(0.29 / 0.59)
    assert isinstance(found.share, AgreementFigure)
    assert found.share.value == pytest.approx(0.70)
    width = found.kappa["none"].high - found.kappa["none"].low
    # Where every pair is its own query, leaving out one at a time gives nearly the error of a plain sample.
    assert width / (2 * 1.972) == pytest.approx(plain_error(shares, 0.29 / 0.59, 200), rel=0.02)


def plain_error(shares: list[list[float]], kappa: float, n: int) -> float:
    """Fleiss, Cohen and Everitt, Large sample standard errors of kappa and weighted kappa (1969), equation 13."""
    rows, columns = [sum(row) for row in shares], [sum(column) for column in zip(*shares, strict=True)]
    chance = sum(a * b for a, b in zip(rows, columns, strict=True))
    same = sum(shares[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(3))
    other = sum(
        shares[i][j] * (columns[i] + rows[j]) ** 2 * (1 - kappa) ** 2 for i in range(3) for j in range(3) if i != j
    )
    return math.sqrt(same + other - (kappa - chance * (1 - kappa)) ** 2) / ((1 - chance) * math.sqrt(n))
