"""What an item on the judges shelf is: Judge, which asks a model about documents and reads its answer, strictly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rankproof.judging.records import Scale
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.llm.material import fenced
from rankproof.kernel.specs.kinds import Param

# Why an answer does not count. Answers are counted by these names and stored with their text.
FaultKind = Literal["empty", "cut off", "refused", "out of scale", "unreadable"]
FAULTS: tuple[FaultKind, ...] = ("empty", "cut off", "refused", "out of scale", "unreadable")


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """What a question is about: a query, the text of one document or two, and the scale and rules of the project.

    cut   for each document, how many of its characters are left out; a prompt must say so. Empty where all are whole
    """

    query: str
    documents: tuple[str, ...]
    scale: Scale
    rules: str = ""
    cut: tuple[int, ...] = ()

    def shown(self, place: int = 0) -> str:
        """A document in its fence; behind it stands how much was left out, where it is cut."""
        block = fenced("document", self.documents[place])
        cut = self.cut[place] if self.cut else 0
        return f"{block}\n(The document goes on: {cut:,} more characters are not shown.)" if cut else block


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent. `most` is how many tokens it may answer; `tops` how many likely first tokens it tells."""

    system: str
    user: str
    most: int
    tops: int = 0


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What an answer says.

    value   a grade of the scale; of two documents, the place of the better one (0 or 1), None where neither is
    note    what else the answer says that is worth keeping
    """

    value: int | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFault:
    """Why an answer says nothing that counts: a word, and a sentence for a person.

    outside   whether it cannot be seen in the answer's text: the sentence is then kept with the text
    """

    kind: FaultKind
    why: str
    outside: bool = False


Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """One item of the shelf. `page` is the module's docstring: what is asked, how answers are read, source, example.

    documents   how many documents a question shows: 1 gives a grade, 2 a preference
    prompt      the question
    read        what an answer says, or why it says nothing; never a guess
    misfit      why these values do not go with a scale, as a sentence; "" when they do
    """

    name: str
    page: str
    prompt: Callable[[JudgeQuestion, Values], Prompt]
    read: Callable[[ModelAnswer, Scale, Values], ParsedAnswer | AnswerFault]
    params: tuple[Param, ...] = ()
    documents: Literal[1, 2] = 1
    misfit: Callable[[Scale, Values], str] | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
