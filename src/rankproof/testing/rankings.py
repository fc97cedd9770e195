"""Small corpora and rankings through one engine or one stage, for worked examples and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.kernel import shelf
from rankproof.reading.collect import read_run
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground
from rankproof.stack.stages.contract import Stage

Texts = Mapping[str, str | Mapping[str, str]]


def corpus_of(texts: Texts, name: str = "corpus") -> Corpus:
    """{"d1": "its text"} or {"d1": {"title": "...", "text": "..."}} as a corpus."""
    fields = [{"text": text} if isinstance(text, str) else text for text in texts.values()]
    names = list(dict.fromkeys(field for one in fields for field in one))
    return Corpus(tuple(texts), {field: tuple(one.get(field, "") for one in fields) for field in names}, name)


def queries_of(*texts: str) -> list[Query]:
    """The texts as queries q1, q2, ..."""
    return [Query(f"q{i}", text) for i, text in enumerate(texts, 1)]


def parameters_of(item: Engine | Stage, **options: Any) -> dict[str, Any]:
    """The value of every parameter: the option, read as from a configuration, or the default."""
    left = set(options) - {param.name for param in item.params}
    if left:
        raise TypeError(f"{item.name} has no parameter {', '.join(sorted(left))}")
    return {p.name: p.kind.read(options[p.name]) if p.name in options else p.default for p in item.params}


def searched(engine: str, texts: Texts, query: str, depth: int = 10, **options: Any) -> dict[str, float]:
    """The ranking that an engine gives one query over a few texts: scores to four places by document, best first."""
    item: Engine = shelf.find("engines", engine)
    opened: Any = item.open(parameters_of(item, **options), Ground(corpus_of(texts)))
    return by_document(opened.search(queries_of(query), depth)[0])


def replayed(run: Mapping[str, Mapping[str, float]], query_id: str, depth: int = 10) -> dict[str, float]:
    """The ranking that the engine `replay` gives one query from a run in memory."""
    item: Engine = shelf.find("engines", "replay")
    opened: Any = item.open(parameters_of(item, path="a.run"), Ground(read_run=lambda path: read_run(run, name=path)))
    return by_document(opened.search([Query(query_id, "")], depth)[0])


def passed(stage: str, *rankings: Mapping[str, float] | Sequence[str], **options: Any) -> dict[str, float]:
    """The ranking that a stage makes of one query's rankings, each {doc: score} or a list of documents, best first."""
    return _through(stage, Ground(), "words", rankings, options)


def reranked(
    stage: str, texts: Texts, query: str, ranking: Mapping[str, float] | Sequence[str], **options: Any
) -> dict[str, float]:
    """The ranking that a stage makes of another one, where the stage reads the texts."""
    return _through(stage, Ground(corpus_of(texts)), query, [ranking], options)


def _through(
    stage: str,
    ground: Ground,
    query: str,
    rankings: Sequence[Mapping[str, float] | Sequence[str]],
    options: Mapping[str, Any],
) -> dict[str, float]:
    item: Stage = shelf.find("stages", stage)
    opened: Any = item.open(parameters_of(item, **options), ground)
    return by_document(opened.apply(queries_of(query), [[ranking_of(ranking) for ranking in rankings]])[0].ranking)


def ranking_of(ranking: Mapping[str, float] | Sequence[str]) -> Ranking:
    """{doc: score} by score, or documents as they stand."""
    if isinstance(ranking, Mapping):
        return Ranking.of(list(ranking), list(ranking.values()))
    return Ranking.in_order(list(ranking))


def by_document(ranking: Ranking) -> dict[str, float]:
    """{doc: score to four places}, best first."""
    return {doc: round(score, 4) for doc, score in zip(ranking.doc_ids, ranking.scores.tolist(), strict=True)}
