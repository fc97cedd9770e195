"""All that an evaluation says, bit for bit; or all that a refusal says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankproof.errors import InputError, Refused
from rankproof.measuring.records import Evaluation


def said(evaluate: Callable[[], Evaluation]) -> Any:
    try:
        found = evaluate()
    except Refused as refused:
        return "refused", str(refused), refused.findings
    except InputError as error:
        return type(error).__name__, str(error)
    people = found.population
    return (
        {name: (r.mean, list(r.query_ids), r.values.tobytes()) for name, r in found.items()},
        (people.scored, people.missing, people.unjudged, people.skipped),
        tuple(found.fine_print),
        tuple(found.findings),
        (found.run_name, found.run_tag),
    )
