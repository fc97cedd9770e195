"""Datasets of Hugging Face's `datasets` as judgments, runs, topics, spans, scores and calls, with the real library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Refused, UsageError
from rankproof.reading import hugging_face
from rankproof.reading.hugging_face import unwrapped

datasets = pytest.importorskip("datasets", reason="the library `datasets` is not installed")
from datasets import Dataset, DatasetDict, IterableDataset, IterableDatasetDict  # noqa: E402

datasets.disable_progress_bars()

# As datasets of MTEB and BEIR on the hub have them.
GOLD = {
    "query-id": ["q1", "q1", "q2", "q2", "q3"],
    "corpus-id": ["d1", "d2", "d3", "d4", "d1"],
    "score": [1, 0, 2, 1, 1],
}
RUN = {
    "query-id": ["q1", "q1", "q2", "q2", "q3", "q3"],
    "corpus-id": ["d2", "d1", "d3", "d4", "d9", "d1"],
    "score": [0.9, 0.4, 0.8, 0.7, 0.3, 0.2],
}
OTHER = {
    "query-id": ["q1", "q1", "q2", "q2", "q3"],
    "corpus-id": ["d1", "d2", "d4", "d3", "d1"],
    "score": [0.9, 0.4, 0.8, 0.7, 0.2],
}


def nested(columns: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """The same as a dict of dicts."""
    made: dict[str, dict[str, Any]] = {}
    for query, doc, number in zip(*columns.values(), strict=True):
        made.setdefault(query, {})[doc] = number
    return made


def values(qrels: Any, run: Any) -> dict[str, dict[str, float]]:
    evaluation = rankproof.evaluate(qrels, run, "nDCG@10 RR AP")
    return {measure: result.by_query for measure, result in evaluation.items()}


EXPECTED = values(nested(GOLD), nested(RUN))


@pytest.fixture
def gold() -> Any:
    return Dataset.from_dict(GOLD)


@pytest.fixture
def run() -> Any:
    return Dataset.from_dict(RUN)


def test_judgments_and_run_are_those_of_the_columns(gold: Any, run: Any) -> None:
    assert values(gold, run) == EXPECTED
    assert EXPECTED["RR"] == {"q1": 0.5, "q2": 1.0, "q3": 0.5}


def test_a_table_is_read_where_it_lies(gold: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert unwrapped(gold) is gold.data.table
    assert unwrapped(gold.with_format("numpy")) is gold.data.table
    # A dataset whose rows are all there, in order, is never handed out row by row.
    monkeypatch.setattr(Dataset, "__getitem__", lambda *_: pytest.fail("a row was copied"))
    monkeypatch.setattr(Dataset, "__iter__", lambda *_: pytest.fail("a row was copied"))
    assert values(gold, nested(RUN)) == EXPECTED


@pytest.mark.parametrize("batch", [1, 2, 50_000])
def test_chosen_rows_are_the_ones_that_count(gold: Any, run: Any, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hugging_face, "BATCH", batch)
    two = {query: docs for query, docs in nested(GOLD).items() if query != "q2"}
    filtered = gold.filter(lambda row: row["query-id"] != "q2")
    assert filtered._indices is not None
    assert len(filtered.data.table) == 5  # the rows that were filtered out are still in the table
    assert values(filtered, run) == values(two, nested(RUN))
    chosen = gold.select([4, 1, 0])
    assert chosen._indices is not None
    assert unwrapped(chosen).to_pydict() == {name: [column[i] for i in (4, 1, 0)] for name, column in GOLD.items()}
    assert values(chosen, run) == values(two, nested(RUN))
    assert values(gold.select(range(3)).shuffle(seed=3), run) == values(gold.select(range(3)), run)
    assert values(gold.shuffle(seed=7), run.shuffle(seed=8)) == EXPECTED
    assert values(gold.sort("corpus-id"), run) == EXPECTED
    assert values(datasets.concatenate_datasets([gold.select([3, 4]), gold.select([2, 0, 1])]), run) == EXPECTED
    part = gold.train_test_split(0.4, seed=1)["train"]
    assert values(part, run) == values(part.to_pandas(), run)


def test_no_chosen_row_is_an_empty_input(gold: Any, run: Any) -> None:
    nothing = gold.filter(lambda row: row["score"] > 5)
    assert len(nothing) == 0
    with raises(Refused, "Dataset", "empty_qrels"):
        values(nothing, run)


@pytest.mark.parametrize("kind", ["numpy", "pandas", "arrow", "python", "polars", None])
def test_a_format_changes_no_value(kind: str | None, gold: Any, run: Any) -> None:
    assert values(gold.with_format(kind), run.with_format(kind)) == EXPECTED
    assert values(gold.select([4, 3, 2, 1, 0]).with_format(kind, columns=["score"]), run) == EXPECTED


def test_a_transform_is_refused_and_what_map_made_is_read(gold: Any, run: Any) -> None:
    with raises(UsageError, "transform", "map", "reset_format"):
        values(gold.with_transform(lambda batch: batch), run)
    turned = gold.map(lambda row: {"score": 3 - row["score"]})
    assert values(turned, run) == values({q: {d: 3 - g for d, g in ds.items()} for q, ds in nested(GOLD).items()}, run)


def test_from_disk_and_a_file(gold: Any, run: Any, tmp_path: Any) -> None:
    gold.save_to_disk(tmp_path / "gold")
    assert values(datasets.load_from_disk(tmp_path / "gold"), run) == EXPECTED
    gold.to_parquet(tmp_path / "gold.parquet")
    loaded = datasets.load_dataset(
        "parquet", data_files={"test": str(tmp_path / "gold.parquet")}, cache_dir=str(tmp_path / "cache")
    )
    assert isinstance(loaded, DatasetDict)
    assert values(loaded, run) == EXPECTED


def test_one_split_is_the_dataset_in_it(gold: Any, run: Any) -> None:
    assert values(DatasetDict({"test": gold}), DatasetDict({"train": run})) == EXPECTED
    streamed = IterableDatasetDict({"test": gold.to_iterable_dataset()})
    assert values(streamed, run) == EXPECTED
    assert rankproof.evaluate(gold, DatasetDict({"bm25": run}), "RR")["RR"].mean == pytest.approx(2 / 3)


@pytest.mark.parametrize("place", ["gold", "run", "topics", "scores", "board", "spans", "calls"])
def test_several_splits_are_named(place: str, gold: Any, run: Any) -> None:
    from rankproof.measuring.spans.read import read_gold

    splits = DatasetDict({"train": gold, "dev": gold})
    takes: dict[str, Any] = {
        "gold": lambda: values(splits, run),
        "run": lambda: values(gold, splits),
        "topics": lambda: rankproof.read_topics(splits),
        "scores": lambda: rankproof.compare_scores(splits, splits),
        "board": lambda: rankproof.leaderboard_scores(splits),
        "spans": lambda: read_gold(splits),
        "calls": lambda: rankproof.read_calls(splits),
    }
    with raises(UsageError, "train", "dev", "data['dev']"):
        takes[place]()


def test_a_mapping_without_a_split_and_one_of_many(gold: Any, run: Any) -> None:
    with raises(UsageError, "no split"):
        values(DatasetDict({}), run)
    with raises(UsageError, "no split"):
        values(gold, DatasetDict({}))
    with raises(UsageError, "and 12 more"):
        values(DatasetDict({f"s{i}": gold for i in range(20)}), run)


def test_several_runs_are_a_dict_or_a_list_of_datasets(gold: Any, run: Any) -> None:
    both = rankproof.evaluate(gold, {"a": run, "b": Dataset.from_dict(OTHER).to_iterable_dataset()}, "RR")
    assert both["a"]["RR"].by_query == EXPECTED["RR"]
    assert both["b"]["RR"].mean == 1.0
    assert len(rankproof.evaluate(gold, [run, Dataset.from_dict(OTHER)], "RR")) == 2
    comparison = rankproof.compare(gold, {"a": run}, DatasetDict({"test": Dataset.from_dict(OTHER)}), "RR")
    assert comparison.contrast("RR").candidate_mean == 1.0
    assert rankproof.compare(gold, run, Dataset.from_dict(OTHER), "RR").contrast("RR").baseline_mean == pytest.approx(
        2 / 3
    )


# ---- streams ------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 4, 50_000])
def test_a_stream_is_read_to_its_end(batch: int, gold: Any, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hugging_face, "BATCH", batch)
    assert values(gold.to_iterable_dataset(), run.to_iterable_dataset()) == EXPECTED
    shards = gold.to_iterable_dataset(num_shards=2).shuffle(seed=1, buffer_size=2)
    assert values(shards, run.to_iterable_dataset().map(lambda row: row)) == EXPECTED
    assert values(gold.to_iterable_dataset().with_format("numpy"), run) == EXPECTED
    with_nothing_chosen = gold.to_iterable_dataset().filter(lambda row: row["score"] < 9)
    assert values(with_nothing_chosen, run) == EXPECTED


def rows() -> Iterator[dict[str, Any]]:
    """A score that is missing at first, then a whole number, then a fraction."""
    yield {"query-id": "q1", "corpus-id": "d1", "score": 1}
    yield {"query-id": "q1", "corpus-id": "d2", "score": 0.5}
    yield {"query-id": "q2", "corpus-id": "d3", "score": 2}


def test_a_column_may_become_another_number_in_a_later_batch(gold: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hugging_face, "BATCH", 1)
    run = IterableDataset.from_generator(rows)
    assert values(gold, run) == values(gold, {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d3": 2.0}})


def test_a_stream_without_a_row_or_with_a_fault_is_an_error_with_a_sentence(run: Any, gold: Any) -> None:
    with raises(InputError, "IterableDataset", "no rows"):
        values(gold.to_iterable_dataset().filter(lambda row: False), run)

    def broken() -> Iterator[dict[str, Any]]:
        yield {"query-id": "q1", "corpus-id": "d1", "score": 1}
        raise OSError("the line is gone")

    def odd() -> Iterator[dict[str, Any]]:
        yield {"query-id": "q1", "corpus-id": "d1", "score": 1}
        yield {"query-id": ["q1"], "corpus-id": "d1", "score": 1}

    with raises(InputError, "IterableDataset", "the line is gone"):
        values(IterableDataset.from_generator(broken), run)
    with raises(InputError, "IterableDataset"):
        values(IterableDataset.from_generator(odd), run)


# ---- what else takes a frame ----------------------------------------------------------------------


def test_lists_grades_that_are_true_and_ids_that_are_numbers(run: Any) -> None:
    listed = Dataset.from_dict({"question": ["one", "two"], "reference_context_ids": [["a", "b"], ["c"]]})
    answered = Dataset.from_dict({"question": ["two", "one"], "retrieved_context_ids": [["y", "c"], ["a", "x"]]})
    assert rankproof.evaluate(listed, answered, "RR R@2")["RR"].by_query == {"one": 1.0, "two": 0.5}
    assert rankproof.evaluate(listed.select([1, 0]), answered, "RR")["RR"].by_query == {"one": 1.0, "two": 0.5}
    numbers = Dataset.from_dict({"query-id": [1, 2], "corpus-id": [7, 8], "score": [True, True]})
    assert rankproof.evaluate(numbers, {"1": {"7": 1.0}, "2": {"9": 1.0}}, "RR")["RR"].by_query == {"1": 1.0, "2": 0.0}


def classed(score: Any, query: Any = None, data: dict[str, list[Any]] = GOLD) -> Any:
    """The judgments with class labels."""
    plain = datasets.Value("string")
    kinds = {"query-id": query or plain, "corpus-id": datasets.Value("large_string"), "score": score}
    return Dataset.from_dict(data, features=datasets.Features(kinds))


def test_a_class_is_its_name_and_not_its_place(run: Any) -> None:
    downward = datasets.ClassLabel(names=["2", "1", "0"])
    data = {**GOLD, "score": [str(grade) for grade in GOLD["score"]]}
    gold = classed(downward, datasets.ClassLabel(names=["q3", "q2", "q1"]), data)
    assert gold[0] == {"query-id": 2, "corpus-id": "d1", "score": 1}
    for given in (gold, gold.select([4, 3, 2, 1, 0]), gold.to_iterable_dataset(), DatasetDict({"test": gold})):
        assert values(given, run) == EXPECTED
    assert values(classed(datasets.ClassLabel(num_classes=3)), run) == EXPECTED


def test_classes_in_words_are_no_grades_until_they_are_made_numbers(run: Any) -> None:
    gold = classed(datasets.ClassLabel(names=["none", "some", "much"]))
    with raises(Refused, "not_a_number"):
        values(gold, run)
    assert values(gold.cast_column("score", datasets.Value("int8")), run) == EXPECTED
    mapped = gold.map(lambda row: {"score": row["score"]}, features=Dataset.from_dict(GOLD).features)
    assert values(mapped, run) == EXPECTED


def test_a_class_that_is_missing_or_does_not_exist(run: Any) -> None:
    three = datasets.ClassLabel(num_classes=3)
    for missing in (None, -1):
        with pytest.raises(InputError):
            values(classed(three, data={**GOLD, "score": [missing, 0, 2, 1, 1]}), run)
    with raises(InputError, "score", "no class 7"):
        values(Dataset.from_dict(GOLD).map(lambda row: {"score": 7}).cast_column("score", three), run)


def test_classes_in_lists(run: Any) -> None:
    docs = datasets.List(datasets.ClassLabel(names=["c", "b", "a"]))
    listed = Dataset.from_dict(
        {"question": ["one", "two"], "reference_context_ids": [["a", "b"], ["c"]]},
        features=datasets.Features({"question": datasets.Value("string"), "reference_context_ids": docs}),
    )
    assert rankproof.evaluate(listed, {"one": ["a"], "two": ["x", "c"]}, "RR")["RR"].by_query == {
        "one": 1.0,
        "two": 0.5,
    }


def test_topics() -> None:
    topics = Dataset.from_dict({"_id": ["q1", "q2"], "text": ["one", "two"]})
    assert rankproof.read_topics(topics) == {"q1": "one", "q2": "two"}
    assert rankproof.read_topics(topics.select([1])) == {"q2": "two"}
    assert rankproof.read_topics(topics.to_iterable_dataset()) == {"q1": "one", "q2": "two"}
    made = rankproof.compare(nested(GOLD), nested(RUN), nested(OTHER), "RR", topics=DatasetDict({"queries": topics}))
    assert made.topics == {"q1": "one", "q2": "two"}


def test_columns_are_named_as_for_a_frame(gold: Any) -> None:
    run = Dataset.from_dict({"question": RUN["query-id"], "chunk": RUN["corpus-id"], "how near": RUN["score"]})
    columns = {"query_id": "question", "doc_id": "chunk", "score": "how near"}
    for given in (run, run.select(range(6)), run.to_iterable_dataset()):
        evaluation = rankproof.evaluate(gold, given, "RR", columns={"run": columns})
        assert evaluation["RR"].by_query == EXPECTED["RR"]
    with raises(InputError, "Dataset"):
        rankproof.evaluate(gold, Dataset.from_dict({"a": ["q1"], "b": [1]}), "RR")


def test_scores_by_unit() -> None:
    rng = np.random.default_rng(1)
    old = Dataset.from_dict({"query_id": [f"q{i}" for i in range(30)], "faithfulness": rng.uniform(0, 1, 30)})
    new = old.map(lambda row: {"faithfulness": min(1.0, row["faithfulness"] + 0.2)})
    frames = rankproof.compare_scores(old.to_pandas(), new.to_pandas(), "faithfulness")
    for pair in ((old, new), (old.shuffle(seed=1), new.to_iterable_dataset()), (DatasetDict({"a": old}), new)):
        made = rankproof.compare_scores(*pair, "faithfulness")
        assert made.contrasts[0].difference.value == pytest.approx(frames.contrasts[0].difference.value)
    assert len(rankproof.leaderboard_scores({"old": old, "new": new}).rows) == 2


def test_spans_and_calls() -> None:
    from rankproof.measuring.spans.read import read_gold

    spans = Dataset.from_dict({"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "start": [0, 5], "end": [4, 9]})
    assert list(read_gold(spans).end) == [4, 9]
    assert list(read_gold(spans.select([1])).end) == [9]
    calls = Dataset.from_dict({"task_id": ["t1", "t1"], "call": [1, 2], "docs": [["a"], ["b", "c"]]})
    frame = rankproof.read_calls(calls.to_pandas())
    assert repr(rankproof.read_calls(calls)) == repr(frame)


@pytest.mark.parametrize(
    "columns",
    [
        {"query-id": ["q1"], "corpus-id": ["d1"], "score": ["high"]},
        {"query-id": [None], "corpus-id": ["d1"], "score": [1]},
        {"query-id": ["q1"], "corpus-id": ["d1"], "score": [float("nan")]},
        {"query-id": ["q1", "q1"], "corpus-id": ["d1", "d1"], "score": [1, 2]},
        {"query-id": ["q1"], "corpus-id": [{"a": 1}], "score": [1]},
        {},
    ],
)
def test_what_the_checks_refuse_in_a_frame_they_refuse_here(columns: dict[str, list[Any]], run: Any) -> None:
    with pytest.raises(InputError):
        values(Dataset.from_dict(columns), run)


def test_one_column_is_no_table(gold: Any, run: Any) -> None:
    with pytest.raises((InputError, UsageError)):
        values(gold["score"], run)


def test_another_library_of_that_name_is_not_taken_for_it() -> None:
    class Dataset:
        """A name that many libraries have."""

    other: Any = type("Dataset", (), {"__module__": "datasets_of_ours.table"})()
    for value in (Dataset(), other, {"a": 1}, None, [1]):
        assert not hugging_face.is_dataset(value)
        assert unwrapped(value) is value
