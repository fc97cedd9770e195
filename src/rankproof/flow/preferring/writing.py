"""Writing the batch: a table for spreadsheets, one row for each number, none of which they take for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from rankproof.flow.actfiles.writing import guarded
from rankproof.records.preferring import Batch

SUMMARY_SCHEMA = "preferences-summary/1"
COLUMNS = ("what", "variant", "against", "detail", "value")


def batch_csv(batch: Batch) -> str:
    """The batch as a table with a header: what is counted, of which variant, against which, for which rank."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for what, variant, against, detail, value in _rows(batch):
        told = "undefined" if value is None else f"{value:.6g}" if isinstance(value, float) else value
        writer.writerow([what, guarded(variant), guarded(against), guarded(detail), told])
    return out.getvalue()


def _rows(batch: Batch) -> Iterator[tuple[str, str, str, str, int | float | None]]:
    for name in ("queries", "preferences", "blind", "picks", "flags"):
        yield name, "", "", "", getattr(batch, name)
    for pair in batch.to_dict()["pairs"]:
        for name in (
            "wins",
            "ties",
            "losses",
            "share",
            "low",
            "high",
            "p_value",
            "p_value_adjusted",
            "low_adjusted",
            "high_adjusted",
        ):
            yield name, pair["first"], pair["second"], "", pair[name]
    for variant in batch.variants:
        yield "precision", variant.name, "", f"first {batch.k}", variant.precision
        yield "precision queries", variant.name, "", "", variant.precision_queries
        yield "judged", variant.name, "", f"first {batch.k}", variant.judged
        for rank, count in enumerate(variant.picks_by_rank, 1):
            yield "picks", variant.name, "", f"rank {rank}", count
        for reason, count in variant.flags_by_reason.items():
            yield "flags", variant.name, "", reason, count
