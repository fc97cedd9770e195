"""What every reader of an answer begins with: it came whole, it is no refusal, and its reasoning is set aside."""

from __future__ import annotations

import re
from typing import Final

from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer

# Why servers say that a model stopped. Whatever is in none of the three is a failure too.
_WHOLE: Final = frozenset({"", "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"})
_CUT: Final = frozenset({"length", "max_tokens", "max_output_tokens", "max_length", "model_length"})
_DECLINED: Final = frozenset(
    {"refusal", "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "guardrail"}
)
# What some models think aloud before they answer, once and at the very beginning.
_THOUGHT: Final = re.compile(
    r"\A\s*(?:<think>.*?</think>|<thinking>.*?</thinking>|\[THINK\].*?\[/THINK\])", re.DOTALL | re.IGNORECASE
)
_THINKING: Final = re.compile(r"</?think(?:ing)?>|\[/?THINK\]", re.IGNORECASE)
_TASKS = "grade|judge|rate|score|assess|evaluate"
# The commonest words of some languages, Chinese, Japanese and Russian last; not all that there are.
_DECLINES: Final = re.compile(
    r"\b(?:i'?m sorry|i am sorry|i apologi[sz]e|sorry, but|as an ai\b"
    r"|i(?: can'?t| cannot| can not| could not| couldn'?t| won'?t| will not| must decline| refuse| decline)\b"
    r"|i(?:'m| am) (?:unable|not able)"
    rf"|(?:cannot|can'?t|unable to|not able to|refuse to|decline to|not possible to) (?:be )?(?:{_TASKS})(?:e?d)?"
    r"|ich kann (?:\w+ ){0,4}nicht|tut mir leid|je ne peux pas|d\u00e9sol\u00e9|no puedo|lo siento"
    r"|non posso|mi dispiace|n\u00e3o posso|desculpe)\b"
    r"|\A\W*(?:cannot|can'?t|unable to|not able to) (?:assist|help|comply|answer|provide)\b"
    r"|\u6211\u65e0\u6cd5|\u6211\u4e0d\u80fd|\u62b1\u6b49|\u7533\u3057\u8a33|\u3067\u304d\u307e\u305b\u3093"
    r"|\u043d\u0435 \u043c\u043e\u0433\u0443",
    re.IGNORECASE,
)
BLANK: Final = " \t\r\n"


def declined(answer: ModelAnswer) -> NoAnswer | None:
    """The refusal that the server or the model marked as one; None where neither did."""
    if answer.finish.casefold() in _DECLINED:
        return NoAnswer("refused", "the server or the model declined to answer")
    return None


def whole_text(answer: ModelAnswer) -> str | NoAnswer:
    """The text of an answer that came whole, without the reasoning before it; otherwise what is wrong with it.

    The kinds are refused, cut off, unreadable and empty.

    >>> whole_text(ModelAnswer("<think>Red, so 2.</think>\\nGrade: 2"))
    'Grade: 2'
    >>> whole_text(ModelAnswer("<think>Red, so")).kind, whole_text(ModelAnswer("Grade: 2", "length")).kind
    ('unreadable', 'cut off')
    """
    refusal = declined(answer)
    if refusal is not None:
        return refusal
    finish = answer.finish.casefold()
    if finish in _CUT:
        return NoAnswer("cut off", "the answer ended before it was whole")
    if finish not in _WHOLE:
        return NoAnswer("unreadable", f"the model stopped because of {answer.finish[:40]!r}, not because it was done")
    text = _THOUGHT.sub("", answer.text).strip(BLANK)
    if _THINKING.search(text):
        return NoAnswer("unreadable", "its reasoning does not end before its answer")
    return text if text.strip() else NoAnswer("empty", "the answer is empty")


def declines(text: str) -> bool:
    """Whether a text says, in words, that it declines.

    >>> declines("I\u2019m sorry, I can\u2019t do that."), declines("Grade: 2")
    (True, False)
    """
    return _DECLINES.search(text.replace("\u2019", "'")) is not None
