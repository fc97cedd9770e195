"""Reading a model's answer, for every judge alike: one answer, the whole answer, or the reason why there is none.

What counts is in the form that was asked for, and nothing stands around it: no sentence, quotation, list, code fence or
second answer. Light emphasis (**Grade: 2**), a final dot and the grade's own label are let through. A number is written
as the scale writes it, in the digits 0 to 9: 2.0, +2, 02 and full-width digits are no grades.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, cast

from rankproof.judging.judges.contract import AnswerFault, FaultKind, ParsedAnswer, Prompt
from rankproof.judging.records import Scale
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.whole import BLANK, declined, declines, whole_text
from rankproof.kernel.specs.calls import Configured

_LONGEST_NOTE = 2000
# Some servers cut a long question without a word. No tokenizer makes so few tokens of that much text in lines.
_LONG, _CHARACTERS_PER_TOKEN = 4000, 8
# An answer of more words that stands in its question word for word is the question over again.
_WORDS_OF_AN_ANSWER = 6
# What may stand around an answer without changing it.
_AROUND = r"[*_]{0,3}"
_NUMBER = r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?"
_TRIMMED = " \t*_.,;:=()-\u2013\u2014"
# Where a JSON object may say why, beside its answer.
_REASONS = frozenset({"reason", "reasons", "reasoning", "why", "explanation"})
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What an answer that counts looks like.

    expected   what is looked for, for messages: "grade"
    words      what may be said, in small letters
    names      what may stand before it, with a colon or an equals sign: "grade", "score"
    labels     what may follow a word: its own label
    key        the name under which a JSON object may say it; "" where none may
    numbers    whether other numbers are answers too, out of the scale that `range` tells
    """

    expected: str
    words: tuple[str, ...]
    names: tuple[str, ...] = ("answer",)
    labels: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    numbers: bool = False
    range: str = ""


@dataclass(frozen=True, slots=True)
class ReadWord:
    """The word that an answer says, in small letters, and the reasons that it gives for it."""

    word: str
    reasons: str = ""


def read_judge_answer(
    judge: Configured, answer: ModelAnswer, prompt: Prompt, scale: Scale
) -> ParsedAnswer | AnswerFault:
    """What an answer to a question says, by the judge, if the model saw all of it and does not only repeat it."""
    asked = len(prompt.system) + len(prompt.user)
    if answer.tokens is not None and asked > _LONG and answer.tokens[0] * _CHARACTERS_PER_TOKEN < asked:
        return AnswerFault(
            "cut off",
            f"the server counted {answer.tokens[0]:,} tokens in a question of {asked:,} characters: it cut it. Show "
            "less of a document (--characters), or let the server take longer questions",
            outside=True,
        )
    said = answer.text.split()  # compared without blanks: what was broken in the question may be whole again
    if len(said) > _WORDS_OF_AN_ANSWER and "".join(said) in "".join(prompt.user.split()):
        return AnswerFault("unreadable", "the answer repeats what the model was shown", outside=True)
    read: ParsedAnswer | AnswerFault = judge.item.read(answer, scale, judge.values)
    return read


def whole_answer(answer: ModelAnswer) -> str | AnswerFault:
    """The text of an answer that came whole; otherwise what is wrong with it."""
    text = whole_text(answer)
    return _fault(text) if isinstance(text, NoAnswer) else text


def read_form(answer: ModelAnswer, form: AnswerForm, *, reasons: bool = False) -> ReadWord | AnswerFault:
    """What an answer says. With `reasons` the last line has it, and lines before say why; else it is the whole answer.

    Reasons that decline, or that hold another answer of the form, make the whole one a failure.
    """
    text = whole_answer(answer)
    if isinstance(text, AnswerFault):
        return text
    if form.key and text.startswith("{"):
        return _from_json(text, form)
    before, _, line = text.rpartition("\n") if reasons else ("", "", text)
    word = _from_line(line.strip(BLANK), form)
    if isinstance(word, AnswerFault):
        return unreadable_answer(text, form.expected) if word.kind == "unreadable" else word
    if declines(before):
        return AnswerFault("refused", f"the model declined to answer, and its last line is {line.strip(BLANK)!r}")
    if _mentions(before, form):
        return AnswerFault("unreadable", f"the answer has another {form.expected} before its last line")
    return ReadWord(word, text if before.strip(BLANK) else "")


