"""The contract of the measures shelf, in words: the page, its example and the name of every measure."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import re
from pathlib import Path

import pytest
from tests.contracts.items import is_item
from tests.measuring.measures.asked import ASKED
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED
from rankproof.measuring.measures import contract
from rankproof.measuring.measures.contract import Measure, Variant
from rankproof.measuring.names import parse
from rankproof.measuring.trec_names import trec_variants

MEASURES: dict[str, Measure] = dict(shelf.offered("measures"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))
VARIANTS = [parse(text)[0] for texts in ASKED.values() for text in texts]

every_measure = pytest.mark.parametrize("name", sorted(ASKED))
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


def asked(name: str) -> list[Variant]:
    return [parse(text)[0] for text in ASKED[name]]


# ---- the page ------------------------------------------------------------------------------------


@every_measure
def test_the_page_has_its_headings(name: str) -> None:
    page = MEASURES[name].page
    first, _, rest = page.partition("\n")
    assert first.endswith(".") or rest.startswith("\n")
    for heading in ("range:", "undefined:", "source:"):
        assert len(re.findall(rf"^{heading} \S", page, re.MULTILINE)) == 1, heading
    assert f'"{name}' in page, "the example must call the measure by its name"


@every_measure
def test_the_page_states_the_range_that_the_code_has(name: str) -> None:
    measure = MEASURES[name]
    stated = re.search(r"^range: (.*)$", measure.page, re.MULTILINE)
    assert stated is not None
    ends = re.match(r"(\S+) to ([^\s;]+)", stated[1]) or re.match(r"(\S+) (upward)", stated[1])
    low, high = ends.groups() if ends else ("-inf", "inf")
    assert ends or stated[1] == "any number"
    assert float(low) == measure.low
    assert math.isclose(float(high.replace("upward", "inf").replace("infinity", "inf")), measure.high, abs_tol=1e-3)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_example_runs(file: Path) -> None:
    told = doctest.testmod(importlib.import_module(f"rankproof.measuring.measures.{file.stem}"))
    assert told.attempted >= 2
    assert told.failed == 0


# ---- the name ------------------------------------------------------------------------------------


@every_variant
def test_the_text_reads_back(variant: Variant) -> None:
    (again,) = parse(str(variant))
    assert again == variant
    assert (str(again), again.values, again.at) == (str(variant), variant.values, variant.at)


@every_measure
def test_every_spelling_means_this_measure(name: str) -> None:
    measure = MEASURES[name]
    at = {"none": "", "optional": "", "required": "@10", "recall": "@0.5"}[measure.cutoff]
    needed = [p.name for p in measure.params if p.default is REQUIRED]
    for spelling in (name, *measure.spellings):
        if needed:
            with raises(UsageError, spelling + at, *needed):
                parse(spelling + at)
        else:
            (variant,) = parse(spelling + at)
            assert variant.measure is measure
            assert variant.values == {p.name: p.default for p in measure.params}


@every_measure
def test_a_cutoff_is_taken_as_stated(name: str) -> None:
    text = ASKED[name][0].split("@")[0]
    if MEASURES[name].cutoff == "none":
        with raises(UsageError, f"{text}@10", name, "cutoff"):
            parse(f"{text}@10")
    elif MEASURES[name].cutoff == "optional":
        assert parse(text)[0].at is None
        assert parse(f"{text}@10")[0].at == 10
    elif trec_variants(text) is not None:
        assert all(variant.at is not None for variant in parse(text)), "trec_eval's name, with its cutoffs"
    else:
        with raises(UsageError, "cutoff", f"{name}@10"):
            parse(text)
