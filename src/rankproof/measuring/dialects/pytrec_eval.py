"""pytrec_eval (pytrec-eval-terrier), which is trec_eval 9.0.8 as a Python library.

checked: pytrec-eval-terrier 0.5.11, by running it
differs: as trec_eval 10, but scores are 32-bit floats, so that two close scores may be a tie, and levels of recall
    become whole documents by adding 0.9 and cutting
limits: it has no rbp, rbp_resid, unj and yaap: asked for here, they are rankproof's; the value of one query in `gm_map`
    and `gm_bpref` is AP or Bpref, where pytrec_eval gives its logarithm; interpolated precision of a ranking that `-J`
    leaves empty is 0 here and NaN there; a query whose grades are all below 0 has no number there, because pytrec_eval
    then reads memory it never wrote; wheels for 64-bit ARM may differ where the page of trec_eval_9 says `fused`

Two scores differ in the ninth digit. As 32-bit floats they are equal, and the greater id comes first:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 1}}
>>> run = {"q": {"a": 0.700000001, "b": 0.7}}
>>> mean("RR", qrels, run), mean("RR", qrels, run, dialect="pytrec_eval")
(1.0, 0.5)
"""

from __future__ import annotations

from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.reading.records import Order

READING = Reading(order=Order(precision="float32"), negatives="unjudged", missing="drop")

OFFERS = (
    Dialect(
        name="pytrec_eval",
        page=__doc__,
        reading=READING,
        defaults={"IPrec": {"rounding": "plus_0.9"}, "11pt": {"rounding": "plus_0.9"}},
    ),
)
