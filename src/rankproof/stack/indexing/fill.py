"""Fill: makes an index, puts every document into it, goes on where it was interrupted, and verifies what is there.

Which documents are there is asked of the index itself, batch by batch, so that nothing has to be remembered between two
runs: one that was killed goes on with the batch it was at. The marker in the index says of which dataset, model and
settings it is made; an index without one, or with another one, is never written to.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import TypeVar, cast

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.pacing import Pace
from rankproof.kernel.progress import Progress
from rankproof.kernel.sections import counted
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.asking.limits import Limits
from rankproof.stack.engines.contract import Asker, AskFailed, Searcher
from rankproof.stack.filling import (
    FILLING,
    WHOLE,
    Filler,
    IndexContent,
    IndexFound,
    differences,
    marker_of,
)
from rankproof.stack.indexing.records import FillOptions, IndexedTarget, IndexTarget, SearchTried
from rankproof.stack.indexing.targets import request_of
from rankproof.stack.records import Ground, Values

T = TypeVar("T")

# No request is larger, unless one document alone is.
MOST_BYTES = 8 * 1024 * 1024
BYTES_OF_A_NUMBER = 12
# Documents that searches are tried with, how deep they may stand, and how many words of them are asked for.
TRIED, TRIED_DEPTH, TRIED_WORDS = 5, 100, 8
# Faults of one kind that are named one by one.
FEW = 3


@dataclass(eq=False)
class PatientAsking:
    """Asks a server until it answers, within the limits of the configuration."""

    limits: Limits
    rng: np.random.Generator
    retries: int = 0
    _stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self._pace = Pace(self.limits.rate)

    def ask(self, what: str, call: Callable[[], T], hint: str = "") -> T:
        """What the call gives; InputError where it gives nothing, with what to do."""
        failed: AskFailed | None = None
        for attempt in range(1, self.limits.attempts + 1):
            while (seconds := self._pace.reserve()) > 0:
                self._stop.wait(seconds)
            try:
                return call()
            except AskFailed as error:
                failed = error
                too_long = error.wait is not None and error.wait > self.limits.longest_wait
                if not error.again or too_long or attempt == self.limits.attempts:
                    break
                self.retries += 1
                self._stop.wait(self.limits.wait(attempt, float(self.rng.random()), error.wait))
        tried = f" It was tried {attempt} times." if attempt > 1 else ""
        raise InputError(f"{what}: {str(failed).rstrip('.')}.{tried}{hint}") from None


def fill_index(
    target: IndexTarget, settings: Values, ground: Ground, limits: Limits, options: FillOptions, dry_run: bool = False
) -> IndexedTarget:
    """One index, made, filled and verified; with `dry_run` only what would be made."""
    began = time.perf_counter()
    filler = target.fills.open(request_of(target, settings, ground))
    try:
        corpus = ground.documents(target.engine.name).content_hash
        plan = dict(filler.plan)
        marker = marker_of(filler.content, corpus, plan, FILLING)
        content = filler.content
        vectors = {name: content.dimensions(name) for name in content.vectors}
        outcome = IndexedTarget(
            target,
            "planned",
            len(content.doc_ids),
            content.named or tuple(content.texts),
            vectors,
            plan,
            {**marker, "state": WHOLE},
        )
        if dry_run:
            return outcome
        patience = PatientAsking(limits, np.random.default_rng(int(str(marker["plan"])[:16], 16)))
        work = _Filling(filler, marker, patience, options, ground.progress)
        what, put = work.run()
        faults, compared = work.verify()
        if faults:
            patience.ask(filler.name, lambda: filler.mark(marker))
        else:
            seconds = time.perf_counter() - began
            seen = work.observed if what == "there" else {"seconds": round(seconds, 6), "put": put}
            patience.ask(filler.name, lambda: filler.mark({**outcome.marker, "observed": seen}))
        size = patience.ask(filler.name, filler.size)
    finally:
        filler.close()
    searches = {} if faults else {mode: _searched(target, mode, ground, limits) for mode in target.steps}
    for mode, one in searches.items():
        if one.tried and not one.found:
            faults.append(f"{mode} finds none of {one.tried} sampled documents by their own words")
    return IndexedTarget(
        target, what, outcome.documents, outcome.fields, vectors, plan, outcome.marker, compared, searches,
        tuple(faults), put, time.perf_counter() - began, size, patience.retries,
    )  # fmt: skip


@dataclass(eq=False)
class _Filling:
    filler: Filler
    marker: Mapping[str, object]
    patience: PatientAsking
    options: FillOptions
    progress: Progress
    observed: object = None  # what the index has of the time that filling it took

    def ask(self, call: Callable[[], T]) -> T:
        hint = " What was put is there: the same command goes on from it."
        return self.patience.ask(self.filler.name, call, hint)

    # ---- what is there ---------------------------------------------------------------------------

    def run(self) -> tuple[str, int]:
        """What was done, and how many documents were put."""
        found, outcome = self.begin()
        self.observed = (found.marker or {}).get("observed")
        state = (found.marker or {}).get("state")
        if outcome == "resumed" and state == WHOLE and self.ask(self.filler.count) == len(self.content.doc_ids):
            return "there", 0
        put = self.put_all(found.birth)
        self.ask(self.filler.finish)
        return outcome, put

    def begin(self) -> tuple[IndexFound, str]:
        """The index as it is before documents are put; an error where it must not be written to."""
        found = self.ask(self.filler.found)
        outcome = "resumed"
        if found is not None and self.options.replace and found.marker is not None:
            self.ask(self.filler.remove)
            found, outcome = None, "made anew"
        if found is None:
            outcome = "made" if outcome == "resumed" else outcome
            refused: InputError | None = None
            try:
                self.ask(lambda: self.filler.create(self.marker))
            except InputError as error:
                refused = error  # perhaps another process has just made it
            found = self.ask(self.filler.found)
            if found is None or (refused is not None and differences(found, self.marker)):
                raise refused or InputError(f"{self.filler.name} was made and is gone again. Somebody removed it.")
            outcome = "resumed" if refused is not None else outcome
        self.refuse(found)
        return found, outcome

    def refuse(self, found: IndexFound) -> None:
        there = f" It has {found.what}." if found.what else ""
        if found.marker is None:
            raise UsageError(
                f"{self.filler.name} is there already and was not made by `rankproof index`, which never writes to "
                f"what it did not make and never removes it.{there} Name another index in the configuration, or remove "
                "this one yourself."
            )
        if wrong := differences(found, self.marker):
            raise UsageError(
                f"{self.filler.name} is there already, made from {' and '.join(wrong)}.{there} Name another "
                "index in the configuration, or make this one anew: --replace"
            )

    # ---- putting ---------------------------------------------------------------------------------

    @property
    def content(self) -> IndexContent:
        return self.filler.content

    def put_all(self, birth: str) -> int:
        """Puts every document that is not there; how many these were."""
        self.content.prepare()
        total, put = len(self.content.doc_ids), 0
        for at, places in self.batches():
            ids = [self.content.doc_ids[place] for place in places]
            self.refuse_new(birth)
            there = self.ask(partial(self.filler.there, ids))
            missing = [place for place in places if self.content.doc_ids[place] not in there]
            if missing:
                documents = self.content.documents(missing)
                self.ask(partial(self.filler.put, documents))
                put += len(missing)
            self.progress(f"{self.filler.name}: document", at, total)
        self.refuse_new(birth)
        return put

    def refuse_new(self, birth: str) -> None:
        """InputError where somebody made the index anew while it is filled."""
        found = self.ask(self.filler.found)
        if found is None or found.birth != birth:
            raise InputError(
                f"{self.filler.name} was {'removed' if found is None else 'made anew'} by somebody else while it was "
                "being filled. Nothing more is put into it. See that only one configuration fills it, then run the "
                "same command again."
            )

    def batches(self) -> Iterator[tuple[int, list[int]]]:
        """Places, in order, in batches that are neither too many nor too large; and how far one is after each."""
        numbers = sum(encoded.vectors.shape[1] for encoded in self.content.vectors.values())
        places: list[int] = []
        size = 0
        for place in range(len(self.content.doc_ids)):
            own = numbers * BYTES_OF_A_NUMBER + sum(len(texts[place]) for texts in self.content.texts.values())
            if places and (len(places) == self.options.batch or size + own > MOST_BYTES):
                yield place, places
                places, size = [], 0
            places.append(place)
            size += own
        if places:
            yield len(self.content.doc_ids), places

    # ---- verifying -------------------------------------------------------------------------------

    def verify(self) -> tuple[list[str], int]:
        """What is not as it should be; and how many documents were compared."""
        faults = []
        total = len(self.content.doc_ids)
        count = self.ask(self.filler.count)
        if count != total:
            more = "more" if count > total else "fewer"
            faults.append(f"it has {counted(count, 'document')}, {abs(count - total):,} {more} than the dataset")
        missing: list[str] = []
        wrong: list[str] = []
        sample = sampled(total, self.options.sample, self.marker)
        for at in range(0, len(sample), self.options.batch):
            documents = self.content.documents(sample[at : at + self.options.batch])
            ids = [document.doc_id for document in documents]
            there = self.ask(partial(self.filler.read, ids))
            for document in documents:
                if document.doc_id not in there:
                    missing.append(repr(document.doc_id))
                elif fields := document.differs(there[document.doc_id]):
                    wrong.append(f"{document.doc_id!r} in {', '.join(fields)}")
            self.progress(f"{self.filler.name}: comparing document", at + len(ids), len(sample))
        of = f"of {len(sample):,} compared documents"
        if missing:
            faults.append(f"{len(missing):,} {of} are missing: {_few(missing)}")
        if wrong:
            faults.append(f"{len(wrong):,} {of} are not as they were put: {_few(wrong)}")
        return faults, len(sample)


def _few(texts: Sequence[str]) -> str:
    return ", ".join(texts[:FEW]) + (", ..." if len(texts) > FEW else "")


def sampled(total: int, most: int | None, marker: Mapping[str, object]) -> list[int]:
    """Places of documents: all, or so many at random by a seed that the dataset decides; first and last among them.

    >>> sampled(3, 5, {"corpus": "0" * 64})
    [0, 1, 2]
    """
    if most is None or total <= most:
        return list(range(total))
    rng = np.random.default_rng(int(str(marker["corpus"])[:16], 16))
    ends = {0, total - 1} if most > 1 else {0}
    inner = rng.choice(np.arange(1, total - 1), size=max(0, most - len(ends)), replace=False)
    return sorted(ends | set(inner.tolist()))


# ---- searching -----------------------------------------------------------------------------------


def _searched(target: IndexTarget, mode: str, ground: Ground, limits: Limits) -> SearchTried:
    """How many of a few documents the mode finds by their own words: the index may be whole and the search not."""
    corpus = ground.documents(target.engine.name)
    values = target.steps[mode].values
    names = [part.partition("^")[0] for part in str(values.get("fields") or "").split()]
    names = [name for name in names if name in corpus.fields] or list(corpus.fields)
    with_words = [place for place in range(len(corpus)) if any(corpus.fields[name][place] for name in names)]
    rng = np.random.default_rng(int(corpus.content_hash[:16], 16))
    chosen = rng.permutation(with_words)[:TRIED].tolist() if with_words else []
    opened = target.engine.open(values, ground)
    found = tried = 0
    try:
        for place in chosen:
            columns = [corpus.fields[name][place] for name in names if corpus.fields[name][place]]
            words = " ".join(re.findall(r"\w+", columns[0])[:TRIED_WORDS])
            tried += 1
            found += any(
                corpus.doc_ids[place] in _ask(opened, text, limits).doc_ids
                for text in (words, "\n".join(columns)[:2000])
                if text.strip()
            )
    except AskFailed as failed:
        return SearchTried(0, 0, f"it could not be asked: {failed}")
    finally:
        if hasattr(opened, "close"):
            opened.close()
    return SearchTried(tried, found, "" if tried else "no document has words")


def _ask(opened: Searcher | Asker, text: str, limits: Limits) -> Ranking:
    query = Query("index", text)
    search = getattr(opened, "search", None)
    if search is None:
        return cast(Asker, opened).ask(query, TRIED_DEPTH, limits.timeout)
    return cast(Searcher, opened).search([query], TRIED_DEPTH)[0]
