"""Contexts of RAG tools as runs, judgments and topics: what the formats of their samples share.

A sample is a question with the contexts that were retrieved for it, in order, and those that hold its answer. A context
has an id, a text, or both. Retrieved and gold contexts must be named the same way to meet: by ids where every sample
has ids for both, else by their texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._gather import Gather, add_topic
from rankproof.reading.formats._records import Naming, text_id, texts_of
from rankproof.reading.formats.contract import IN_SEVERAL, Noun, Options, Read, Topics

# What applications call the id and the text of a context that is an object.
OBJECT_IDS = ("id", "doc_id", "document_id", "chunk_id", "node_id", "_id")
OBJECT_TEXTS = ("text", "content", "page_content", "pageContent", "chunk", "context", "document")
NAMES = "names"
NAMES_OPTION = "what names contexts that have an id and a text: ids or texts; ids where every sample has them"


class Passage(NamedTuple):
    """A context: its id, and the name that its text gives it; None where it has none.

    The text itself is not kept: contexts are most of a large file. `is_cut` says whether it ended in an ellipsis.
    """

    id: object
    named: str | None
    is_cut: bool = False

    @classmethod
    def of(cls, doc: object, text: str, where: str) -> Passage:
        """A context with a text, which may have an id too; where it has none, the text is not empty."""
        name = text_id(text, where) if text.strip() or doc in (None, "") else None
        return cls(doc, name, text.rstrip().endswith(("...", "\u2026")))


@dataclass(frozen=True, slots=True)
class RagSample:
    """A question: where it stands, its id where it has one, its text, and its contexts; None where it says nothing."""

    where: str
    id: object
    question: object
    retrieved: Sequence[Passage] | None = None
    gold: Sequence[Passage] | None = None


# ---- rows -----------------------------------------------------------------------------------------


def sample_rows(samples: Sequence[RagSample], noun: Noun, name: str, options: Options, lacking: str) -> Read:
    """The run or the judgments in samples. `lacking` says what to do about samples without the contexts of the noun."""
    naming = Naming()
    by_ids = _named_by_ids(samples, options)
    run = noun == "run"
    gather = Gather(noun, name)
    first: dict[str, str] = {}
    seen: dict[str, list[str]] = {}
    again: list[str] = []
    without = cut_off = 0
    for sample in samples:
        passages = sample.retrieved if run else sample.gold
        if passages is None:
            without += 1
            continue
        query = naming.query(sample.id, sample.question, sample.where)
        docs = [_name(passage, by_ids, naming, sample.where) for passage in passages]
        cut_off += sum(passage.is_cut and not _by_id(passage, by_ids) for passage in passages)
        again += [query] * (query in first)
        if run and seen.get(query, docs) != docs:
            raise _asked_twice(sample, first[query])
        if run and query not in first:
            for doc in naming.ranking(docs):
                gather.add(query, doc)
        known = seen.setdefault(query, docs if run else [])
        if not run:
            new = [doc for doc in dict.fromkeys(docs) if doc not in known]
            known += new
            for doc in new:
                gather.add(query, doc, 1)
        first.setdefault(query, sample.where)
    if not first:
        what = "retrieved" if run else "gold"
        raise InputError(f"{name}: none of {counted(len(samples), 'sample')} has {what} contexts. {lacking}")
    empty = [query for query, docs in seen.items() if not docs]
    notes = [*naming.notes(), *_names_told(samples, by_ids), *_notes(run, without, len(samples), cut_off, len(empty))]
    if again and run:
        notes.append(f"{counted(len(again), 'sample')} that ask a question again, with the same contexts: counted once")
    elif again:
        notes.append(f"{IN_SEVERAL}{len(set(again))}")
    if not run:
        notes.append("each gold context has grade 1")
    return Read(gather.rows(), tuple(notes), unit="row", without_documents=() if run else tuple(empty))


def _notes(run: bool, without: int, samples: int, cut_off: int, empty: int) -> Iterator[str]:
    word = "retrieved" if run else "gold"
    if without:
        yield f"{without} of {counted(samples, 'sample')} without {word} contexts: not taken over"
    if empty and run:
        yield f"{counted(empty, 'question')} for which nothing was retrieved"
    if cut_off:
        yield (
            f"{counted(cut_off, f'{word} context')} that end in an ellipsis: where a tool cut the text, its name is "
            "another than that of the whole text"
        )


def _names_told(samples: Sequence[RagSample], by_ids: bool) -> Iterator[str]:
    """What names the contexts, and which of them cannot meet."""
    both = (passages for sample in samples for passages in (sample.retrieved, sample.gold) if passages)
    kinds = {(p.id not in (None, ""), p.named is not None) for passages in both for p in passages}
    if not any(has_id for has_id, _ in kinds):
        return
    if by_ids and all(has_id for has_id, _ in kinds):
        also = "; names=texts names them by their texts" if all(has_text for _, has_text in kinds) else ""
        yield f"contexts are named by their ids{also}"
    elif by_ids or (True, False) in kinds:
        yield "some contexts are named by their ids and others by their texts: the two cannot meet"
    else:
        yield "the ids of contexts are not used: not every context has one, or names=texts says so"


def _asked_twice(sample: RagSample, before: str) -> InputError:
    asked = sample.id if sample.id not in (None, "") else sample.question
    return InputError(
        f"{sample.where}: the question {asked!r:.80} has other retrieved contexts in {before}. A run has one ranking "
        "for each question: keep one of the two, or give the questions ids that tell them apart."
    )


def _name(passage: Passage, by_ids: bool, naming: Naming, where: str) -> str:
    if passage.named is None or _by_id(passage, by_ids):
        return naming.doc(passage.id, None, where)
    naming.texts += 1
    return passage.named


def _by_id(passage: Passage, by_ids: bool) -> bool:
    return by_ids and passage.id not in (None, "")


def _named_by_ids(samples: Sequence[RagSample], options: Options) -> bool:
    """Whether contexts are named by their ids: the option says so, or all of them have one."""
    given = options.get(NAMES)
    if given is not None:
        if given not in ("ids", "texts"):
            raise UsageError(f"The option {NAMES} is ids or texts; got {given!r:.40}.")
        return given == "ids"
    both = (passages for sample in samples for passages in (sample.retrieved, sample.gold) if passages)
    return all(passage.id not in (None, "") for passages in both for passage in passages)


def sample_topics(samples: Iterable[RagSample]) -> Topics:
    """The questions by their ids; one that was asked several times, with the same text, counts once."""
    naming = Naming()
    topics: Topics = {}
    for sample in samples:
        query = naming.query(sample.id, sample.question, sample.where)
        if not isinstance(sample.question, str):
            raise InputError(f"{sample.where}: the question has no text; got {sample.question!r:.60}.")
        # The name of a question without an id is its text, whatever its blanks.
        if topics.get(query) != sample.question and (sample.id not in (None, "") or query not in topics):
            add_topic(topics, query, sample.question, sample.where)
    return topics


def passages(ids: object, texts: object, keys: tuple[str, str], where: str) -> list[Passage] | None:
    """Contexts from a list of ids and a list of texts, either of which may be missing; None where both are."""
    id_key, text_key = keys
    if ids is None and texts is None:
        return None
    if ids is None:
        return [Passage.of(None, text, where) for text in texts_of(texts, text_key, where)]
    named = _ids(ids, id_key, where)
    if texts is None:
        return [Passage(doc, None) for doc in named]
    told = texts_of(texts, text_key, where)
    if len(told) != len(named):
        raise InputError(
            f"{where}: {counted(len(named), 'id')} in {id_key}, but {counted(len(told), 'text')} in {text_key}. Each "
            "context needs both, or leave one of the two lists out."
        )
    return [Passage.of(doc, text, where) for doc, text in zip(named, told, strict=True)]


def _ids(value: object, key: str, where: str) -> list[object]:
    if not isinstance(value, list) or any(doc is None or isinstance(doc, list | dict) for doc in value):
        raise InputError(f"{where}: {key} must be a list of ids; got {value!r:.60}.")
    return value


def object_passages(items: Sequence[object], key: str, where: str) -> list[Passage]:
    """Contexts from a list of objects with an id, a text or both; a text may stand among them."""
    made = []
    for item in items:
        fields = item if isinstance(item, Mapping) else {"text": item}
        doc = next((fields[name] for name in OBJECT_IDS if is_id(fields.get(name))), None)
        text = next((fields[name] for name in OBJECT_TEXTS if isinstance(fields.get(name), str)), None)
        if doc is None and text is None:
            raise InputError(f"{where}: a context in {key} has neither an id nor a text; got {item!r:.60}.")
        made.append(Passage(doc, None) if text is None else Passage.of(doc, str(text), where))
    return made


def is_id(value: object) -> bool:
    """Whether a value is a text or a whole number that can be an id."""
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
