"""The hash of a corpus: the same for good, and there for every text that Python holds."""

from __future__ import annotations

from rankproof.reading.collection import Corpus


def hashed(*texts: str, doc: str = "a", field: str = "text") -> str:
    ids = (doc, *(f"d{i}" for i in range(1, len(texts))))
    return Corpus(ids, {field: texts}).content_hash


def test_what_was_hashed_once_has_that_hash_for_good() -> None:
    corpus = Corpus(("a", "b", "ü\udcff"), {"title": ("red", "", "é"), "text": ("x\0y", "\udc80", "🎈")})
    assert corpus.content_hash == "f0f42e6e7053a4cc2313867897e7c4bc88b5527882b7e6e751b26ee975bc3df7"


def test_half_characters_are_hashed_and_told_apart() -> None:
    # The bytes of U+D800 are ed a0 80; so are those of the three bytes that stand for no text.
    hashes = [hashed(text) for text in ("\ud800", "\udbff", "\udced\udca0\udc80", "\ufffd", "?", "", "\ud800\udc80")]
    hashes += [hashed("", doc="\ud800"), hashed("", field="\ud800"), hashed("", field="\udfff")]
    assert len(set(hashes)) == len(hashes)
    assert hashed("\ud800", "b") == hashed("\ud800", "b")
