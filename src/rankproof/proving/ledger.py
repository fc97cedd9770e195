"""Ledger: what was tried against which judgments, one sealed line per gate, and the error that each attempt may spend.

Twenty candidates that are no better than the baseline give one that passes by chance far more often than one does. A
ledger counts attempts: a candidate under a policy, against judgments, each known by its content. The same candidate
gated again under the same policy is the same attempt. With `spend_error` attempt k has the share 6 / (pi^2 k^2) of the
error that the policy allows (alpha spending). The shares of all attempts together come to 1 (1 + 1/4 + 1/9 + ... is
pi^2 / 6), so the chance of at least one false PASS is at most the error of the policy (union bound), however many
attempts there will be and whatever they have in common. It holds for candidates that were fixed without looking at
results on these judgments, not for what was tuned on them; and as far as the bounds of the policy's method hold.

Lines that were changed or removed are noticed by their seals (`kernel/sealed_lines.py`); lines removed from the end by
a small file beside the ledger, PATH.head, that has the number and the seal of the last one.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import get_args

from rankproof.errors import InputError
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.documents import now, plain
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.sealed_lines import SealedEntry, SealedLines, content_of
from rankproof.kernel.sections import counted, percent
from rankproof.kernel.verdict import Status
from rankproof.measuring.identity import file_hash, is_plain_file
from rankproof.proving.gate_case import GateCase
from rankproof.proving.manifest import is_expensive
from rankproof.proving.policy import Clause, Policy, path_keys, rests_on_bounds
from rankproof.proving.values_case import ValuesCase

# The version of a line; it changes when a field changes its meaning or goes.
VERSION = 1
# How long a gate waits for another one that holds the ledger, in seconds.
WAIT = 60.0
ENDING = ".head"


def spend_share(attempt: int) -> float:
    """The share of the policy's error that an attempt has: 6 / (pi^2 k^2), which add up to 1 over all attempts.

    >>> [round(spend_share(k), 4) for k in (1, 2, 3, 20)]
    [0.6079, 0.152, 0.0675, 0.0015]
    """
    return 6 / (math.pi * attempt) ** 2


def spent_confidence(confidence: float, attempt: int) -> float:
    """The confidence of bounds whose error is the attempt's share of that of the policy.

    >>> round(spent_confidence(0.95, 1), 4), round(spent_confidence(0.95, 2), 4)
    (0.9696, 0.9924)
    """
    return 1 - (1 - confidence) * spend_share(attempt)


def spent_clauses(clauses: Sequence[Clause], attempt: int) -> tuple[Clause, ...]:
    """The rules of a policy, where one has a confidence of its own with that of the attempt."""
    return tuple(
        clause
        if (own := clause.values.get("confidence")) is None
        else replace(clause, values={**clause.values, "confidence": spent_confidence(float(own), attempt)})
        for clause in clauses
    )


# ---- records -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tried:
    """What an attempt is known by: the SHA-256 of judgments, candidate, and policy with all else that it looks at."""

    judgments: str
    candidate: str
    policy: str


@dataclass(frozen=True, slots=True)
class LedgerEntry(SealedEntry):
    """One line. `attempt` counts the different attempts on the same judgments from 1."""

    n: int
    before: str
    tried: Tried
    attempt: int
    spend_error: bool
    status: Status
    names: Mapping[str, str]
    observed: Mapping[str, object] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, object]:
        """All that the seal covers."""
        return {
            "ledger": VERSION,
            "n": self.n,
            "before": self.before,
            **plain(self.tried),
            "attempt": self.attempt,
            "spend_error": self.spend_error,
            "status": self.status,
            "names": dict(self.names),
        }

    @classmethod
    def from_dict(cls, stored: object, place: str) -> LedgerEntry:
        """What `to_dict` gave; refused where the seal does not fit."""
        keys = {"n", "before", "judgments", "candidate", "policy", "attempt", "spend_error", "status", "names", "seal"}
        if not isinstance(stored, dict) or not keys <= stored.keys() or not isinstance(stored["names"], dict):
            raise InputError(
                f"{place}: this is not a line of a ledger. Check that it is the right file, or bring it back from a "
                "copy."
            )
        entry = cls(
            stored["n"],
            stored["before"],
            Tried(stored["judgments"], stored["candidate"], stored["policy"]),
            stored["attempt"],
            stored["spend_error"],
            stored["status"],
            stored["names"],
            stored.get("observed") or {},
        )
        if entry.status not in get_args(Status) or stored["seal"] != entry.seal or stored.get("ledger") != VERSION:
            raise InputError(
                f"{place}: the line is not what was written: its seal does not fit. Bring the file back from a copy; "
                "attempts are counted from an unchanged ledger only."
            )
        return entry


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the ledger says of one gate; part of its verdict.

    number       which of the different attempts on these judgments it is, from 1
    attempts     how many there are by now, this one included
    repeats      how often this very attempt was gated before
    spend_error  whether the policy's error is shared out over attempts
    confidence   the least that a rule of the policy asks for: 1 minus the error of one false PASS
    unspent      other attempts that were decided with the whole error, where this one spends
    elsewhere    attempts on other judgments in the same ledger
    plain        rules that compare plain values, which no error covers
    mended       the ledger ended in half a line, which was removed
    ground       what attempts are counted on: "judgments", or the "units" of tables of scores
    seal         of its line; "" before it is written
    """

    path: str
    number: int
    attempts: int
    repeats: int
    spend_error: bool
    confidence: float
    unspent: int = 0
    elsewhere: int = 0
    plain: int = 0
    mended: bool = False
    ground: str = "judgments"
    seal: str = ""

    @property
    def tried_before(self) -> int:
        """How many other attempts were made before this one was first."""
        return self.number - 1

    def to_dict(self) -> dict[str, object]:
        """For JSON; `share` is what the attempt may spend, None where it has all of the error."""
        share = spend_share(self.number) if self.spend_error else None
        fields = {name: value for name, value in plain(self).items() if name != "ground"}
        return {"tried_before": self.tried_before, "share": share, **fields}

    def lines(self) -> list[str]:
        """What a reader should know, in sentences without a period."""
        again = "; gated before, which counts once" if self.repeats else ""
        more = f"; {counted(self.attempts - self.number, 'attempt')} since" if self.attempts > self.number else ""
        lines = [
            f"ledger: attempt {self.number} on these {self.ground}, {self.tried_before} tried before{again}{more} "
            f"({self.path})",
            self._error(),
        ]
        if self.unspent:
            lines.append(
                f"{counted(self.unspent, 'other attempt')} on these {self.ground} had the whole error: the promise "
                "covers only those that spend"
            )
        if self.plain and self.spend_error:
            lines.append(
                f"{counted(self.plain, 'rule')} of the policy compared plain values, which spending does not cover"
            )
        if self.elsewhere:
            lines.append(
                f"{counted(self.elsewhere, 'attempt')} on other {self.ground} in this ledger not counted: "
                f"{self.ground} that change begin a new count"
            )
        if self.mended:
            lines.append(
                "the ledger ended in half a line, of a gate that was stopped before it answered; it was removed"
            )
        return [line for line in lines if line]

    def _error(self) -> str:
        error = 1 - self.confidence
        if self.spend_error:
            return (
                f"error spending: this attempt may spend {percent(spend_share(self.number))} of the policy's error of "
                f"{percent(error)}, so bounds at {percent(self.confidence)} are bounds at "
                f"{percent(spent_confidence(self.confidence, self.number))}; over all attempts, at least one false "
                f"PASS has a chance of at most {percent(error)}, for candidates fixed before results were seen; tuning "
                "on reported means is not covered"
            )
        if self.attempts == 1:
            return ""
        return (
            f"no error spending: over {self.attempts} attempts, at least one false PASS has a chance of up to "
            f"{percent(min(1.0, self.attempts * error))} (spend_error = true keeps it at {percent(error)})"
        )


