"""Asks which of two documents serves a query better, in both orders.

A model that is shown two documents leans to the first or to the second place. So each two are asked twice, each once in
either place: where the answers name the same document, it is preferred; where they name the same place, the model has
told its habit and not a preference, and the two count as equally good. With `ties` the model may say itself that
neither is better. The result is a preference in the store, never a grade.

Which documents meet each other: by `pairs`, each with the next of its query in the order they were chosen (the default:
one question twice for each document but the first), or every one with every other.

An answer counts when it is all of A, B or (with ties) neither, alone or after "Answer:"; everything else is a failure.

assumes: a model that follows instructions and reads the language of the texts
source: Clarke, Vtyurina and Smucker, Assessing top-k preferences, ACM TOIS 39(3), 2021; Zheng et al., Judging
    LLM-as-a-judge with MT-Bench and Chatbot Arena, NeurIPS 2023 (both orders, against the pull of a place)

The places 0 and 1 of the better document, and None for neither:

>>> from rankproof.testing.judging import read_answer
>>> read_answer("pairwise", "A"), read_answer("pairwise", "Answer: B"), read_answer("pairwise", "Neither.")
(0, 1, None)
>>> read_answer("pairwise", "Both have merits.")
'unreadable'

>>> from rankproof.judging.judges.pairwise import settle
>>> settle(0, 1), settle(1, 0), settle(0, 0), settle(None, 1)
(0, 1, None, None)
"""

from __future__ import annotations

from rankproof.judging.judge_answers import AnswerForm, read_form
from rankproof.judging.judge_prompts import SYSTEM_PROMPT, marked_block, project_rules
from rankproof.judging.judges.contract import AnswerFault, Judge, JudgeQuestion, ParsedAnswer, Prompt, Values
from rankproof.judging.records import Scale
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.kinds import Choice, Flag, Param, Whole

_PLACES = {"a": 0, "b": 1, "document a": 0, "document b": 1, "neither": None, "tie": None}
_FORM = AnswerForm("choice between A and B", tuple(_PLACES), ("answer", "better"))


def prompt(question: JudgeQuestion, values: Values) -> Prompt:
    """The question about two documents, in the order given."""
    form = "A or B, or Neither where they serve equally well" if values["ties"] else "A or B"
    user = (
        "Somebody searched with the query below, and a search engine returned two documents, A and B."
        f"{project_rules(question.rules)}\n\n{marked_block('query', question.query)}\n\n"
        f"Document A:\n{question.shown()}\n\nDocument B:\n{question.shown(1)}\n\n"
        "Which document serves the searcher better? Consider what they most likely want; the order in which the "
        f"documents stand here means nothing. Answer with one word: {form}."
    )
    return Prompt(SYSTEM_PROMPT, user, values["tokens"])


def read(answer: ModelAnswer, scale: Scale, values: Values) -> ParsedAnswer | AnswerFault:
    """The place of the better document, None for neither, or why the answer says nothing."""
    read = read_form(answer, _FORM)
    if isinstance(read, AnswerFault):
        return read
    place = _PLACES[read.word]
    if place is None and not values["ties"]:
        return AnswerFault("out of scale", "the answer prefers neither, which it may not")
    return ParsedAnswer(place)


def settle(straight: int | None, turned: int | None) -> int | None:
    """The better of two documents after both orders: 0 or 1 by the first order; None where neither is.

    `turned` is the place named when the second document stood first.
    """
    if straight is None or turned is None or straight == turned:
        return None
    return straight


OFFERS = (
    Judge(
        name="pairwise",
        page=__doc__,
        prompt=prompt,
        read=read,
        params=(
            Param("pairs", Choice(("neighbors", "all")), "neighbors", "which documents of a query meet each other"),
            Param("ties", Flag(), True, "whether the model may prefer neither"),
            Param("tokens", Whole(), 16, "tokens an answer may have"),
        ),
        documents=2,
    ),
)
