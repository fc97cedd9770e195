"""TREC RAG: submissions of the track's generation tasks, JSON lines with references, and answers that cite them.

Both years' shapes: of 2024 with `run_id`, `topic_id` and `topic`, of 2025 with the same in `metadata` as `run_id`,
`narrative_id` and `narrative`; citations are places in `references`, from 0, or ids from among them. `references` are
what was retrieved, in the submission's order, and so the run: `documents=cited` reads the cited ones alone, in the
order in which the answer cites them. Topics are the topics or narratives. Scores are counts of an answer: its words,
sentences, references, citations, and the share of its sentences that cite something. What the answers say is not judged
here: nuggets are (see nuggets and nuggetizer), and runs of the retrieval task are in TREC's own form (see trec).

holds: run, topics, scores
source: https://trec-rag.github.io/annoucements/2025-track-guidelines

    {"run_id": "a", "topic_id": "1", "references": ["d1"], "answer": [{"text": "So.", "citations": [0]}]}
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, some
from rankproof.reading.formats._exports import text_option
from rankproof.reading.formats._gather import Gather, id_text
from rankproof.reading.formats._records import Naming, first_record, records
from rankproof.reading.formats.contract import Format, Noun, Options, Read, ScoreRows, Sure, Topics
from rankproof.reading.source import Source

DOCUMENTS = ("references", "cited")


class Answer(NamedTuple):
    """One line of a submission; `sentences` are texts with the documents that each cites."""

    run: str
    topic: str
    text: str | None
    references: list[str]
    sentences: list[tuple[str, list[str]]]
    where: str


def detect(source: Source, noun: Noun) -> Sure:
    """The first record has references, and an answer in sentences of a topic."""
    if noun not in ("run", "topics", "scores"):
        return Sure.NO
    record = first_record(source)
    if record is None or not isinstance(record.get("references"), list) or not isinstance(record.get("answer"), list):
        return Sure.NO
    about = record.get("metadata", record)
    named = isinstance(about, Mapping) and "run_id" in about and bool({"topic_id", "narrative_id"} & about.keys())
    return Sure.CERTAIN if named else Sure.NO


# ---- nouns ----------------------------------------------------------------------------------------


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """References in their order, or the cited ones in that of the answer."""
    which = text_option(options, "documents") or DOCUMENTS[0]
    if which not in DOCUMENTS:
        raise UsageError(f"documents= is references or cited; got {which!r:.60}.")
    gather, naming, without = Gather("run", source.name), Naming(), 0
    for answer in answers(source):
        cited = dict.fromkeys(doc for _, docs in answer.sentences for doc in docs)
        ranking = list(cited) if which == "cited" else naming.ranking(answer.references)
        without += not ranking
        for rank, doc in enumerate(ranking, 1):
            gather.add(answer.topic, doc, rank=rank, label=answer.run)
    what = "the references of a TREC RAG submission, in its order"
    notes = [what if which == "references" else "the documents that answers cite, in the order of the answers"]
    notes += [f"{counted(without, 'topic')} without such documents"] if without else []
    return Read(gather.rows(), (*notes, *naming.notes()))


def topics(source: Source, options: Options) -> Topics:
    """Topics or narratives; a line without one is left out."""
    return {answer.topic: answer.text for answer in answers(source) if answer.text}


def scores(source: Source, options: Options) -> ScoreRows:
    """Counts of each answer."""
    found: list[dict[str, object]] = []
    for answer in answers(source):
        citing = sum(bool(docs) for _, docs in answer.sentences)
        found.append(
            {
                "unit": answer.topic,
                "words": sum(words(text) for text, _ in answer.sentences),
                "sentences": len(answer.sentences),
                "references": len(answer.references),
                "cited": len({doc for _, docs in answer.sentences for doc in docs}),
                "citing": citing / len(answer.sentences) if answer.sentences else None,
            }
        )
    notes = (
        "words, sentences, references, cited: counts of an answer; more of them is not better by itself",
        "citing: the share of an answer's sentences that cite a document, whether or not it supports them",
        "not taken over: the answers' texts",
    )
    return ScoreRows(found, notes)


def words(text: str) -> int:
    """The words of a text as the track counts them: pieces between white space, after NFKC."""
    return len(unicodedata.normalize("NFKC", text).split())


# ---- lines ----------------------------------------------------------------------------------------


def answers(source: Source) -> Iterator[Answer]:
    """The answers of a submission, one for each topic, all of one run."""
    runs: dict[str, None] = {}
    seen: dict[str, None] = {}
    for where, record in records(source, "TREC RAG answers"):
        answer = _answer(record, where)
        runs[answer.run] = None
        if len(runs) > 1:
            raise InputError(f"{where}: a submission is of one run; this one has {some(tuple(runs))}. Split the file.")
        if answer.topic in seen:
            raise InputError(f"{where}: topic {answer.topic!r:.80} has an answer already. Keep one of the two.")
        seen[answer.topic] = None
        yield answer
    if not seen:
        raise InputError(f"{source.name} has no answers. A submission has a JSON line for each topic.")


def _answer(record: Mapping[str, object], where: str) -> Answer:
    about = record.get("metadata", record)
    if not isinstance(about, Mapping):
        raise InputError(f"{where}: metadata must be an object with run_id and narrative_id; got {about!r:.60}.")
    topic = about.get("narrative_id", about.get("topic_id"))
    if topic is None:
        raise InputError(f"{where}: topic_id (of 2025: metadata with narrative_id) is missing.")
    text = about.get("narrative", about.get("topic"))
    if not isinstance(text, str | None):
        raise InputError(f"{where}: the topic must be a text; got {text!r:.60}.")
    given = record.get("references")
    if not isinstance(given, list) or not all(isinstance(doc, str | int) and doc != "" for doc in given):
        raise InputError(f"{where}: references must be a list of ids; got {given!r:.60}.")
    references = [id_text(doc, where) for doc in given]
    return Answer(
        id_text(about.get("run_id") or "run", where), id_text(topic, where), text, references,
        _sentences(record.get("answer"), references, where), where,
    )  # fmt: skip


def _sentences(given: object, references: list[str], where: str) -> list[tuple[str, list[str]]]:
    if not isinstance(given, list):
        raise InputError(f"{where}: answer must be a list of sentences with citations; got {given!r:.60}.")
    found = []
    for number, sentence in enumerate(given, 1):
        place = f"{where}, sentence {number}"
        text = sentence.get("text") if isinstance(sentence, Mapping) else None
        cites = sentence.get("citations", []) if isinstance(sentence, Mapping) else None
        if not isinstance(text, str) or not isinstance(cites, list):
            raise InputError(f"{place}: a sentence has a text and a list of citations; got {sentence!r:.60}.")
        found.append((text, [_cited(cite, references, place) for cite in cites]))
    return found


def _cited(cite: object, references: list[str], place: str) -> str:
    """The document that a citation means: a place in the references, from 0, or an id from among them."""
    if isinstance(cite, int) and not isinstance(cite, bool):
        if 0 <= cite < len(references):
            return references[cite]
        raise InputError(
            f"{place}: the citation {cite} is no place in the {counted(len(references), 'reference')}, which are "
            "counted from 0."
        )
    if isinstance(cite, str) and cite in references:
        return cite
    raise InputError(f"{place}: the citation {cite!r:.60} is not among the references.")


OFFERS = (
    Format(
        name="trecrag",
        page=__doc__,
        holds=("run", "topics", "scores"),
        detect=detect,
        rows=rows,
        topics=topics,
        scores=scores,
        options={"documents": "references, or cited: which documents are the run"},
    ),
)
