"""The layout of a log and the meaning of its columns: described in TOML, or detected from the names of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.source import read_toml

Layout = Literal["documents", "pages", "ubi", "ga4", "text"]
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
    "ga4": {},
    "text": {},
}
NEEDED: Mapping[Layout, tuple[str, ...]] = {
    "documents": ("query", "doc", "clicked"),
    "pages": ("query", "docs", "clicks"),
    "ubi": (),
    "ga4": (),
    "text": (),
}
# Columns that documents of User Behavior Insights have and others have not.
UBI = frozenset({"action_name", "query_response_hit_ids", "event_attributes", "_source"})
GA4 = frozenset({"event_name", "event_params"})
KEYS = ("layout", "clicks_are", "columns", "ubi", "ga4")


@dataclass(frozen=True, slots=True)
class Actions:
    """Which names of actions mean what, in User Behavior Insights."""

    impressions: tuple[str, ...] = ("impression",)
    clicks: tuple[str, ...] = ("click", "click_through")
    conversions: tuple[str, ...] = ("add_to_cart", "purchase")


@dataclass(frozen=True, slots=True)
class Ga4:
    """Which events and parameters mean what, in the events of Google Analytics 4.

    page    the parameter that the events of a page share; "": user, session and query
    query   the parameter of the query
    item    the field of an item that is the document
    """

    page: str = ""
    query: str = "search_term"
    item: str = "item_id"
    searches: tuple[str, ...] = ("view_search_results",)
    impressions: tuple[str, ...] = ("view_item_list",)
    clicks: tuple[str, ...] = ("select_item",)
    conversions: tuple[str, ...] = ("add_to_cart", "purchase")

    @property
    def names(self) -> frozenset[str]:
        """Of all events that mean something."""
        return frozenset((*self.searches, *self.impressions, *self.clicks, *self.conversions))

    @property
    def sentence(self) -> str:
        """The mapping in words."""
        page = f"the parameter {self.page}" if self.page else f"user, session and {self.query}"
        return (
            f"ga4: {' and '.join(self.impressions)} show, {' and '.join(self.clicks)} click, "
            f"{' and '.join(self.conversions)} convert; the query is {self.query}, a page is {page}"
        )


@dataclass(frozen=True, slots=True)
class LogDescription:
    """A description of a log; empty where everything is detected."""

    layout: Layout | None = None
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    clicks_are: ClicksAre | None = None
    actions: Actions = Actions()
    ga4: Ga4 = Ga4()


Mapped = TypeVar("Mapped", Actions, Ga4)


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
    actions = _named_events(Actions, document.get("ubi", {}), "ubi", place)
    ga4 = _named_events(Ga4, document.get("ga4", {}), "ga4", place)
    return LogDescription(layout, MappingProxyType(dict(columns)), clicks_are, actions, ga4)


def _named_events(kind: type[Mapped], table: object, what: str, place: str) -> Mapped:
    """The table of a description that says which events mean what."""
    defaults = {one.name: one.default for one in fields(kind)}
    if not isinstance(table, Mapping):
        raise UsageError(f'{place}: [{what}] has lines such as clicks = ["click"].')
    read: dict[str, Any] = {}
    for key, value in table.items():
        if key not in defaults:
            raise UnknownName(f"key of [{what}] in {place}", key, defaults)
        if isinstance(defaults[key], str):
            if not isinstance(value, str):
                raise UsageError(f"{place}: {key} of [{what}] must be a text; got {value!r:.60}.")
            read[key] = value
        elif isinstance(value, list) and all(isinstance(name, str) for name in value):
            read[key] = tuple(value)
        else:
            events = "actions" if what == "ubi" else "events"
            raise UsageError(f'{place}: {key} of [{what}] must be a list of names of {events}, such as ["click"].')
    return kind(**read)


def detect_layout(header: Sequence[str], description: LogDescription, name: str) -> tuple[Layout, Mapping[str, str]]:
    """The layout of a table and the column of each role: as described, otherwise by the usual names of columns."""
    layout = description.layout or _layout(header, description, name)
    if layout in ("ubi", "ga4", "text"):
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
    if folded >= GA4:
        return "ga4"
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
