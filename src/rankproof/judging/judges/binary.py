"""Asks whether a document is relevant, yes or no.

One question and one word: no list of facts (nuggets) is needed beforehand. Yes gives the least grade of the project's
scale that counts as relevant, or the grade that `yes` names; no gives the lowest grade. An answer counts when the word
is all of it; everything else, such as a sentence that begins with yes, is a failure and never a grade.

`by = "logprob"` takes the first token's probabilities in place of the written word: p(yes) / (p(yes) + p(no)) of
`threshold` or more is a yes. The share is kept as the note of the judgment. The server must give log-probabilities, and
both words must have `least` of the probability together: otherwise the model was about to say something else.

assumes: a model that follows instructions and reads the language of the texts; hold it against people's grades with
    `rankproof judge calibrate --relevant` before it counts
source: Faggioli et al., Perspectives on large language models for relevance judgment, ICTIR 2023; Liang et al.,
    Holistic evaluation of language models, TMLR 2023 (log-probability of yes and no)

>>> from rankproof.testing.judging import read_answer
>>> read_answer("binary", "Yes."), read_answer("binary", "no")
(1, 0)
>>> read_answer("binary", "No, it is about tea."), read_answer("binary", "Yes and no."), read_answer("binary", "")
('unreadable', 'unreadable', 'empty')
"""

from __future__ import annotations

from rankproof.judging.judge_answers import AnswerForm, first_token_probabilities, read_form
from rankproof.judging.judge_prompts import SYSTEM_PROMPT, marked_block, project_rules
from rankproof.judging.judges.contract import AnswerFault, Judge, JudgeQuestion, ParsedAnswer, Prompt, Values
from rankproof.judging.records import Scale
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.kinds import Choice, Number, Param, Whole

_FORM = AnswerForm("yes or no", ("yes", "no"))
_TOPS = 20  # the most that OpenAI's chat interface gives


def prompt(question: JudgeQuestion, values: Values) -> Prompt:
    """The question about one document."""
    user = (
        "Somebody searched with the query below, and a search engine returned the document."
        f"{project_rules(question.rules)}\n\n{marked_block('query', question.query)}\n\n"
        f"{question.shown()}\n\n"
        "Does the document help with what they searched for? Answer with one word: Yes or No."
    )
    by_token = values["by"] == "logprob"
    return Prompt(SYSTEM_PROMPT, user, 1 if by_token else values["tokens"], _TOPS if by_token else 0)


def read(answer: ModelAnswer, scale: Scale, values: Values) -> ParsedAnswer | AnswerFault:
    """Yes or no as grades, or why it is neither."""
    if values["by"] == "logprob":
        probabilities = first_token_probabilities(answer, ("yes", "no"), values["least"])
        if isinstance(probabilities, AnswerFault):
            return probabilities
        if not all(probabilities.values()):
            lacking = " and ".join(word for word, probability in probabilities.items() if not probability)
            return AnswerFault("unreadable", f"{lacking} not among the {len(answer.tops)} likeliest first tokens")
        share = probabilities["yes"] / sum(probabilities.values())
        return ParsedAnswer(_grade(share >= values["threshold"], scale, values), f"p(yes) = {share:.3f}")
    read = read_form(answer, _FORM)
    return read if isinstance(read, AnswerFault) else ParsedAnswer(_grade(read.word == "yes", scale, values))


def _grade(is_yes: bool, scale: Scale, values: Values) -> int:
    if not is_yes:
        return scale.grades[0]
    return scale.relevant if values["yes"] is None else int(values["yes"])


def misfit(scale: Scale, values: Values) -> str:
    """Why these values do not go with a scale."""
    if values["yes"] is not None and values["yes"] not in scale.grades[1:]:
        return f"yes={values['yes']} is no grade above the lowest of the scale {scale.name!r}: {scale.grades}."
    if values["yes"] is None and scale.relevant == scale.grades[0]:
        return f"every grade of the scale {scale.name!r} counts as relevant. Name the grade of a yes: yes=..."
    return ""


OFFERS = (
    Judge(
        name="binary",
        page=__doc__,
        prompt=prompt,
        read=read,
        params=(
            Param("by", Choice(("text", "logprob")), "text", "what counts: the written word, or its probability"),
            Param("threshold", Number(0, 1), 0.5, "with logprob: the least share of yes that is a yes"),
            Param("least", Number(0, 1), 0.001, "with logprob: the least that both words must have together"),
            Param("yes", Whole(), None, "the grade of a yes; the least relevant one of the scale otherwise"),
            Param("tokens", Whole(), 16, "tokens an answer may have"),
        ),
        misfit=misfit,
    ),
)
