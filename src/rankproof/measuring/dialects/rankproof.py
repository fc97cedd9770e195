"""rankproof's own defaults: equal to trec_eval 10 with -c, except negative grades, undefined positions and RBP.

Order: score descending, then document id descending. Population: every query in the qrels; a query missing from
the run is an empty ranking. A grade below 0 is judged and not relevant.
"""

from __future__ import annotations

from rankproof.measuring.dialects.contract import Dialect

OFFERS = (Dialect(name="rankproof", page=__doc__),)
