"""How the documents of a query are put in order: by what, and who wins a tie.

The record only names the rule. The rule itself is applied in one function of the compiled core
(`core/order.hpp`), and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

By = Literal["score", "rank", "given"]
Ties = Literal["id_descending", "id_ascending", "given"]
Precision = Literal["float64", "float32"]


@dataclass(frozen=True, slots=True)
class Order:
    """The rule by which a ranking is read out of rows."""

    by: By = "score"
    ties: Ties = "id_descending"
    precision: Precision = "float64"
    lower_is_better: bool = False

    def __str__(self) -> str:
        if self.by == "given":
            return "as given"
        if self.by == "rank":
            return "rank column ascending, then as given"
        direction = "ascending" if self.lower_is_better else "descending"
        width = "" if self.precision == "float64" else " (as 32-bit floats)"
        tie = {
            "id_descending": "then document id descending",
            "id_ascending": "then document id ascending",
            "given": "then as given",
        }[self.ties]
        return f"score {direction}{width}, {tie}"


DEFAULT_ORDER = Order()
