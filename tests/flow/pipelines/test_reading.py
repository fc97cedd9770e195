"""Pipelines as text: read, printed, read again; what does not fit is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.flow.pipelines.items import on_shelves

from rankproof.errors import UsageError
from rankproof.flow.pipelines.reading import read_pipeline


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
    ("text", "message"),
    [
        ("letters(", "cannot be read"),
        ("lettres()", "No engine, stage or mode is called 'lettres'. Did you mean 'letters'?"),
        ("letters(stap=1)", "No choice of letters is called 'stap'. Did you mean 'step'?"),
        ("letters(step=0)", "step of letters must be a whole number, 1 or more; got 0"),
        ("letters(step=open('x'))", "is no value"),
        ("letters() + turn()", "joined by >>"),
        ("turn()", "turn takes one ranking and nothing flows into it"),
        ("letters() >> letters()", "only a rewrite of queries may come before it"),
        ("join(letters())", "join takes two or more pipelines"),
        ("letters() >> shout(how='a')", "so it comes before the engine"),
        ("shout() >> letters()", "shout needs how: how loud"),
        ("shout(how='a')", "asks no engine"),
        ("shout(how='a') >> turn()", "an engine must follow it before turn"),
        ("letters(**{})", "name=value"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_pipeline(text)
    assert message in str(refused.value)
