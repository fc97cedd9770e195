"""Names of documents in other tools' records, where one stands again in its ranking."""

import pytest

from rankproof.reading.formats._records import Naming


@pytest.mark.parametrize(
    ("ids", "named", "repeats"),
    [
        (["a", "b", "a", "a"], ["a", "b", "a×2", "a×3"], 2),
        (["a", "a", "a×2"], ["a", "a×3", "a×2"], 1),
        (["a×2", "a×2", "a", "a", "a"], ["a×2", "a×2×2", "a", "a×3", "a×4"], 3),
    ],
)
def test_a_document_that_stands_again_has_a_name_of_its_own(ids: list[str], named: list[str], repeats: int) -> None:
    naming = Naming()
    assert naming.ranking(iter(ids)) == named
    assert len(set(named)) == len(named)
    assert naming.repeats == repeats
