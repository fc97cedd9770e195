"""Files of a ramp: day files, the step of each and whether those used before are what they were; and the state file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sealed_lines import SealedLines, read_lines
from rankproof.measuring.identity import file_hash, is_plain_file
from rankproof.online.ramp.records import RampEntry, RampPolicy, SeenFile, percent
from rankproof.online.trial.days import Day, read_day
from rankproof.online.trial.records import TrialDesign
from rankproof.proving.policy import read_policy

ENDING = ".json"
INPUTS = ("qrels", "baseline", "candidate", "topics", "queries", "latency")
# Shares are written by people and by programs: 0.05 and 1 - 0.95 are the same share.
SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class DayFile:
    """A day file as it lies there, with the day in it."""

    seen: SeenFile
    day: Day


def the_treatment(design: TrialDesign) -> str:
    """The variant that ramps up: a ramp brings up one."""
    if len(design.treatments) != 1:
        raise UsageError(
            f"A ramp brings up one variant, and the trial {design.name} has {', '.join(design.treatments) or 'none'} "
            f"beside {design.control}. Give it a design with the one that won."
        )
    return design.treatments[0]


def gate_files(policy: RampPolicy) -> tuple[SeenFile, ...]:
    """What the offline gate reads, by name from the ramp's folder; nothing where the policy has no gate."""
    if not policy.gate:
        return ()
    gate_policy = read_policy(policy.gate)
    paths = (getattr(gate_policy, key) for key in INPUTS)
    folder = os.path.dirname(policy.source)
    return tuple(
        SeenFile(os.path.relpath(path, folder or "."), file_hash(path), 0) for path in paths if is_plain_file(path)
    )


def day_files(
    policy: RampPolicy, design: TrialDesign, step: int, recorded: Sequence[SeenFile] = ()
) -> tuple[DayFile, ...]:
    """The day files in the folder, in the order of their names, for a ramp that stands at a step.

    Refused: a file that is not what it was when it was used; one of the step that is gone; one of a step that has not
    been entered yet.
    """
    used = {file.name: file for file in recorded}
    # A day whose window is not over will be collected again: it is no evidence yet, and not on record.
    files = [file for name in _names(policy.days) if (file := _day_file(policy, design, name, step, used)).day.complete]
    gone = [file.name for file in used.values() if file.step == step and file.name not in {f.seen.name for f in files}]
    if gone:
        raise InputError(
            f"{os.path.join(policy.days, gone[0])} was used by this ramp and is gone. Bring it back: a decision at "
            f"{percent(policy.steps[step - 1].share)} rests on all its days."
        )
    _refuse_twice(files)
    return tuple(files)


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(ENDING) and not name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.") from None


def _day_file(policy: RampPolicy, design: TrialDesign, name: str, at: int, used: Mapping[str, SeenFile]) -> DayFile:
    path = os.path.join(policy.days, name)
    digest = file_hash(path)
    before = used.get(name)
    if before is not None and before.sha256 != digest:
        raise InputError(
            f"{path} has changed since this ramp used it: it was {before.sha256[:12]}, and is {digest[:12]} now. Bring "
            "back what it was. If it was wrong then, stop this ramp and begin another one with its own state file."
        )
    day = read_day(path)
    step = _step_of(policy, the_treatment(design), day, path)
    if step > at:
        where = f"stands at {percent(policy.steps[at - 1].share)}" if at else "has not begun"
        raise InputError(
            f"{path} carries {percent(policy.steps[step - 1].share)}, and the ramp {where}: a step is entered only "
            "when it is on record. Check what sets the traffic, and set it by what the ramp says."
        )
    late = before.late if before is not None else step < at
    return DayFile(SeenFile(name, digest, step, late), day)


def is_same_share(one: float, other: float) -> bool:
    """Whether two shares of traffic are meant to be one."""
    return math.isclose(one, other, rel_tol=0, abs_tol=SAME)


def _step_of(policy: RampPolicy, treatment: str, day: Day, path: str) -> int:
    """The step whose share the day carries, from 1."""
    if treatment not in day.shares:
        raise InputError(
            f"{path} has the variants {', '.join(day.shares)}; the ramp brings up {treatment}. Check that it is of "
            "this trial."
        )
    share = day.shares[treatment]
    for number, step in enumerate(policy.steps, start=1):
        if is_same_share(step.share, share):
            return number
    raise InputError(
        f"{path} carries {percent(share)} of {treatment}, which is no step of the ramp: "
        f"{', '.join(percent(step.share) for step in policy.steps)}. A day belongs to the step whose share it carries; "
        "collect a day on which the share changed as two."
    )


def _refuse_twice(files: Iterable[DayFile]) -> None:
    """A date at one share is in one file only; the day on which the share changed is in one for each."""
    taken: dict[tuple[int, str], str] = {}
    for file in files:
        for date in file.day.dates:
            other = taken.setdefault((file.seen.step, date), file.seen.name)
            if other != file.seen.name:
                raise InputError(
                    f"{date} is in {other} and in {file.seen.name}, at the same share: its units would count twice. "
                    "Keep one of the two."
                )


# ---- the state file: sealed lines, one for each decision --------------------------------------------


class RampState(SealedLines[RampEntry]):
    """The state file of one ramp, held by one process. Used as a context; `entries` are those on record."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(
            path,
            RampEntry.from_dict,
            in_use="this ramp is being decided by another process. Wait for it to end.",
            nothing="Nothing was decided",
        )


def read_entries(path: str | os.PathLike[str]) -> tuple[RampEntry, ...]:
    """The entries on record, for those who only look; none where there is no file. Nothing is written or locked."""
    return read_lines(path, RampEntry.from_dict)
