"""The inbox of a project: what a reviewer has to look at, in one list; filtered, searched, and resolved by name.

An item is named by the hash of what it is about. A flag that is given anew, a judge who grades otherwise, another
grade in a disagreement make another item: what was dismissed does not hide what came after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.records import SETTLING, Account, Judgment
from rankproof.judging.store.inbox import INBOX_KINDS, InboxKind, InboxRow
from rankproof.judging.store.loop import Resolution, ResolutionAct

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store

# What each kind is called, for one and for several.
KIND_NAMES: Mapping[InboxKind, tuple[str, str]] = {
    "flag": ("Flag", "Flags"),
    "cannot_tell": ("Cannot tell", "Cannot tell"),
    "disagreement": ("Disagreement", "Disagreements"),
    "model": ("Model against people", "Models against people"),
    "gold": ("Gold miss", "Gold misses"),
}
InboxState = Literal["open", "resolved", "all"]
INBOX_STATES: tuple[InboxState, ...] = ("open", "resolved", "all")
LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """Which items: of these kinds, about this judge, of queries that have these words, of one query, open or not."""

    kinds: tuple[InboxKind, ...] = INBOX_KINDS
    judge: str = ""
    search: str = ""
    query_id: str = ""
    state: InboxState = "open"


@dataclass(frozen=True, slots=True)
class InboxItem:
    """Something that waits, or that was resolved. `votes` are the grades of everybody, where they were looked up."""

    item: str
    row: InboxRow
    query: str
    resolution: Resolution | None
    votes: tuple[tuple[str, str, int | None], ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether nobody has resolved it."""
        return self.resolution is None

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        row, done = self.row, self.resolution
        return {
            "item": self.item,
            "kind": row.kind,
            "judge": row.judge,
            "query_id": row.query_id,
            "query": self.query,
            "doc_id": row.doc_id,
            "grade": row.grade,
            "other": row.other,
            "reason": row.reason,
            "note": row.note,
            "votes": [{"judge": judge, "source": source, "grade": grade} for judge, source, grade in self.votes],
            "resolution": None
            if done is None
            else {"act": done.act, "by": done.by, "note": done.note, "time": done.time},
        }


@dataclass(frozen=True, slots=True)
class InboxList:
    """A part of the items, how many there are, how many wait by kind, and the judges that they are about."""

    items: tuple[InboxItem, ...]
    total: int
    waiting: Mapping[InboxKind, int]
    judges: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "items": [one.to_dict() for one in self.items],
            "total": self.total,
            "waiting": dict(self.waiting),
            "judges": list(self.judges),
        }


def item_name(row: InboxRow) -> str:
    """The hash that names an item."""
    about = [row.kind, row.judge, row.query_id, row.doc_id]
    # A disagreement is another one when its grades spread otherwise; the others go by the act that they are about.
    about += [str(row.grade), str(row.other)] if row.kind == "disagreement" else [row.act, str(row.other)]
    return sha256("\0".join(about).encode("utf-8", "surrogatepass")).hexdigest()


def list_inbox(
    store: Store, project: Project, wanted: InboxFilter | None = None, *, offset: int = 0, limit: int = 50
) -> InboxList:
    """The items that a filter means, the newest first; `limit` of them with everybody's grades."""
    wanted = wanted or InboxFilter()
    slug = project.slug
    resolved = store.resolutions.holding(slug)
    texts = {query.query_id: query.text for query in store.items.queries(slug)}
    words = wanted.search.casefold().split()
    waiting: Counter[InboxKind] = Counter(dict.fromkeys(INBOX_KINDS, 0))
    judges: set[str] = set()
    found: list[InboxItem] = []
    for row in store.inbox.rows(slug):
        name = item_name(row)
        item = InboxItem(name, row, texts.get(row.query_id, row.query_id), _resolution(row, name, resolved))
        if item.is_open:
            waiting[row.kind] += 1
        if row.judge:
            judges.add(row.judge)
        if _fits(item, wanted, words):
            found.append(item)
    part = tuple(_with_votes(store, slug, found[offset : offset + limit]))
    return InboxList(part, len(found), dict(waiting), tuple(sorted(judges)))


