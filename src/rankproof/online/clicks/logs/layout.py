"""The layout of a log and the meaning of its columns: described in TOML, or detected from the names of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.source import read_toml

Layout = Literal["documents", "pages", "ubi", "text"]
ClicksAre = Literal["ids", "ranks", "flags"]

# The roles of columns and their usual names; the first name that is present is used.
_BOTH = {
    "session": ("session", "session_id", "sessionid", "visit_id", "visit", "client_id", "visitor_id", "user_id"),
    "query": ("query_id", "query", "user_query", "search_term", "q"),
    # Not "page": in many logs that is the number of a page among all results of a query.
    "page": ("page_id", "impression_id", "serp_id", "search_id", "request_id"),
    "time": ("time", "timestamp", "ts", "shown_at"),
    "agent": ("user_agent", "useragent", "agent"),
}
NAMES: Mapping[Layout, Mapping[str, tuple[str, ...]]] = {
    "documents": {
        **_BOTH,
        "doc": ("doc_id", "doc", "document_id", "document", "item_id", "product_id", "sku", "url", "result_id"),
        "rank": ("rank", "position", "pos", "ordinal"),
        "clicked": ("clicked", "click", "is_click", "was_clicked"),
        "dwell": ("dwell", "dwell_time", "dwell_seconds"),
        "conversion": ("conversion", "converted", "purchase", "purchased"),
        "click_time": ("click_time", "clicked_at"),
    },
    "pages": {
        **_BOTH,
        "docs": ("docs", "doc_ids", "documents", "results", "shown", "items", "hits"),
        "clicks": ("clicks", "clicked", "clicked_docs", "clicked_ids"),
        "dwell": ("dwell", "dwells", "dwell_times"),
        "conversion": ("conversions", "converted", "purchases"),
    },
    "ubi": {},
    "text": {},
}
NEEDED: Mapping[Layout, tuple[str, ...]] = {
    "documents": ("query", "doc", "clicked"),
    "pages": ("query", "docs", "clicks"),
    "ubi": (),
    "text": (),
}
# Columns that documents of User Behavior Insights have and others have not.
UBI = frozenset({"action_name", "query_response_hit_ids", "event_attributes", "_source"})
KEYS = ("layout", "clicks_are", "columns", "ubi")


@dataclass(frozen=True, slots=True)
class Actions:
    """Which names of actions mean what, in User Behavior Insights."""

    impressions: tuple[str, ...] = ("impression",)
    clicks: tuple[str, ...] = ("click", "click_through")
    conversions: tuple[str, ...] = ("add_to_cart", "purchase")


@dataclass(frozen=True, slots=True)
class LogDescription:
    """A description of a log; empty where everything is detected."""

    layout: Layout | None = None
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    clicks_are: ClicksAre | None = None
    actions: Actions = Actions()


def read_description(path: str) -> LogDescription:
    """The description in a TOML file."""
    return description_of(read_toml(path), path)


def description_of(document: Mapping[str, Any], place: str) -> LogDescription:
    """The description in a dict of the shape of the TOML."""
    for key in document:
        if key not in KEYS:
            raise UnknownName(f"key of {place}", key, KEYS)
    layout = document.get("layout")
    if layout is not None and layout not in get_args(Layout):
        raise UsageError(f"{place}: layout must be one of {', '.join(get_args(Layout))}; got {layout!r}.")
    clicks_are = document.get("clicks_are")
    if clicks_are is not None and clicks_are not in get_args(ClicksAre):
        raise UsageError(f"{place}: clicks_are must be one of {', '.join(get_args(ClicksAre))}; got {clicks_are!r}.")
    columns = document.get("columns", {})
    known = [*NAMES["documents"], *NAMES["pages"]] if layout is None else list(NAMES[layout])
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) and name for name in columns.values()):
        raise UsageError(f'{place}: [columns] has lines such as query = "search_term".')
    for role in columns:
        if role not in known:
            raise UnknownName(f"column of [columns] in {place}", role, known)
    return LogDescription(layout, MappingProxyType(dict(columns)), clicks_are, _actions(document.get("ubi", {}), place))


def _actions(table: object, place: str) -> Actions:
    known = Actions.__dataclass_fields__
    if not isinstance(table, Mapping):
        raise UsageError(f'{place}: [ubi] has lines such as clicks = ["click"].')
    for key, names in table.items():
        if key not in known:
            raise UnknownName(f"key of [ubi] in {place}", key, known)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UsageError(f'{place}: {key} of [ubi] must be a list of names of actions, such as ["click"].')
    return Actions(**{key: tuple(names) for key, names in table.items()})


def detect_layout(header: Sequence[str], description: LogDescription, name: str) -> tuple[Layout, Mapping[str, str]]:
    """The layout of a table and the column of each role: as described, otherwise by the usual names of columns."""
    layout = description.layout or _layout(header, description, name)
    if layout in ("ubi", "text"):
        return layout, {}
    folded = {column.casefold(): column for column in header}
    columns = dict(description.columns)
    taken = set(columns.values())
    for role, names in NAMES[layout].items():
        usual = next((folded[n] for n in names if n in folded and folded[n] not in taken), None)
        if role not in columns and usual is not None:
            columns[role] = usual
            taken.add(usual)
    missing = [role for role in NEEDED[layout] if role not in columns]
    if missing:
        raise InputError(
            f"{name}: no column has a usual name for {_listed(missing)}. {_columns(header)} Name the column with "
            f'--schema, a TOML file with the lines [columns] and {missing[0]} = "NAME".'
        )
    return layout, columns


def _layout(header: Sequence[str], description: LogDescription, name: str) -> Layout:
    folded = {column.casefold() for column in header}
    if folded & UBI or {"query_id", "user_query"} <= folded:
        return "ubi"
    documents = NAMES["documents"]
    a_document = "doc" in description.columns or bool(folded & set(documents["doc"]))
    if a_document and ("rank" in description.columns or folded & set(documents["rank"])):
        return "documents"
    if "docs" in description.columns or folded & set(NAMES["pages"]["docs"]):
        return "pages"
    if a_document:
        return "documents"
    raise InputError(
        f"{name}: no column looks like documents. {_columns(header)} Name the column with --schema: "
        '[columns] with doc = "NAME" where each row is a document, or docs = "NAME" where each row is a page.'
    )


def _columns(header: Sequence[str]) -> str:
    return f"Its columns are: {', '.join(header)}." if header else "It has no columns."


def _listed(roles: Sequence[str]) -> str:
    return " or ".join(roles) if len(roles) < 3 else f"{', '.join(roles[:-1])} or {roles[-1]}"
