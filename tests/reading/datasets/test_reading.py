"""Reading: splits, samples and judged documents, whatever the layout."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.raising import raises
from tests.reading.datasets import made

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.datasets.documents import PIECE, lines_of
from rankproof.reading.datasets.read import read_dataset
from rankproof.reading.source import Source


def test_a_split_has_its_own_queries_only(tmp_path: Path) -> None:
    folder = made.splits(tmp_path / "s")
    test = read_dataset(folder, split="test")
    assert test.name == "s/test"
    assert set(test.texts) == {"q2", "q3"}
    assert test.qrels.to_dict() == {"q2": {"d2": 1}, "q3": {"d3": 1}}
    assert "2 queries are judged in no chosen split: left out" in test.notes
    assert test.findings == ()
    both = read_dataset(folder, split="all")
    assert both.part("test").content_hash == test.content_hash
    with raises(UsageError, folder, "split", "dev, test", "'all'"):
        read_dataset(folder)
    with raises(UnknownName) as unknown:
        read_dataset(folder, split="tset")
    assert (unknown.value.name, unknown.value.near) == ("tset", ["test"])


def test_a_pair_with_two_grades_in_two_splits(tmp_path: Path) -> None:
    folder = made.splits(tmp_path)
    with open(tmp_path / "qrels" / "test.tsv", "a") as file:
        file.write("q1\td1\t0\n")
    with raises(InputError, "'q1'", "'d1'", "grade 2", "dev", "0", "test"):
        read_dataset(folder, split="all")


def many(folder: Path) -> str:
    """Fifty judged queries, two documents each; one query that nobody judged."""
    numbers = range(50)
    queries = [{"_id": f"q{i}", "text": f"query {i}"} for i in (*numbers, 99)]
    corpus = [{"_id": f"{c}{i}", "text": f"{c} {i}"} for i in numbers for c in "xy"]
    qrels = "".join(f"q{i} 0 x{i} 1\nq{i} 0 y{i} 0\n" for i in numbers)
    return made.beir(folder, corpus=made.json_lines(*corpus), queries=made.json_lines(*queries), qrels=qrels)


def test_a_sample_is_the_same_every_time_and_grows(tmp_path: Path) -> None:
    folder = many(tmp_path)
    ten, again, twenty = (read_dataset(folder, sample=n) for n in (10, 10, 20))
    assert ten.content_hash == again.content_hash
    assert set(ten.texts) < set(twenty.texts)
    assert len(ten.qrels) == len(ten.queries) == 10
    assert "q99" not in twenty.texts
    assert list(ten.texts) == [query for query in (f"q{i}" for i in range(50)) if query in ten.texts]
    assert set(read_dataset(folder, sample=10, seed=1).texts) != set(ten.texts)
    assert len(ten.corpus or ()) == 100
    with raises(UsageError, "51", "50"):
        read_dataset(folder, sample=51)


def test_only_judged_documents(tmp_path: Path) -> None:
    found = read_dataset(many(tmp_path), sample=3, documents="judged")
    assert found.corpus is not None
    assert set(found.corpus.doc_ids) == {doc for docs in found.qrels.to_dict().values() for doc in docs}
    assert len(found.corpus) == 6


def test_the_content_hash_knows_content_only(tmp_path: Path) -> None:
    one = read_dataset(made.beir(tmp_path / "one"))
    turned = "\n".join(reversed(made.QRELS.splitlines())) + "\n"
    two = read_dataset(made.beir(tmp_path / "two", qrels=turned), name="other")
    assert one.content_hash == two.content_hash
    three = read_dataset(made.beir(tmp_path / "three", queries=made.QUERIES.replace("lamp", "lump")))
    assert one.content_hash != three.content_hash


def test_the_same_document_twice_is_refused(tmp_path: Path) -> None:
    with raises(InputError, "corpus.jsonl", "'d1'", "twice"):
        read_dataset(made.beir(tmp_path, corpus=made.CORPUS + made.CORPUS[: made.CORPUS.index("\n") + 1]))


@pytest.mark.parametrize(
    ("corpus", "values"),
    [
        ('{"_id": "d1"}\n{"_id": \n', ["line 2", "JSON"]),
        ('{"_id": "d1"}\n{"title": "no id"}\n', ["line 2", "'title'", "_id", "doc_id"]),
        ("[1]\n", ["line 1", "JSON object"]),
        ("\n", ["no documents"]),
    ],
)
def test_documents_that_cannot_be_read(corpus: str, values: list[str], tmp_path: Path) -> None:
    with raises(InputError, "corpus.jsonl", *values):
        read_dataset(made.beir(tmp_path, corpus=corpus))


def test_lines_across_pieces() -> None:
    long = b"x" * (PIECE - 3)
    data = long + b"\nab\r\n\xc3\xa4c\n\nend"
    assert list(lines_of(Source("s", data))) == [(1, long.decode()), (2, "ab"), (3, "äc"), (4, ""), (5, "end")]
    with raises(InputError, "s", "line 2", "0xff", "UTF-8"):
        list(lines_of(Source("s", b"a\n\xff\n")))
