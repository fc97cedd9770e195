"""What learned fusion sees, by hand; and what its file refuses, without LightGBM."""

from __future__ import annotations

import math
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, MissingExtra, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground
from rankproof.stack.stages._ltr_features import LtrFeatures
from rankproof.stack.stages._ltr_model import LtrHeader, model_text, read_ltr_model, same_identities, text_hash
from rankproof.testing.rankings import corpus_of, parameters_of

CORPUS = corpus_of(
    {
        "a": {"title": "Red Tent", "text": "a tent for 2, red"},
        "b": {"title": "", "text": "lamp 2.5 m"},
        "c": {"title": "rope", "text": ""},
    }
)


def header(**said: Any) -> LtrHeader:
    steps = [read_pipeline("bm25()"), read_pipeline("dense()")]
    return LtrHeader(
        **{
            "features": LtrFeatures(2, None, ()).names,
            "fields": None,
            "inputs": tuple(step.text for step in steps),
            "keys": tuple(step.key for step in steps),
            "identities": (({"bm25s": "0.3"},), ({"model": "m"},)),
            "depth": 10,
            "corpus": "",
            "dataset": "d",
            "split": "dev",
            "queries": {"q1": text_hash("Red  tent")},
            "grades": {"0": 3, "1": 2},
            "measure": "nDCG@10",
            "trees": 5,
            "seed": 0,
            "lightgbm": "4.7.0",
            "rankproof": "0.1.0",
            **said,
        }
    )


def test_features_by_hand() -> None:
    """The first pipeline has b (3) and a (1), the second a alone; c is below its depth, x has no text."""
    features = LtrFeatures(2, CORPUS, ("title", "text"))
    first = Ranking(("b", "a", "x"), np.array([3.0, 1.0, -1.0]))
    second = Ranking(("a", "c", "b", "x"), np.array([5.0, 5.0, 1.0, 0.0]))
    made = features.of(Query("q", "red tent 2"), [first, second], 3)
    assert made.doc_ids == ("b", "a", "x", "c")
    table = {
        doc: dict(zip(features.names, row, strict=True))
        for doc, row in zip(made.doc_ids, made.features.tolist(), strict=True)
    }
    b, a, x, c = table.values()
    assert [b[f"1.{name}"] for name in ("score", "minmax", "reciprocal_rank", "present")] == [3, 1, 1, 1]
    assert [a[f"2.{name}"] for name in ("score", "minmax", "reciprocal_rank", "present")] == [5, 1, 1, 1]
    assert [a[f"1.{name}"] for name in ("score", "minmax", "reciprocal_rank")] == [1, 0.5, 0.5]
    assert math.isnan(x["2.score"])  # the fourth is not looked at
    assert [x[f"2.{name}"] for name in ("minmax", "reciprocal_rank", "present")] == [0, 0, 0]
    assert [a[name] for name in ("query.words", "query.characters", "title.words", "text.words")] == [3, 10, 2, 5]
    assert [a[name] for name in ("title.share", "text.share", "words.share", "numbers.share")] == [2 / 3, 1, 1, 1]
    assert [b[name] for name in ("title.share", "text.share", "numbers.share")] == [
        0,
        1 / 3,
        0,
    ]  # 2.5 is another number
    assert math.isnan(x["title.words"])
    assert c["title.words"] == 1
    # 60 / 61 + 60 / 63 for b, 60 / 62 + 60 / 61 for a
    assert dict(zip(made.doc_ids, made.base.tolist(), strict=True)) == pytest.approx(
        {"b": 60 / 61 + 60 / 63, "a": 60 / 62 + 60 / 61, "x": 60 / 63, "c": 60 / 62}
    )
    assert made.ranked(np.zeros(4)).doc_ids == ("a", "b", "c", "x")
    assert made.ranked(np.array([0.0, 0, 9, 0])).doc_ids[0] == "x"


def test_nothing_flows_and_a_query_without_words_or_numbers() -> None:
    features = LtrFeatures(2, CORPUS, ("title", "text"))
    nothing = Ranking((), np.empty(0))
    assert features.of(Query("q", "red"), [nothing, nothing], 9).doc_ids == ()
    made = features.of(Query("q", "?!"), [Ranking.in_order(["a"]), nothing], 9)
    row = dict(zip(features.names, made.features[0].tolist(), strict=True))
    assert math.isnan(row["words.share"])
    assert math.isnan(row["numbers.share"])
    assert row["query.words"] == 0