def _from_line(line: str, form: AnswerForm) -> str | AnswerFault:
    """The word of a line that is an answer from its first to its last character."""
    words = "|".join(re.escape(word) for word in sorted(form.words, key=len, reverse=True))
    said = f"{_NUMBER}|{words}" if form.numbers else words
    names = "|".join(map(re.escape, form.names))
    match = re.fullmatch(
        rf"{_AROUND}(?:(?:final )?(?:{names}){_AROUND}[ \t]*[:=][ \t]*{_AROUND})?(?P<word>{said})(?P<rest>(?![\w/]).*)",
        line,
        re.IGNORECASE | re.ASCII,  # ASCII: no letter or digit that only looks like one of these
    )
    if match is None:
        return unreadable_answer(line, form.expected)
    word, rest = match["word"].casefold(), match["rest"].strip(_TRIMMED).casefold()
    if rest and rest != form.labels.get(word, "").casefold():
        return unreadable_answer(line, form.expected)
    if word not in form.words:
        return AnswerFault("out of scale", f"the answer has {word}; the {form.expected}s are {form.range}")
    return word


class _Written(str):
    """A whole number as JSON writes it."""

    __slots__ = ()


def _from_json(text: str, form: AnswerForm) -> ReadWord | AnswerFault:
    """Of an object that says it once, as a whole number, with reasons or nothing beside it."""
    try:
        read = json.loads(text, object_pairs_hook=each_once, parse_int=_Written, parse_constant=_refused)
    except (ValueError, RecursionError):
        return unreadable_answer(text, form.expected)
    said = read.get(form.key) if isinstance(read, dict) else None
    if not isinstance(said, _Written):
        return unreadable_answer(text, form.expected)
    why = [value for name, value in read.items() if name in _REASONS and type(value) is str]
    if len(why) + 1 < len(read):
        return unreadable_answer(text, form.expected)
    if any(declines(value) or _mentions(value, form) for value in why):
        return AnswerFault("unreadable", f"its reasons decline, or have another {form.expected}")
    word = _from_line(str(said), form)
    return word if isinstance(word, AnswerFault) else ReadWord(word, text if why else "")


def each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON with its names in small letters; refused where a name comes twice, in whatever case."""
    if len({name.casefold() for name, _ in pairs}) < len(pairs):
        raise ValueError("the same name twice")
    return {name.casefold(): value for name, value in pairs}


def _refused(word: str) -> NoReturn:
    raise ValueError(f"JSON has no {word}")


def _mentions(text: str, form: AnswerForm) -> bool:
    """Whether a text holds an answer of the form, quoted or not: its name, a colon, and something that may be said."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    said = _NUMBER if form.numbers else "|".join(map(re.escape, form.words))
    names = "|".join(map(re.escape, form.names))
    return re.search(rf"(?:{names})\W{{0,6}}[:=]\W{{0,6}}(?:{said})\b", plain) is not None


def _fault(missing: NoAnswer) -> AnswerFault:
    """As judges name it; `whole_text` knows the same kinds."""
    return AnswerFault(cast(FaultKind, missing.kind), missing.message)


def unreadable_answer(text: str, expected: str) -> AnswerFault:
    """The fault of a text without a readable answer: it declines, or it is something else."""
    if declines(text):
        return AnswerFault("refused", "the model declined to answer")
    return AnswerFault("unreadable", f"the answer is no {expected} in the form that was asked for, alone")


def answer_note(text: str) -> str:
    """A text as a note, cut to a length that people read."""
    return text if len(text) <= _LONGEST_NOTE else f"{text[:_LONGEST_NOTE]}..."


def first_token_probabilities(
    answer: ModelAnswer, words: tuple[str, ...], least: float = 0.0
) -> dict[str, float] | AnswerFault:
    """The probability of each word as the first token, spellings such as " yes" and "Yes" added up; 0 for none.

    Where they have less than `least` together the model was about to say something else: a failure. So is a refusal.
    """
    refusal = declined(answer)
    if refusal is not None:
        return _fault(refusal)
    if not answer.tops:
        return AnswerFault(
            "unreadable", "the answer has no log-probabilities of its first token; the server must give them"
        )
    probabilities = dict.fromkeys(words, 0.0)
    for token, log in answer.tops:
        word = token.strip().casefold()
        if word in probabilities:
            probabilities[word] += math.exp(log)
    if 0 < sum(probabilities.values()) < least:
        likeliest = max(answer.tops, key=lambda top: top[1])[0]
        return AnswerFault(
            "unreadable",
            f"{' or '.join(words)} has a probability of {sum(probabilities.values()):.4f}, less than {least:g}: "
            f"the model was about to say {likeliest!r:.40}",
        )
    return probabilities
