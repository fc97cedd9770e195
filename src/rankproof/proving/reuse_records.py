"""What a reuse check answers: the groups of a pool, what each alone contributed, and every contrast without that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankproof.kernel.sections import Section, counted, p_text, signed, some, verdict_word

if TYPE_CHECKING:
    from rankproof.proving.direction import Direction

# Rows of the table of contrasts in a text. Of more, only those that change are shown; the JSON document has all.
MOST_ROWS = 30
# How many contrasts and groups a sentence names before it only counts.
NAMED = 3


@dataclass(frozen=True, slots=True)
class ReuseResult:
    """What one contrast says on one set of judgments.

    difference    candidate minus baseline; None where there is none
    p_value       the one that decides; None where there is no test
    method        of the test: a default may choose another where other judgments leave more queries unchanged
    margin_holds  of a test against a margin; None where none was asked for, or could be made
    """

    difference: float | None
    p_value: float | None
    direction: Direction
    method: str
    margin_holds: bool | None = None

    @property
    def word(self) -> str:
        """The result in words, with that of the margin where there is one."""
        margin = {None: "", True: ", within the margin", False: ", not within the margin"}[self.margin_holds]
        return f"{verdict_word(self.direction)}{margin}"


@dataclass(frozen=True, slots=True)
class ReuseContrast:
    """One contrast with all judgments, and without those that one group alone contributed.

    own      whether it sets a run of the group against one of another group: the contrast that matters most
    without  None where the comparison cannot be made without them; `reason` says why
    """

    measure: str
    baseline: str
    candidate: str
    segment: str
    own: bool
    whole: ReuseResult
    without: ReuseResult | None
    reason: str = ""

    @property
    def stands(self) -> bool:
        """Whether the verdict is the same."""
        return self.without is not None and self.without.word == self.whole.word

    @property
    def title(self) -> str:
        """What is compared."""
        where = f" on {self.segment}" if self.segment else ""
        return f"{self.measure}{where}, {self.candidate} against {self.baseline}"

    @property
    def change(self) -> str:
        """What becomes of the verdict, and of the test that gives it."""
        if self.stands or self.without is None or self.without.method == self.whole.method:
            return "stands" if self.stands else "changes"
        return f"changes (tested by {self.whole.method}, then by {self.without.method})"

    @property
    def word_without(self) -> str:
        """The result without the group's own judgments, in words."""
        return "cannot be compared" if self.without is None else self.without.word


@dataclass(frozen=True, slots=True)
class ReuseGroup:
    """One group, what it alone contributed, and every contrast without that.

    judgments     how many judgments it alone contributed; `relevant` of them are
    lost_queries  queries that have no judgment without it, and so are not scored
    """

    name: str
    runs: tuple[str, ...]
    judgments: int
    relevant: int
    lost_queries: tuple[str, ...]
    contrasts: tuple[ReuseContrast, ...]

    @property
    def changed(self) -> tuple[ReuseContrast, ...]:
        """The contrasts whose verdict does not stand without this group's own judgments."""
        return tuple(contrast for contrast in self.contrasts if not contrast.stands)


@dataclass(frozen=True, slots=True)
class ReuseCheck:
    """Whether the verdicts of a comparison stand when the judgments of one group alone are left out.

    judgments  of the qrels: by one group alone, by several, and by no given run within `pool_depth`, which are kept
    """

    pool_depth: int
    judgments: int
    by_one: int
    by_several: int
    groups: tuple[ReuseGroup, ...]

    @property
    def by_none(self) -> int:
        """Judgments of documents that no given run has within the depth."""
        return self.judgments - self.by_one - self.by_several

    @property
    def standing(self) -> tuple[str, ...]:
        """The groups without whose own judgments every verdict stands."""
        return tuple(group.name for group in self.groups if not group.changed)

    @property
    def sentence(self) -> str:
        """For how many groups the verdicts stand."""
        single = self.groups[0].contrasts[0] if len(self.groups[0].contrasts) == 1 else None
        verdict = "every verdict" if single is None else f"the verdict ({single.whole.word})"
        if len(self.standing) == len(self.groups):
            return f"{verdict[0].upper()}{verdict[1:]} stands for all {len(self.groups)} groups."
        changing = tuple(
            group.name if single is None else f"{group.name} ({group.contrasts[0].word_without})"
            for group in self.groups
            if group.changed
        )
        stands = f"{verdict[0].upper()}{verdict[1:]} stands for {len(self.standing)} of {len(self.groups)} groups"
        return f"{stands}; {'it changes' if single else 'some change'} without {some(changing)}."


# ---- in words -------------------------------------------------------------------------------------


def reuse_warnings(check: ReuseCheck) -> tuple[str, ...]:
    """What must be read with the verdicts: which of them do not stand; nothing where all do."""
    changes = [
        f"{contrast.title}: {contrast.whole.word}, but {contrast.word_without} without {group.name}"
        f"{contrast.change.removeprefix('changes')}"
        for group in check.groups
        for contrast in sorted(group.changed, key=lambda contrast: not contrast.own)
    ]
    if not changes:
        return ()
    more = f"; and {len(changes) - NAMED} more" if len(changes) > NAMED else ""
    return (
        f"{check.sentence} What changes rests on judgments that one group alone contributed to the pool "
        f"({'; '.join(changes[:NAMED])}{more}).",
    )


