"""Pipeline, Outcome and Ground: what runs, what came of it, and the documents and folders it stands on.

bm25(k1=0.9) >> cutoff(depth=100)
fuse_rrf(bm25(), dense(), k=60) >> rerank_maxsim(depth=50)
rewrite(synonyms="words.txt") >> bm25()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.cache import NO_CACHE, Cache
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.llm.answer import Usage
from rankproof.kernel.llm.spending import Spending
from rankproof.kernel.progress import Progress, silent
from rankproof.reading.collection import Corpus
from rankproof.reading.ranking import Failure, Ranking
from rankproof.reading.records import Run
from rankproof.stack.asking.probe import Probe

# The values of an item's parameters, by name: each of the type that its parameter reads.
Values = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Step:
    """An engine or a stage with every choice made, and what flows into it.

    options  the values that differ from the defaults, as text: what the printed form shows
    inputs   the pipelines that flow in: none for an engine, one or more for a stage; for an engine after a rewrite,
             the rewrite
    depth    how many documents an engine is asked for, where a stage after it says so; None for as many as all modes
    """

    shelf: Literal["engines", "stages"]
    name: str
    values: Values
    options: Mapping[str, str]
    inputs: tuple[Step, ...] = ()
    fuses: bool = False  # its inputs stand in its parentheses and not before it
    depth: int | None = None

    @cached_property
    def text(self) -> str:
        """The printed form, which reads back to the same pipeline."""
        options = [f"{name}={value}" for name, value in self.options.items()]
        if self.fuses:
            return f"{self.name}({', '.join([*(step.text for step in self.inputs), *options])})"
        call = f"{self.name}({', '.join(options)})"
        return " >> ".join([*(step.text for step in self.inputs), call])

    @cached_property
    def key(self) -> str:
        """SHA-256 of names, all values and all inputs: two steps with one key do the same."""
        deep = {} if self.depth is None else {"depth": self.depth}
        own = to_json({"shelf": self.shelf, "name": self.name, "values": dict(self.values), **deep})
        return sha256("\n".join(["step 1", own, *(step.key for step in self.inputs)]).encode()).hexdigest()

    def steps(self) -> Iterator[Step]:
        """Every step, inputs before what they flow into; a shared one as often as it flows."""
        for step in self.inputs:
            yield from step.steps()
        yield self

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True, eq=False)
class StepOutcome:
    """One step over all queries.

    rankings       in the order of the queries; none of a rewrite, which gives words
    milliseconds   the step's own time for each query; NaN where no answer came, or a stored one
    identity       what the answers depend on besides the step itself: hashes of corpus and model, versions
    notes          what the step has to say about its answers, such as the recall of an approximate search
    kept           how many answers of a live engine come from an earlier fetch
    kept_days      how many of them were made on which day (UTC); "" where that is not known
    usage          what was asked of a language model for each query; nothing where the step asks none
    probe          what a few queries asked anew say of answers from an earlier fetch; None where none was asked
    """

    step: Step
    rankings: tuple[Ranking, ...]
    milliseconds: NDArray[np.float64]
    failures: tuple[Failure, ...] = ()
    identity: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    kept: int = 0
    usage: tuple[Usage, ...] = ()
    kept_days: Mapping[str, int] = field(default_factory=dict)
    probe: Probe | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ModeOutcome:
    """A named pipeline over all queries: the outcomes of its steps, in the order they ran. The last is the answer.

    A step that flows into several others is there once.
    """

    name: str
    pipeline: Step
    query_ids: tuple[str, ...]
    steps: tuple[StepOutcome, ...]
    depth: int

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """What the pipeline gives, in the order of the queries: the first `depth` of what its last step gave.

        A fusion gives more documents than each of its inputs; what comes after it sees them all.
        """
        return tuple(
            Ranking(r.doc_ids[: self.depth], r.scores[: self.depth], r.text_ids) for r in self.steps[-1].rankings
        )

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Everything that failed and was survived, step by step."""
        return tuple(failure for outcome in self.steps for failure in outcome.failures)

    @property
    def milliseconds(self) -> NDArray[np.float64]:
        """What each query cost in all steps together; steps that could run side by side are added up all the same."""
        total: NDArray[np.float64] = np.sum([outcome.milliseconds for outcome in self.steps], axis=0)
        return total

    def by_step(self, what: Literal["identity", "notes"]) -> dict[str, dict[str, str]]:
        """What each step says of itself, by its name; by its text where two steps have one name."""
        names = [outcome.step.name for outcome in self.steps]
        texts = {}
        for outcome in self.steps:
            name = outcome.step.name if names.count(outcome.step.name) == 1 else outcome.step.text
            texts[name] = dict(outcome.identity if what == "identity" else outcome.notes)
        return texts

    def hit_fields(self) -> Iterator[tuple[str, str, Mapping[str, str]]]:
        """Query, document and what the engines' answers said of it, for the documents that the pipeline gives.

        Where several engines say a field, the first one's word is taken. A chunk that stands for its document speaks
        for it.
        """
        asked = [outcome for outcome in self.steps if outcome.step.shelf == "engines"]
        for at, (query, ranking) in enumerate(zip(self.query_ids, self.rankings, strict=True)):
            told = [hits for outcome in asked if (hits := outcome.rankings[at].hit_fields)]
            for doc, text in zip(ranking.doc_ids, ranking.read_as(ranking.doc_ids), strict=True) if told else ():
                fields: dict[str, str] = {}
                for each in told:
                    fields = {**each.get(text, each.get(doc, {})), **fields}
                if fields:
                    yield query, doc, fields

    def as_run(self) -> dict[str, dict[str, float]]:
        """{query_id: {doc_id: score}}, as `evaluate` takes it."""
        return {
            query: dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
            for query, ranking in zip(self.query_ids, self.rankings, strict=True)
        }


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """`corpus` is None where only live engines answer; `folder` is what relative paths are named from.

    read_run   reads a run file by its path; whoever runs pipelines passes it in
    progress   called while documents are encoded or an index is built
    spending   what language models may be asked and cost, over all that runs on this ground; None for no ceiling
    wanted     what opened stages will want of documents besides, so that one pass of a model may make it for all
    """

    corpus: Corpus | None = None
    cache: Cache = NO_CACHE
    folder: str = "."
    threads: int = 0
    read_run: Callable[[str], Run] | None = None
    progress: Progress = silent
    spending: Spending | None = None
    wanted: set[tuple[object, ...]] = field(default_factory=set)

    def documents(self, who: str) -> Corpus:
        """The corpus; UsageError for an item that needs one where there is none."""
        if self.corpus is None:
            raise UsageError(f"{who} needs the texts of the documents. Name a corpus in the configuration.")
        return self.corpus
