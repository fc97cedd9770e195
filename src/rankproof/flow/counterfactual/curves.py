"""Curves: how likely users look at each rank, from a file or learned from the log itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankproof.errors import InputError
from rankproof.flow.clicks.proportions import Proportions, proportions
from rankproof.flow.rowstream import stream
from rankproof.flow.source import open_source
from rankproof.records.choices import Floats
from rankproof.records.impressions import Impressions
from rankproof.records.jsontext import from_json
from rankproof.records.params import finite


def read_curve(path: str) -> Floats:
    """Examination by rank, over that of rank 1: JSON that has a list of rank and value, or a table of these columns.

    JSON is what `rankproof clicks fit --json` writes, or such a list alone; a table has rank and examination. The curve
    ends before the first rank that is missing.
    """
    text = bytes(open_source(path).data)
    if text.lstrip()[:1] in (b"{", b"["):
        found = from_json(text.decode("utf-8", "surrogateescape"), path)
        rows = next(_curves(found.get("curve", found) if isinstance(found, dict) else found), None)
        if rows is None:
            raise InputError(f"{path} has no list of objects with rank and value. Give what clicks fit --json wrote.")
    else:
        rows = [
            (rank, value)
            for batch in stream(path, ("rank", "examination"))
            for rank, value in zip(batch.numbers("rank").tolist(), batch.numbers("examination").tolist(), strict=True)
        ]
    by_rank = dict(rows)
    if len(by_rank) < len(rows) or 1 not in by_rank:
        raise InputError(f"{path}: an examination curve has rank 1, and every rank once.")
    deep = next(rank for rank in range(1, len(by_rank) + 2) if rank not in by_rank)
    looked = np.array([by_rank[rank] for rank in range(1, deep)], dtype=np.float64)
    if not (looked > 0).all():
        raise InputError(f"{path}: examination is above 0 at every rank. Leave out the ranks that nobody looks at.")
    return np.asarray(looked / looked[0])


def learned_curve(pages: Impressions, source: str) -> Proportions:
    """The curve of position-based users that the pages themselves tell."""
    if not pages.clicks[:, 0].any():
        raise InputError(f"{source}: nobody clicked at rank 1, so that no examination curve can be learned.")
    found = proportions(pages)
    if not found.tied[1:].any():
        raise InputError(
            f"{source}: no document stood and was clicked at several ranks, so that no examination curve can be "
            "learned. Show some documents at other ranks, by chance, or give a curve with --examination FILE."
        )
    return found


def _curves(value: Any) -> Iterator[list[tuple[float, float]]]:
    """Every list of objects with rank and value, wherever in the document it stands."""
    if isinstance(value, list):
        rows = [(finite(one.get("rank")), finite(one.get("value"))) for one in value if isinstance(one, dict)]
        known = [(rank, looked) for rank, looked in rows if rank is not None and looked is not None]
        if value and len(known) == len(value):
            yield known
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _curves(below)
