"""Metrics of search that are ready by name, each with the columns it is made of. A design may change any of it.

clicks_per_search   ratio of the sums of `clicks` and `searches`; higher is better
abandonment         ratio of `abandoned` (searches without a click) and `searches`; lower is better
reformulation       ratio of `reformulated` (searches followed by another wording) and `searches`; lower is better
dwell               ratio of `dwell` (seconds on documents) and `clicks`; higher is better
success             share of units with `success` above 0; higher is better
latency             0.95 quantile of `latency`, of a unit's rows the mean; lower is better
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

READY: Mapping[str, Mapping[str, Any]] = {
    "clicks_per_search": {"kind": "ratio", "value": "clicks", "denominator": "searches"},
    "abandonment": {"kind": "ratio", "value": "abandoned", "denominator": "searches", "better": "lower"},
    "reformulation": {"kind": "ratio", "value": "reformulated", "denominator": "searches", "better": "lower"},
    "dwell": {"kind": "ratio", "value": "dwell", "denominator": "clicks"},
    "success": {"kind": "proportion", "value": "success"},
    "latency": {"kind": "quantile", "value": "latency", "at": 0.95, "better": "lower"},
}
