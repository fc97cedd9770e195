"""Kinds of parameters: what a text may be."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.kernel.specs.kinds import Text
from rankproof.stack.pipeline import read_pipeline


def test_a_text_is_not_empty_unless_its_parameter_allows_it() -> None:
    assert Text(empty=True).read("") == ""
    assert Text(empty=True).show("") == '""'
    assert Text(empty=True).show(None) == "none"
    with raises(ValueError, "''"):
        Text().read("")
    for blank in (" ", 3, None):
        with raises(ValueError, "empty", repr(blank)):
            Text(empty=True).read(blank)


def test_a_model_that_wants_a_prefix_can_be_told_to_have_none() -> None:
    step = read_pipeline("dense(query_prefix='', document_prefix='doc: ')")
    assert (step.values["query_prefix"], step.values["document_prefix"]) == ("", "doc: ")
    assert read_pipeline("dense()").values["query_prefix"] is None
    assert read_pipeline(step.text) == step


@pytest.mark.parametrize("text", ["99999999999999999999", str(2**31), "9" * 5000, "-1", "1.5", "x"])
def test_no_whole_number_is_beyond_what_compiled_code_counts_to(text: str) -> None:
    """Of selections, measures, stages: one kind reads them all."""
    from rankproof.errors import UsageError
    from rankproof.kernel.specs.calls import read_configured

    with pytest.raises(UsageError) as refused:
        read_configured("selections", f"depth_pool(depth={text})")
    assert "depth" in str(refused.value)
