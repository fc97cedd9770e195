"""A Counterfactual as text: one row for each estimator, then how far the log reaches, and what to beware of."""

from __future__ import annotations

from rankproof.records.counterfactual import Counterfactual, Valued
from rankproof.records.estimate import Estimate, NotEstimable
from rankproof.records.show import number
from rankproof.records.words import interval, p_phrase, p_text, percent, signed
from rankproof.reports._align import aligned, printable

DECIDED = {
    "action": "an action for each page, by its propensity",
    "list": "the list of each page as a whole, by its propensity",
    "placement": "a document for each rank, by its propensity there",
    "examination": "a rank for each document, by how likely users look at it",
}


def shown(found: Counterfactual) -> str:
    """The whole answer for a terminal."""
    counts = [_many(found.pages, "page", "pages"), _many(found.queries, "query", "queries")]
    if found.unit == "session":
        counts.insert(1, _many(found.units, "session", "sessions"))
    head = [
        f"{found.policy} on {found.log}: {', '.join(counts)}",
        f"setting: {found.setting} ({DECIDED[found.setting]})",
    ]
    parts = [head, _table(found), _overlap(found), _notes(found)]
    return "\n\n".join("\n".join(map(printable, part)) for part in parts if part) + "\n"


def _table(found: Counterfactual) -> list[str]:
    ends = f"{percent(found.level)} interval"
    rows = [["", f"{found.reward} per page", ends, "new - logged", ends, "p"]]
    rows.append(["logged", *_value(found.logged), "", "", ""])
    for one in found.estimates:
        difference = one.difference
        if isinstance(difference, Estimate):
            apart = [signed(difference.value), interval(difference.low, difference.high), p_text(difference.p_value)]
        else:
            apart = ["" if difference.value is None else signed(difference.value), "not estimable", ""]
        rows.append([one.estimator, *_value(one.new), *apart])
    return aligned(rows, 1)


def _value(found: Valued | NotEstimable) -> list[str]:
    if isinstance(found, Valued):
        return [number(found.value), f"{number(found.low)} to {number(found.high)}"]
    return ["" if found.value is None else number(found.value), "not estimable"]


def _overlap(found: Counterfactual) -> list[str]:
    overlap = found.overlap
    rows = [
        [f"effective {found.unit}s", f"{overlap.effective:,.1f}", f"of {found.units:,}"],
        ["largest weight", f"{overlap.largest:,.2f}", f"{overlap.largest_share:.1%} of all weight"],
    ]
    if overlap.mean_weight is not None:
        test = "" if overlap.mean_p is None else f", {p_phrase(overlap.mean_p)}"
        rows.append(["mean weight", number(overlap.mean_weight), f"should be 1{test}"])
    rows.append(["never logged", f"{overlap.unsupported:.1%}", "of what the new system would show"])
    if overlap.absent is not None:
        rows.append(["not on the page", f"{overlap.absent:.1%}", "of what the new system would show there"])
    room = [max(len(row[column]) for row in rows) for column in range(2)]
    return ["Overlap", *(f"  {a:<{room[0]}}  {b:>{room[1]}}  {c}" for a, b, c in rows)]


def _notes(found: Counterfactual) -> list[str]:
    notes = [f"warning: {warning}" for warning in found.warnings]
    reasons = {one.difference.reason for one in found.estimates if isinstance(one.difference, NotEstimable)}
    notes += [f"not estimable: {reason}" for reason in sorted(reasons)]
    for one in found.estimates:
        if one.clipped is not None:
            clipped = one.clipped
            notes.append(
                f"{one.estimator}: {clipped.weights:,} weights were cut to {clipped.limit:g}, which may put it off by "
                f"{number(clipped.bias)} at most"
            )
    notes += [f"left out: {why}: {count:,}" for why, count in found.left_out.items()]
    return [*notes, *found.notes]


def _many(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