def _fits(item: InboxItem, wanted: InboxFilter, words: Sequence[str]) -> bool:
    row = item.row
    if row.kind not in wanted.kinds or (wanted.judge and row.judge != wanted.judge):
        return False
    if wanted.query_id and row.query_id != wanted.query_id:
        return False
    if wanted.state != "all" and item.is_open != (wanted.state == "open"):
        return False
    if not words:
        return True
    text = " ".join((item.query, row.query_id, row.doc_id, row.reason, row.note, row.judge)).casefold()
    return all(word in text for word in words)


def _resolution(row: InboxRow, name: str, resolved: Mapping[str, Resolution]) -> Resolution | None:
    word = resolved.get(name)
    if word is None and row.settled and row.kind != "flag":
        return Resolution("", name, row.kind, row.query_id, row.doc_id, "settled", "")
    return word


def _with_votes(store: Store, slug: str, items: Sequence[InboxItem]) -> list[InboxItem]:
    votes: dict[tuple[str, str], tuple[tuple[str, str, int | None], ...]] = {}
    for one in items:
        pair = (one.row.query_id, one.row.doc_id)
        if pair not in votes:
            held = store.judgments.current(slug, query_id=pair[0], doc_id=pair[1])
            votes[pair] = tuple((act.judge, act.source.version or act.source.kind, act.grade) for act in held)
    return [replace(one, votes=votes[one.row.query_id, one.row.doc_id]) for one in items]


def find_item(store: Store, project: Project, name: str) -> InboxRow:
    """The item whose name begins so; an error where none does, or several."""
    rows = store.inbox.rows(project.slug)
    found = [row for row in rows if item_name(row).startswith(name)]
    if not found:
        raise UnknownName("item of the inbox", name[:64], [item_name(row)[:12] for row in rows] or ["none"])
    if len(found) > 1:
        raise UsageError(f"{len(found)} items have names that begin with {name[:64]!r}. Give more of the name.")
    return found[0]


@dataclass(frozen=True, slots=True)
class InboxAct:
    """What somebody does about an item: the pair that it is about, by its name; a grade settles the pair."""

    item: str
    query_id: str
    doc_id: str
    act: ResolutionAct
    note: str = ""
    grade: int | None = None
    key: str = ""


def resolve_item(store: Store, project: Project, doing: InboxAct, by: Account) -> InboxItem:
    """Records what somebody does about an item; an error where it is not there or somebody was faster."""
    slug = project.slug
    note = doing.note.strip()
    if len(note) > LONGEST_NOTE:
        raise UsageError(f"The note has more than {LONGEST_NOTE:,} characters. Shorten it.")
    if doing.act not in ("settled", "dismissed", "reopened"):
        raise UsageError(f"An item is settled, dismissed or reopened; got {doing.act[:40]!r}.")
    if doing.act == "dismissed" and not note:
        raise UsageError("Say in the note why it is dismissed.")
    if (doing.grade is None) == (doing.act == "settled"):
        raise UsageError("Whoever settles gives the grade, and nobody else does.")
    if doing.grade is not None and doing.grade not in project.scale.grades:
        raise UsageError(f"The scale has no grade {doing.grade}. It has: {', '.join(map(str, project.scale.grades))}.")
    rows = store.inbox.rows(slug, pair=(doing.query_id, doing.doc_id))
    row = next((row for row in rows if item_name(row) == doing.item), None)
    if row is None:
        raise UnknownName("item of the inbox", doing.item[:64], [item_name(row) for row in rows] or ["none"])
    key = doing.key or uuid4().hex
    word = Resolution(key, doing.item, row.kind, row.query_id, row.doc_id, doing.act, by.name, note)
    store.resolutions.add(slug, word)
    if doing.grade is not None:
        # Its key follows from the form's: sent twice, it is one act.
        settling = sha256(f"settles {key}".encode()).hexdigest()[:40]
        act = Judgment(settling, by.name, row.query_id, row.doc_id, doing.grade, note=note, source=SETTLING)
        store.judgments.settle(slug, act, by)
    query = store.items.query(slug, row.query_id).text
    holds = None if doing.act == "reopened" else word
    return _with_votes(store, slug, [InboxItem(doing.item, row, query, holds)])[0]
