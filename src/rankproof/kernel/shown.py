"""Shown: what every answer can become in Python, under the same names; and Drawing, a chart that shows itself.

An answer knows its noun and its data. Reports turn it into text; they lie above the answers and are found on their
shelf by name, so that no record imports them.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.atomic import refuse, replace_file

if TYPE_CHECKING:
    from rankproof.kernel.data_table import DataTable

# Where a method writes: the path of a file.
FilePath = str | os.PathLike[str]
# Method -> the report of the shelf that makes its text.
METHODS = {
    "to_text": "table",
    "to_markdown": "markdown",
    "to_latex": "latex",
    "to_html": "html",
    "to_json": "json",
    "to_csv": "csv",
}


class Drawing:
    """A chart: it shows itself in a notebook, `svg` is its text, and `save` writes it.

    Attributes:
        svg: the whole file as text
        title: what the chart is about
    """

    __slots__ = ("svg", "title")

    def __init__(self, svg: str, title: str) -> None:
        self.svg: str = svg
        self.title: str = title

    def save(self, path: FilePath) -> None:
        """Writes the SVG file, whole or not at all."""
        name = os.fspath(path)
        if not name.casefold().endswith(".svg"):
            raise UsageError(
                f"{name}: a chart is written as SVG. Name a file that ends in .svg; browsers and drawing programs "
                "turn it into PNG or PDF."
            )
        replace_file(name, [self.svg.encode("utf-8", "replace")])

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f'<Drawing of {self.title}; save("chart.svg") writes it>'


class Shown(ABC):
    """The other forms of an answer. Each method returns the text, and writes it too where a path is given.

    A form that cannot hold the answer is refused with those that can.
    """

    __slots__ = ()
    _noun: ClassVar[str] = ""  # what reports call it: evaluation, comparison, verdict, benchmark

    def _shown(self) -> object:
        """What reports are given: the answer itself, unless they take a list of such answers."""
        return self

    @abstractmethod
    def _table(self, per_query: bool | None) -> DataTable:
        """The data; `per_query` None means the rows that the answer is about."""

    def to_text(self, path: FilePath | None = None, *, per_query: bool = False, full: bool = False) -> str:
        """Plain text with aligned tables, as the command line prints it; `print` shows the same. `full`: everything."""
        return self._text("to_text", path, per_query, full)

    def to_markdown(self, path: FilePath | None = None, *, per_query: bool = False) -> str:
        """Markdown, for a pull request or a page."""
        return self._text("to_markdown", path, per_query)

    def to_latex(self, path: FilePath | None = None, *, per_query: bool = False) -> str:
        """A LaTeX table, for a paper; it needs the package booktabs."""
        return self._text("to_latex", path, per_query)

    def to_html(self, path: FilePath | None = None, *, per_query: bool = False) -> str:
        """One HTML page with charts, complete in itself."""
        return self._text("to_html", path, per_query)

    def to_json(self, path: FilePath | None = None, *, per_query: bool = False) -> str:
        """JSON in full precision, by the schemas that `rankproof schema` prints."""
        return self._text("to_json", path, per_query)

    def to_csv(self, path: FilePath | None = None, *, per_query: bool = False) -> str:
        """Comma-separated values in full precision."""
        return self._text("to_csv", path, per_query)

    def to_pandas(self, per_query: bool | None = None) -> Any:
        """A pandas DataFrame; where a value does not exist it has NaN.

        An evaluation has a row per query, several evaluations a row per run, a comparison one per contrast, a verdict
        one per rule, a benchmark one per mode. `per_query=True` gives values by query, `False` those of all queries.
        """
        return self._table(per_query).to_pandas()

    def to_polars(self, per_query: bool | None = None) -> Any:
        """A polars DataFrame with the rows of `to_pandas`; what names a row is a column."""
        return self._table(per_query).to_polars()

    def to_arrow(self, per_query: bool | None = None) -> Any:
        """A pyarrow Table with the rows of `to_pandas`; what names a row is a column."""
        return self._table(per_query).to_arrow()

    def plot(self, measure: str | None = None) -> Drawing:
        """A chart of every measure, or of one: values by query, differences with intervals, rules against limits."""
        drawn: Drawing = shelf.find("reports", "html").chart(self._shown(), measure)
        return drawn

    def _text(self, method: str, path: FilePath | None, per_query: bool, full: bool = True) -> str:
        report = shelf.find("reports", METHODS[method])
        if self._noun not in report.holds:
            able = [f"{name}()" for name, form in METHODS.items() if self._noun in shelf.find("reports", form).holds]
            raise UsageError(
                f"{method}: {METHODS[method]} cannot hold a {self._noun}. Possible: {', '.join(able)}, to_pandas()."
            )
        if path is not None:
            refuse(os.fspath(path))  # before the work
        text: str = report.text_of(self._noun, self._shown(), per_query=per_query, full=full)
        if path is not None:
            replace_file(os.fspath(path), [text.encode("utf-8", "surrogateescape")])
        return text

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")
