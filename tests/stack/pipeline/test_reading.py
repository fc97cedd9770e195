"""Pipelines as text: read, printed, read again; what does not fit is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.raising import raises
from tests.stack.pipeline.items import on_shelves

from rankproof.errors import UnknownName, UsageError
from rankproof.stack.pipeline import read_pipeline


@pytest.fixture(autouse=True)
def items() -> Iterator[None]:
    with on_shelves():
        yield


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("letters", "letters()"),
        ("letters(step=1)", "letters()"),
        ("letters( step = 2 )>>turn(depth=2)", "letters(step=2) >> turn(depth=2)"),
        ("join(letters, letters(step=2) >> turn, weight=2)", "join(letters(), letters(step=2) >> turn(), weight=2.0)"),
        ("shout(how='very') >> letters()", "shout(how='very') >> letters()"),
    ],
)
def test_a_pipeline_prints_what_is_not_default_and_reads_back(text: str, printed: str) -> None:
    step = read_pipeline(text)
    assert str(step) == printed
    assert read_pipeline(printed) == step
    assert read_pipeline(printed).key == step.key


def test_another_value_is_another_pipeline() -> None:
    assert read_pipeline("letters >> turn(depth=2)") != read_pipeline("letters >> turn(depth=3)")
    assert read_pipeline("letters >> turn(depth=3)") == read_pipeline("letters >> turn")


def test_a_name_stands_for_a_pipeline_that_was_named_before() -> None:
    first = read_pipeline("letters(step=2)")
    assert str(read_pipeline("first >> turn", {"first": first})) == "letters(step=2) >> turn()"


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("letters(", UsageError, ["'letters('", "8"]),
        ("lettres()", UnknownName, ["'lettres'", "'letters'"]),
        ("letters(stap=1)", UnknownName, ["letters", "'stap'", "'step'"]),
        ("letters(step=0)", UsageError, ["step", "letters", "0"]),
        ("letters(step=open('x'))", UsageError, ["open('x')"]),
        ("letters() + turn()", UsageError, ["'letters() + turn()'", ">>"]),
        ("turn()", UsageError, ["'turn()'", "turn", "nothing", ">>"]),
        ("letters() >> letters()", UsageError, ["engine", "letters", "rewrite"]),
        ("join(letters())", UsageError, ["join", "two"]),
        ("letters() >> shout(how='a')", UsageError, ["letters() >> shout(how='a')", "shout", "engine"]),
        ("shout() >> letters()", UsageError, ["shout", "how", "how loud"]),
        ("shout(how='a')", UsageError, ["shout(how='a')", "asks", "engine"]),
        ("shout(how='a') >> turn()", UsageError, ["shout", "turn", "engine"]),
        ("letters(**{})", UsageError, ["name=value"]),
    ],
)
def test_what_does_not_fit_is_refused(text: str, kind: type[UsageError], values: list[str]) -> None:
    with raises(kind, *values):
        read_pipeline(text)
