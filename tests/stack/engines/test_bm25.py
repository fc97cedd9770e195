"""BM25: small corpora by hand, fields and their weights, ties, what is kept, what is refused."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import MissingExtra, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.stack.engines._terms import STEMMERS, STOP_LISTS, Analysis
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of, searched

pytest.importorskip("bm25s", reason="the extra bm25 is not installed")

BM25 = shelf.find("engines", "bm25")
PLAIN = {"stemming": "none", "stop_words": "none"}
# Lengths 1, 2 and 3: a mean of 2.
LADDER = {"a": "tent", "b": "tent lamp", "c": "tent tent rope"}


class Kept(dict[str, bytes]):
    """A cache in memory."""

    def put(self, key: str, data: bytes) -> None:
        self[key] = data


def opened(texts: Any, cache: Any = None, **said: Any) -> Any:
    ground = Ground(corpus_of(texts)) if cache is None else Ground(corpus_of(texts), cache)
    return BM25.open(parameters_of(BM25, **said), ground)


# ---- the formula ---------------------------------------------------------------------------------


def test_lucene_by_hand() -> None:
    """All have "tent": rarity ln(1 + 0.5 / 3.5). With k1 = 1 and b = 0.5 lengths 1, 2, 3 weigh 0.75, 1, 1.25."""
    rare = math.log(1 + 0.5 / 3.5)
    found = searched("bm25", LADDER, "tent", k1=1, b=0.5, **PLAIN)
    assert found == {
        "c": round(rare * 2 / (2 + 1.25), 4),
        "a": round(rare * 1 / (1 + 0.75), 4),
        "b": round(rare * 1 / (1 + 1.0), 4),
    }


def test_bm25l_and_bm25plus_by_hand() -> None:
    """ "rope" is in c alone, once, whose length stands for 1.25 with b = 0.5."""
    (plus,) = searched("bm25", LADDER, "rope", variant="bm25+", k1=1, b=0.5, delta=0.5, **PLAIN).values()
    assert plus == round(math.log(4 / 1) * (2 * 1 / (1.25 + 1) + 0.5), 4)
    (long,) = searched("bm25", LADDER, "rope", variant="bm25l", k1=1, b=0.5, delta=0.5, **PLAIN).values()
    c = 1 / 1.25 + 0.5
    assert long == round(math.log(4 / 1.5) * 2 * c / (1 + c), 4)


@pytest.mark.parametrize("variant", ["bm25l", "bm25+"])
def test_delta_can_change_who_is_first(variant: str) -> None:
    """d has one query word very often, e has both once in a long text: the greater delta, the more the second word."""
    texts = {"d": "tent tent tent tent", "e": "tent rope " + "filler " * 30, "f": "lamp", "g": "rope"}
    first = [next(iter(searched("bm25", texts, "tent rope", variant=variant, delta=d, **PLAIN))) for d in (0, 5)]
    assert first == ["d", "e"]


def test_k1_of_0_counts_a_word_once_and_b_of_0_forgets_length() -> None:
    rare = round(math.log(1 + 0.5 / 3.5), 4)
    assert searched("bm25", LADDER, "tent", k1=0, **PLAIN) == {"c": rare, "b": rare, "a": rare}
    found = searched("bm25", LADDER, "tent", b=0, **PLAIN)
    assert found["a"] == found["b"] < found["c"]


def test_a_word_twice_in_the_query_counts_twice() -> None:
    once, twice = (searched("bm25", LADDER, text, **PLAIN)["c"] for text in ("rope", "rope rope"))
    assert twice == pytest.approx(2 * once, abs=1e-4)


def test_robertson_gives_nothing_for_a_word_that_half_of_the_documents_have() -> None:
    assert searched("bm25", LADDER, "tent", variant="robertson", **PLAIN) == {}
    assert list(searched("bm25", LADDER, "tent rope", variant="robertson", **PLAIN)) == ["c"]


# ---- words ---------------------------------------------------------------------------------------


def test_stems_stop_words_and_case() -> None:
    texts = {"a": "The Tents", "b": "a lamp"}
    assert list(searched("bm25", texts, "tent")) == ["a"]
    assert searched("bm25", texts, "tent", stemming="none") == {}
    assert searched("bm25", texts, "the") == {}
    assert list(searched("bm25", texts, "the", stop_words="none")) == ["a"]
    assert searched("bm25", texts, "tents", lowercase=False) == {}
    assert list(searched("bm25", texts, "a lamp", stop_words="none", words=r"\w+")) == ["b"]


def test_the_names_offered_are_those_that_the_libraries_have() -> None:
    import bm25s
    import Stemmer

    assert set(STEMMERS) <= {"none", *Stemmer.algorithms()}
    for name in STOP_LISTS[1:]:
        assert bm25s.tokenize(["zz zz"], stopwords=name, show_progress=False).ids == [[0, 0]]


# ---- fields --------------------------------------------------------------------------------------

SHOP = {
    "a": {"title": "red tent", "text": "a house of cloth"},
    "b": {"title": "lamp", "text": "hangs in a tent or two tent poles"},
    "c": {"title": "rope", "text": "long"},
}


def test_a_weight_counts_the_words_of_a_field_so_many_times() -> None:
    repeated = {doc: f"{f['title']} {f['title']} {f['title']} {f['text']}" for doc, f in SHOP.items()}
    assert searched("bm25", SHOP, "red tent", fields={"title": 3, "text": 1}) == searched("bm25", repeated, "red tent")
    joined = {doc: f"{f['title']} {f['text']}" for doc, f in SHOP.items()}
    assert searched("bm25", SHOP, "red tent") == searched("bm25", joined, "red tent")
    titles = {doc: f["title"] for doc, f in SHOP.items()}
    assert searched("bm25", SHOP, "red tent", fields="title") == searched("bm25", titles, "red tent")


def test_weights_in_proportion_are_one_choice_with_k1_in_proportion() -> None:
    """tf and lengths times 2, with twice the k1, are the same fraction."""
    whole = searched("bm25", SHOP, "red tent", fields="title^5 text^2", k1=3)
    assert whole == searched("bm25", SHOP, "red tent", fields="title^2.5 text", k1=1.5)


def test_spellings_of_fields_are_one_choice() -> None:
    kind = next(param.kind for param in BM25.params if param.name == "fields")
    spellings = ["title^3 text", {"title": 3, "text": 1}, {"title": 3.0, "text": 1.0}, "title^3.0  text^1"]
    assert {kind.read(spelling) for spelling in spellings} == {"title^3 text"}
    assert kind.read(["title", "text"]) == "title text"
    for wrong in ("", "title^0", "title^x", "title title", {"title": -1}, {"title": "3"}, {}, [], 3, {"a b": 1}):
        with raises(ValueError, "'title^3 text'", "{title = 3, text = 1}", repr(wrong)):
            kind.read(wrong)


def test_an_unknown_field_is_refused_before_anything_runs() -> None:
    with raises(UnknownName, "'titel'", "'title'"):
        opened(SHOP, fields="titel")


# ---- results -------------------------------------------------------------------------------------


def test_ties_at_the_last_place_go_by_id_descending() -> None:
    texts = {f"d{i}": "tent lamp" for i in range(9)} | {"z": "tent tent", "e": "rope rope"}
    assert list(searched("bm25", texts, "tent", depth=3)) == ["z", "d8", "d7"]
    assert list(searched("bm25", texts, "tent", depth=100)) == ["z", *(f"d{i}" for i in range(8, -1, -1))]


def test_queries_without_a_known_word_and_documents_without_a_shared_one() -> None:
    searcher = opened(LADDER)
    nothing = searcher.search(queries_of("boat", "", "the of", "!?"), 5)
    assert [len(ranking) for ranking in nothing] == [0, 0, 0, 0]
    for variant in ("bm25l", "bm25+"):
        assert list(searched("bm25", LADDER, "lamp", variant=variant)) == ["b"]


@pytest.mark.parametrize("texts", [{"a": ""}, {"a": "", "b": "the"}, {"a": {"title": "", "text": "tent"}}])
def test_empty_texts_are_no_results(texts: Any) -> None:
    found = searched("bm25", texts, "tent")
    assert list(found) == (["a"] if "tent" in str(texts) else [])


# ---- what is kept --------------------------------------------------------------------------------


def test_words_are_counted_once_whatever_the_dials_say(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    plain = Analysis.counted
    monkeypatch.setattr(Analysis, "counted", lambda self, texts, *_: counted.append(len(texts)) or plain(self, texts))
    ground = Ground(corpus_of(SHOP))
    for said in ({}, {"k1": 2}, {"b": 0.1, "variant": "bm25+"}, {"fields": "title^9 text"}, {"fields": "text"}):
        BM25.open(parameters_of(BM25, **said), ground).search(queries_of("tent"), 5)
    assert counted == [3, 3]  # the two fields
    BM25.open(parameters_of(BM25, stemming="none"), ground).prepare()
    assert counted == [3, 3, 3, 3]


def test_the_cache_answers_for_the_same_texts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Kept()
    first = opened(SHOP, cache, fields="title^2 text").search(queries_of("red tent"), 5)[0]
    assert len(cache) == 2

    def refuse(self: Analysis, texts: Any, progress: Any) -> Any:
        raise AssertionError("counted again")

    with monkeypatch.context() as patch:
        patch.setattr(Analysis, "counted", refuse)
        again = opened(SHOP, cache, fields="title^2 text").search(queries_of("red tent"), 5)[0]
        assert (again.doc_ids, again.scores.tolist()) == (first.doc_ids, first.scores.tolist())
        for texts, said in ((SHOP | {"c": {"title": "tent", "text": ""}}, {}), (SHOP, {"stemming": "porter"})):
            with pytest.raises(AssertionError, match="counted again"):
                opened(texts, cache, **said).prepare()


def test_identity_names_the_corpus_and_the_versions() -> None:
    import bm25s

    searcher = opened(LADDER)
    assert searcher.identity["corpus"] == corpus_of(LADDER).content_hash
    assert searcher.identity["bm25s"] == bm25s.__version__
    assert "PyStemmer" in searcher.identity
    assert "PyStemmer" not in opened(LADDER, stemming="none").identity


# ---- what is refused -----------------------------------------------------------------------------


def test_a_missing_library_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with raises(MissingExtra, "bm25", "'bm25s'", "pip install 'rankproof[stack]'"):
        opened(LADDER)


def test_without_a_corpus_it_says_so() -> None:
    with raises(UsageError, "bm25", "corpus"):
        BM25.open(parameters_of(BM25), Ground())


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"k1": -1}, (0, 1000, -1)),
        ({"b": 1.5}, (0, 1, 1.5)),
        ({"variant": "bm26"}, ("'lucene'", "'bm25+'", "'bm26'")),
        ({"stemming": "klingon"}, ("'english'", "'none'", "'klingon'")),
        ({"words": "("}, ("regular", "'('")),
        ({"words": "(a)(b)"}, ("group", "'(a)(b)'")),
    ],
)
def test_wrong_values_are_refused(said: dict[str, Any], values: tuple[object, ...]) -> None:
    with raises(ValueError, *values):
        parameters_of(BM25, **said)


def test_the_columns_of_a_query_do_not_matter() -> None:
    searcher = opened(LADDER)
    plain, more = searcher.search([Query("1", "tent"), Query("2", "tent", {"kind": "exact"})], 5)
    assert plain.doc_ids == more.doc_ids
