"""check_item tells what an item of a shelf still lacks, for packages that add one."""

from __future__ import annotations

import doctest
import re
import sys
from types import MappingProxyType, ModuleType
from typing import Any

from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED

# The class of an item -> its shelf.
SHELF_OF = MappingProxyType(
    {
        "Measure": "measures",
        "SpanMeasure": "spanmeasures",
        "Dialect": "dialects",
        "Similarity": "similarities",
        "Format": "formats",
        "Check": "checks",
        "Engine": "engines",
        "Stage": "stages",
        "Significance": "significance",
        "Correction": "corrections",
        "Rule": "rules",
        "Symptom": "diagnoses",
        "Adjudication": "adjudications",
        "Selection": "selections",
        "Judge": "judges",
        "Interleaving": "interleavings",
        "ClickModel": "clickmodels",
        "Estimator": "estimators",
        "Inference": "trials",
        "Report": "reports",
    }
)

# Shelf -> the lines `heading: ...` that the page of each of its items has.
HEADINGS = MappingProxyType(
    {
        "measures": ("range", "undefined", "source"),
        "spanmeasures": ("range", "undefined", "source"),
        "similarities": ("range", "undefined", "source"),
        "dialects": ("checked", "differs", "limits"),
        "formats": ("holds",),
        "checks": ("severity", "remedy"),
        "engines": ("assumes", "source"),
        "stages": ("assumes", "source"),
        "significance": ("about", "source"),
        "corrections": ("controls", "source"),
        "rules": ("decides by",),
        "diagnoses": ("why", "try"),
        "adjudications": ("assumes", "source"),
        "selections": ("assumes", "source"),
        "judges": ("assumes", "source"),
        "interleavings": ("assumes", "source"),
        "clickmodels": ("assumes", "source"),
        "estimators": ("needs", "source"),
        "trials": ("about", "source"),
    }
)


def check_item(item: Any) -> None:
    """Raises AssertionError with everything that an item still lacks, one line for each.

    The item must be found by its name, as after the installation of its package. Its page needs a first line that ends
    in a period and the headings of its shelf; each parameter needs a meaning and a default that reads back to itself;
    and the examples of the page must run.
    """
    kind = type(item).__name__
    if kind not in SHELF_OF:
        raise AssertionError(f"{item!r} is of no class that a shelf holds. There are: {', '.join(SHELF_OF)}.")
    name = SHELF_OF[kind]
    lacking = [*_registration(name, item), *_page(name, item.page), *_parameters(getattr(item, "params", ()))]
    module = next((one for one in list(sys.modules.values()) if _offers(one, item)), None)
    if module is not None and not lacking:
        lacking += _examples(module)
    if lacking:
        raise AssertionError("\n".join(f"{kind} {item.name!r}: {fault}" for fault in lacking))


def _registration(name: str, item: Any) -> list[str]:
    """Whether the shelf has the item itself under its name."""
    there = shelf.everything(name).get(item.name)
    if there is None:
        return [f"no entry point of the group 'rankproof.{name}' names its module. Is the package installed?"]
    return [] if there is item else [f"the shelf has another item of this name; it is in {there.page[:60]!r}..."]


def _page(name: str, page: str) -> list[str]:
    first, *others = page.strip().splitlines()
    faults = [] if first.endswith(".") else ["the first line of its page does not end in a period"]
    if others and others[0]:
        faults.append("the second line of its page is not empty")
    return faults + [
        f"its page has no line '{heading}: ...'"
        for heading in HEADINGS.get(name, ())
        if not re.search(rf"^{heading}: *\S", page, re.MULTILINE)
    ]


def _parameters(params: Any) -> list[str]:
    faults = []
    for param in params:
        if not param.meaning.strip():
            faults.append(f"its parameter {param.name!r} has no meaning")
        if param.default is REQUIRED or param.default in (None, ""):  # both say that nothing was given
            continue
        try:
            same = param.kind.read(param.default) == param.default
        except ValueError as error:
            faults.append(f"the default of its parameter {param.name!r} is refused: it {error}")
        else:
            faults += [] if same else [f"the default of its parameter {param.name!r} does not read back to itself"]
    return faults


def _offers(module: ModuleType, item: Any) -> bool:
    offers = getattr(module, "OFFERS", ())
    return isinstance(offers, tuple) and any(one is item for one in offers)


def _examples(module: ModuleType) -> list[str]:
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(module):
        runner.run(test, out=failures.append)
    return ["an example of its page fails:\n" + "".join(failures)] if failures else []
