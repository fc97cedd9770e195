"""Asks for a grade on the project's scale, with the meaning of every grade.

The model is shown the query, the document as people see it, the scale with the meaning of each grade and the project's
rules, and is asked to think of what the searcher wants, what of it is there, and only then of the grade. On the scale
`graded` these are four grades, 0 to 3, like those of TREC's deep learning tracks; on another scale its own grades and
words.

    Grade: 2

An answer counts when this line is all of it, or the number alone, or a JSON object with a "grade" and nothing else but
reasons. The grade's own label may follow. Everything else is a failure, never a grade: no text, cut off, declined, a
number that the scale does not have, words, a quotation, a sentence before or behind, two answers. `reasons` has the
model write why before the last line, which alone may then be a grade; the reasons are kept as the note of the judgment.
`by = "logprob"` does not let it write at all: the likeliest of the grades as its first token counts. That works for
models too small to keep to a form, needs grades from 0 to 9, and a server that gives log-probabilities. Where the
grades have less than `least` of the probability, the model was about to say something else: a failure.

assumes: a model that follows instructions and reads the language of the texts. Its grades are claims: hold them against
    people's with `rankproof judge calibrate` before they count
source: Upadhyay, Pradeep, Thakur, Craswell and Lin, UMBRELA: open-source reproduction of the Bing relevance assessor,
    2024; Thomas, Spielman, Craswell and Mitra, Large language models can accurately predict searcher preferences,
    SIGIR 2024. The words are our own

>>> from rankproof.testing.judging import read_answer
>>> read_answer("graded", "Grade: 2")
2
>>> read_answer("graded", "7"), read_answer("graded", "It is quite relevant.")
('out of scale', 'unreadable')
>>> read_answer("graded", "I'm sorry, I can't help with that.")
'refused'
"""

from __future__ import annotations

from rankproof.judging.judge_answers import AnswerForm, answer_note, first_token_probabilities, read_form
from rankproof.judging.judge_prompts import (
    SYSTEM_PROMPT,
    marked_block,
    project_rules,
    scale_grades,
    scale_levels,
)
from rankproof.judging.judges.contract import AnswerFault, Judge, JudgeQuestion, ParsedAnswer, Prompt, Values
from rankproof.judging.records import Scale
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.kinds import Choice, Flag, Number, Param, Whole

_TOPS = 20  # the most that OpenAI's chat interface gives


def prompt(question: JudgeQuestion, values: Values) -> Prompt:
    """The question about one document."""
    by_token = values["by"] == "logprob"
    if by_token:
        form = f"Answer with the number of the grade alone: {scale_grades(question.scale)}."
    elif values["reasons"]:
        grades = scale_grades(question.scale)
        form = f"Write one or two sentences of reasons, then a last line of this form, with {grades}:\nGrade: N"
    else:
        form = f"Answer with one line of this form and nothing else, with {scale_grades(question.scale)}:\nGrade: N"
    user = (
        "Somebody searched with the query below, and a search engine returned the document. Grade how well it serves "
        f"what they searched for.\n\nGrades:\n{scale_levels(question.scale)}{project_rules(question.rules)}\n\n"
        f"{marked_block('query', question.query)}\n\n{question.shown()}\n\n"
        "First consider what the searcher most likely wants. Then how much of that the document gives, and whether it "
        f"can be relied on. Then choose the grade whose meaning fits.\n{form}"
    )
    usual = 1 if by_token else 400 if values["reasons"] else 24
    return Prompt(SYSTEM_PROMPT, user, values["tokens"] or usual, _TOPS if by_token else 0)


def read(answer: ModelAnswer, scale: Scale, values: Values) -> ParsedAnswer | AnswerFault:
    """The one grade of an answer, or why it has none."""
    if values["by"] == "logprob":
        return _likeliest(answer, scale, values["least"])
    form = AnswerForm(
        "grade",
        tuple(map(str, scale.grades)),
        ("grade", "score"),
        {str(level.grade): level.label for level in scale.levels},
        key="grade",
        numbers=True,
        range=scale_grades(scale),
    )
    read = read_form(answer, form, reasons=values["reasons"])
    return read if isinstance(read, AnswerFault) else ParsedAnswer(int(read.word), answer_note(read.reasons))


def _likeliest(answer: ModelAnswer, scale: Scale, least: float) -> ParsedAnswer | AnswerFault:
    probabilities = first_token_probabilities(answer, tuple(map(str, scale.grades)), least)
    if isinstance(probabilities, AnswerFault):
        return probabilities
    best = max(probabilities.values())
    if not best:
        return AnswerFault(
            "unreadable", f"none of {scale_grades(scale)} is among the {len(answer.tops)} likeliest first tokens"
        )
    chosen = next(grade for grade, probability in probabilities.items() if probability == best)
    return ParsedAnswer(int(chosen), ", ".join(f"p({grade}) = {p:.3f}" for grade, p in probabilities.items()))


def misfit(scale: Scale, values: Values) -> str:
    """Why these values do not go with a scale."""
    if values["by"] == "logprob":
        if not all(0 <= grade <= 9 for grade in scale.grades):
            return f"by='logprob' needs grades from 0 to 9, each one token; the scale {scale.name!r} has others."
        if values["reasons"]:
            return "by='logprob' reads one token, so that there is no room for reasons."
    return ""


OFFERS = (
    Judge(
        name="graded",
        page=__doc__,
        prompt=prompt,
        read=read,
        params=(
            Param("by", Choice(("text", "logprob")), "text", "what counts: what is written, or the likeliest grade"),
            Param("reasons", Flag(), False, "have the model write its reasons before the grade; costs tokens"),
            Param("least", Number(0, 1), 0.001, "with logprob: the least that all grades must have together"),
            Param("tokens", Whole(), None, "tokens an answer may have; 24, or 400 with reasons"),
        ),
        misfit=misfit,
    ),
)