# ---- the file ------------------------------------------------------------------------------------


class Ledger(SealedLines[LedgerEntry]):
    """The ledger, held by one gate from counting to writing, so that no two gates get one number."""

    def __init__(self, path: str, wait: float = WAIT) -> None:
        super().__init__(
            path,
            LedgerEntry.from_dict,
            in_use=f"another gate has held it for {wait:g} seconds. Wait for it to end, then run this one again.",
            nothing="Nothing was decided",
            wait=wait,
        )

    def attempt(self, tried: Tried, policy: Policy) -> Attempt:
        """Which attempt this is."""
        assert policy.ledger is not None
        spends = policy.ledger.spend_error
        numbers = {e.tried: e.attempt for e in self.entries if e.tried.judgments == tried.judgments}
        whole = {e.tried for e in self.entries if e.tried in numbers and e.tried != tried and not e.spend_error}
        number = numbers.get(tried, len(numbers) + 1)
        return Attempt(
            self.path,
            number,
            len(numbers) + (tried not in numbers),
            repeats=sum(e.tried == tried for e in self.entries),
            spend_error=spends,
            confidence=least_confidence(policy),
            unspent=len(whole) if spends else 0,
            elsewhere=len({e.tried for e in self.entries} - numbers.keys() - {tried}),
            plain=sum(clause.values.get("basis") == "point" for clause in policy.clauses),
            mended=self.torn,
            ground="judgments" if policy.scores is None else "units",
        )

    def keep(self, attempt: Attempt, tried: Tried, status: Status, names: Mapping[str, str]) -> Attempt:
        """Writes the line of a decided attempt; when this returns it is on the disk."""
        before = self.entries[-1].seal if self.entries else ""
        entry = LedgerEntry(
            len(self.entries) + 1, before, tried, attempt.number, attempt.spend_error, status, names, {"time": now()}
        )
        self.append(entry)
        self._keep_head()
        return replace(attempt, seal=entry.seal)

    def require(self, entries: tuple[LedgerEntry, ...]) -> None:
        """Refuses a ledger that has lost lines at its end."""
        head = f"{self.path}{ENDING}"
        if not os.path.lexists(head):
            if len(entries) > 1:  # a gate that was killed after its first line leaves one line and no head
                raise InputError(
                    f"{head} is missing, so nobody can say whether lines were removed from the end of {self.path}. "
                    "Bring both files back from a copy."
                )
            return
        count, seal = _read_head(head)
        if count > len(entries):
            raise InputError(
                f"{self.path}, line {len(entries) + 1}: it is missing or not what was written; the ledger had "
                f"{counted(count, 'line')}. Bring the file back from a copy."
            )
        if entries[count - 1].seal != seal:
            raise InputError(
                f"{self.path}, line {count}: it is not the line that {head} names: the ledger was written anew. Bring "
                "both files back from a copy."
            )

    def _settled(self) -> tuple[LedgerEntry, ...]:
        self.entries = super()._settled()
        self._keep_head()  # a gate may have been killed between its line and this
        return self.entries

    def _keep_head(self) -> None:
        if self.entries:
            head = {"n": len(self.entries), "seal": self.entries[-1].seal}
            replace_file(f"{self.path}{ENDING}", [f"{to_json(head)}\n".encode()])


