"""pytrec_eval (pytrec-eval-terrier), which is trec_eval 9.0.8 as a Python library.

As trec_eval 10, but scores are 32-bit floats, so that two close scores may be a tie, and levels of recall become
whole documents by adding 0.9 and cutting. It has no rbp, rbp_resid, unj and yaap: asked for here, they are rankproof's.
The value of one query in `gm_map` and `gm_bpref` is AP or Bpref; pytrec_eval gives its logarithm.
"""

from __future__ import annotations

from rankproof.dialects._contract import Dialect, Reading
from rankproof.records.order import Order

READING = Reading(order=Order(precision="float32"), negatives="unjudged", missing="drop")

OFFERS = (
    Dialect(
        name="pytrec_eval",
        page=__doc__,
        reading=READING,
        defaults={"IPrec": {"rounding": "plus_0.9"}, "11pt": {"rounding": "plus_0.9"}},
    ),
)