def test_the_text_that_stands_for_a_document_is_read() -> None:
    """After chunks became documents, the words are those of the best chunk of the first pipeline that has one."""
    features = LtrFeatures(2, CORPUS, ("title", "text"))
    one, other = Ranking(("D",), np.ones(1), {"D": "a"}), Ranking(("D",), np.ones(1), {"D": "b"})
    made = features.of(Query("q", "tent"), [one, other], 9)
    assert dict(zip(features.names, made.features[0].tolist(), strict=True))["title.words"] == 2


# ---- which queries were trained on ----------------------------------------------------------------


def test_a_query_is_known_by_its_text_and_by_its_id_among_the_same_documents() -> None:
    found = header(corpus="here")
    assert found.trained_on(Query("q1", "red tent"), "elsewhere")  # the text, case and blanks aside
    assert found.trained_on(Query("renamed", "RED tent"), "here")
    assert found.trained_on(Query("q1", "words that were mended"), "here")
    assert not found.trained_on(Query("q1", "green lamp"), "elsewhere")  # ids such as 1 and 2 are everywhere
    assert not found.trained_on(Query("q2", "green lamp"), "here")


def test_other_pipelines_are_refused() -> None:
    bm25, dense, other = (read_pipeline(text) for text in ("bm25()", "dense()", "bm25(k1=0.9)"))
    found = header()
    found.refuse_inputs("m.txt", [bm25, dense], 10)
    found.refuse_inputs("m.txt", [bm25, dense], 50)
    for inputs, depth, words in (
        ([dense, bm25], 10, ("bm25()", "pipeline 1", "dense()")),
        ([bm25, dense, other], 10, ("2 pipelines", "3")),
        ([other, dense], 10, ("bm25(k1=0.9)", "m.txt")),
        ([bm25, dense], 9, ("first 10", "9", "depth = 10")),
    ):
        with raises(UsageError, "rankproof tune", *words):
            found.refuse_inputs("m.txt", inputs, depth)


def test_identities_are_compared_without_the_documents() -> None:
    was = ({"model": "m", "corpus": "one"},)
    assert same_identities([was], [[{"model": "m", "corpus": "two"}]])
    assert not same_identities([was], [[{"model": "n", "corpus": "one"}]])


# ---- the file -------------------------------------------------------------------------------------


def test_a_file_that_is_none_or_was_changed_is_refused_before_lightgbm_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    path = tmp_path / "m.txt"
    whole = model_text(header(), "tree\nversion=v4\n")
    first, second, *_ = whole.split("\n")
    wrong_type = second.replace('"depth": 10', '"depth": "10"')
    for text, words in (
        ("", ("empty",)),
        ("tree\nversion=v4\n", ("'tree'", "learned fusion 1")),
        (whole.replace("fusion 1", "fusion 2"), ("fusion 2",)),
        (f"{first}\n", ("line 2",)),
        (f"{first}\n# [1, 2]\n", ("line 2", "[1, 2]")),
        (whole.replace('"depth": 10, ', ""), ("line 2", "depth")),
        (f"{first}\n{wrong_type}\ntree\nversion=v4\n", ("'depth'", "'10'")),
        (whole[:-3], ("damaged", "Train it again")),
        (whole + "Tree=1\n", ("damaged",)),
    ):
        path.write_text(text)
        with raises(InputError, "m.txt", *words):
            read_ltr_model(str(path), "m.txt")
    path.write_text(whole)
    with raises(MissingExtra, "fuse_ltr", "'lightgbm'", "pip install lightgbm"):
        read_ltr_model(str(path), "m.txt")


def test_the_header_says_what_follows_it() -> None:
    text = model_text(header(), "tree\n")
    assert f'"text": "{sha256(b"tree" + bytes([10])).hexdigest()}"' in text
    assert text.endswith("}\ntree\n")
    assert "Red" not in text  # texts of queries are not kept


def test_a_model_file_must_be_named_and_there(tmp_path: Path) -> None:
    stage = shelf.find("stages", "fuse_ltr")
    with raises(UsageError, "model"):
        read_pipeline("fuse_ltr(bm25(), dense())")
    with raises(UsageError, "two or more pipelines"):
        read_pipeline("bm25() >> fuse_ltr(model='m.txt')")
    with pytest.raises(InputError, match="no such file"):
        stage.open(parameters_of(stage, model="m.txt"), Ground(folder=str(tmp_path)))