def _read_head(path: str) -> tuple[int, str]:
    try:
        head = json.loads(content_of(path))
        count, seal = head["n"], head["seal"]
    except (ValueError, KeyError, TypeError, RecursionError):
        count, seal = 0, ""
    if not isinstance(count, int) or count < 1 or not isinstance(seal, str):
        raise InputError(f"{path}: it does not name the last line of a ledger. Bring it back from a copy.")
    return count, seal


# ---- what an attempt is known by -----------------------------------------------------------------


def least_confidence(policy: Policy) -> float:
    """The least confidence that a rule with bounds asks for."""
    own = (clause.values["confidence"] for clause in policy.clauses if rests_on_bounds(clause))
    return min((policy.confidence if level is None else float(level) for level in own), default=policy.confidence)


def tried_in(case: GateCase) -> Tried:
    """The identity of a case: its judgments, its candidate, and the policy with everything else that it looks at.

    Names, titles and paths do not count. The runs are measured first: their hashes are of what was measured.
    """
    policy = case.policy
    if case.measures:
        _ = case.evaluations
    if isinstance(case, ValuesCase):
        runs = [given.prepared.content_hash() for given in case.given]
    else:
        sources = [policy.candidate, policy.baseline]
        runs = [_run_hash(case, i, source) for i, source in enumerate(sources[: len(case.runs)])]
    rest = {
        "rules": [{"rule": clause.rule, **_values(clause)} for clause in policy.clauses],
        "statistics": policy.statistics,
        "choices": plain(dict(sorted(policy.choices.items()))),
        "spend_error": policy.ledger is not None and policy.ledger.spend_error,
        "baseline": runs[1:],
        "queries": _source_hash(policy.queries),
        "latency": _source_hash(policy.latency),
        **({} if policy.scores is None else {"scores": plain(policy.scores)}),
    }
    return Tried(case.ground_hash, runs[0], sha256(to_json(rest).encode()).hexdigest())


def _values(clause: Clause) -> dict[str, object]:
    """The values of a rule; of files what they hold."""
    files = path_keys(clause.rule)
    return {key: _source_hash(value) if key in files else plain(value) for key, value in clause.values.items()}


def _run_hash(case: GateCase, at: int, source: object) -> str:
    """Of a run's content; of the bytes of a file so large that reading it again would take longer than measuring it."""
    return file_hash(source) if is_expensive(source) else case.runs[at].content_hash()


def _source_hash(source: object) -> str | None:
    """Of a file's bytes; of an object's text."""
    if source is None or source == "":
        return None
    if is_plain_file(source):
        return file_hash(source)
    return sha256(repr(source).encode("utf-8", "surrogatepass")).hexdigest()