def reuse_sections(check: ReuseCheck, most_rows: int | None = MOST_ROWS) -> list[Section]:
    """The groups with what they alone contributed, and the contrasts that matter, with and without it."""
    rows = [("group", "runs", "judgments", "relevant", "own verdicts that stand", "other verdicts that stand")]
    rows += [
        (group.name, some(group.runs), f"{group.judgments:,}", f"{group.relevant:,}", *_standing(group))
        for group in check.groups
    ]
    lost = [
        f"Without {group.name}, {counted(len(group.lost_queries), 'query has', 'queries have')} no judgment and "
        f"cannot be scored ({some(group.lost_queries)})."
        for group in check.groups
        if group.lost_queries
    ]
    reasons = [f"Without {g.name}: {why}" for g in check.groups for why in dict.fromkeys(c.reason for c in g.changed)]
    kept = f"{check.by_none:,} are of documents that no given run has there: these are kept"
    lines = (
        check.sentence,
        f"Judgments and relevant: those of documents that this group alone has in its first {check.pool_depth}. "
        f"Of {counted(check.judgments, 'judgment')}, {check.by_one:,} come from one group alone and "
        f"{check.by_several:,} from several; {kept}.",
        *lost,
        *(reason for reason in reasons if not reason.endswith(": ")),
        "Only the given runs are seen: a system unlike all of them may lose more than any group here.",
    )
    return [Section("Can the judgments be reused?", lines, tuple(rows), 2), _with_and_without(check, most_rows)]


def _standing(group: ReuseGroup) -> tuple[str, str]:
    """Of the group's own contrasts and of the others, how many stand."""
    own = [contrast.stands for contrast in group.contrasts if contrast.own]
    others = [contrast.stands for contrast in group.contrasts if not contrast.own]
    mine, theirs = (f"{sum(side)} of {len(side)}" if side else "none" for side in (own, others))
    return mine, theirs


def _with_and_without(check: ReuseCheck, most: int | None) -> Section:
    """The contrasts that are the group's own or change; those that change where these are many."""
    shown = [(g, c) for g in check.groups for c in g.contrasts if c.own or not c.stands]
    notes: list[str] = []
    if most is not None and len(shown) > most:
        shown = [(group, contrast) for group, contrast in shown if not contrast.stands]
        if len(shown) > most:
            notes = [f"{len(shown) - most:,} more verdicts change; --json has all."]
        else:
            notes = ["Only verdicts that change are listed; --json has all."]
        shown = shown[:most]
    header = (
        "left out", "contrast", "own", "difference", "without", "p", "without", "result", "without", "verdict",
    )  # fmt: skip
    rows = [_row(group, contrast) for group, contrast in shown]
    return Section("Without what one group alone contributed", tuple(notes), (header, *rows) if rows else (), 3)


def _row(group: ReuseGroup, contrast: ReuseContrast) -> tuple[str, ...]:
    before, after = contrast.whole, contrast.without
    return (
        group.name,
        contrast.title,
        "own" if contrast.own else "",
        _difference(before),
        _difference(after),
        p_text(before.p_value),
        p_text(None if after is None else after.p_value),
        before.word,
        contrast.word_without,
        contrast.change,
    )


def _difference(result: ReuseResult | None) -> str:
    return "none" if result is None or result.difference is None else signed(result.difference)


def reuse_dict(check: ReuseCheck) -> dict[str, object]:
    """The check as a part of the document `comparison/1`."""
    return {
        "pool_depth": check.pool_depth,
        "judgments": {
            "all": check.judgments,
            "by_one_group": check.by_one,
            "by_several_groups": check.by_several,
            "by_no_given_run": check.by_none,
        },
        "sentence": check.sentence,
        "standing": list(check.standing),
        "groups": [
            {
                "group": group.name,
                "runs": list(group.runs),
                "judgments": group.judgments,
                "relevant": group.relevant,
                "lost_queries": list(group.lost_queries),
                "contrasts": [_contrast_dict(contrast) for contrast in group.contrasts],
            }
            for group in check.groups
        ],
    }


def _contrast_dict(contrast: ReuseContrast) -> dict[str, object]:
    return {
        "measure": contrast.measure,
        "baseline": contrast.baseline,
        "candidate": contrast.candidate,
        "segment": contrast.segment or None,
        "own": contrast.own,
        "stands": contrast.stands,
        "with_all": _result_dict(contrast.whole),
        "without": None if contrast.without is None else _result_dict(contrast.without),
        "reason": contrast.reason,
    }


def _result_dict(result: ReuseResult) -> dict[str, object]:
    return {
        "difference": result.difference,
        "p_value": result.p_value,
        "direction": result.direction,
        "method": result.method,
        "margin_holds": result.margin_holds,
    }
