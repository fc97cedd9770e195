"""A file of queries and nothing else: what there is before anybody judged. It can be asked, and not measured."""

from __future__ import annotations

import os
import re

from rankproof.flow.datasets.parts import Asked, Layout, Parts
from rankproof.flow.datasets.queries import joined, read_queries
from rankproof.flow.source import open_source
from rankproof.formats.parquet import MAGIC as PARQUET
from rankproof.records.qrels import Qrels

_NAME = re.compile(r"quer(y|ies)|topics?", re.IGNORECASE)


def _fits(path: str) -> bool:
    """A text called so: what stands in a table of two columns cannot be told from its content."""
    if not os.path.isfile(path) or not _NAME.search(os.path.basename(path)):
        return False
    return not open_source(path).head.startswith(PARQUET)


def _read(path: str, asked: Asked) -> Parts:
    from rankproof.core._core import Rows

    queries = joined([(path, read_queries(path, asked.field))])
    return Parts(queries, Qrels.of(Rows.from_columns([], []), path), None, notes=("no judgments: only queries",))


UNJUDGED = Layout("queries", "a file called queries or topics, without judgments", _fits, _read, ("field",))
