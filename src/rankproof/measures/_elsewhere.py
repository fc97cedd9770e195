"""Names of ranx and BEIR for a measure with a choice made, in rankproof's words: `ndcg_burges@10`, `mrr-l2`.

Names that mean a measure with its defaults are spellings in the measure's own file.
"""

from __future__ import annotations

import re

# Matched without case, '-' as '_'.
NAMES = {
    "ndcg_burges": ("nDCG", "gain=exp2"),
    "dcg_burges": ("DCG", "gain=exp2"),
    "r_cap": ("R", "denominator=min_k"),
    "recall_cap": ("R", "denominator=min_k"),
}

# ranx's level of relevance comes last: `ndcg@10-l2`. Its patience comes without the 0: `rbp.95`.
_FORM = re.compile(r"(?P<name>[^()@]+?)(?:@(?P<at>[^()@]+?))?(?:-l(?P<rel>\d+))?")
_RBP = re.compile(r"rbp\.(\d+)")


def translated(token: str) -> str:
    """The token as rankproof writes it; as it is when it is no such name."""
    match = _FORM.fullmatch(token)
    if match is None:
        return token
    name, choices = NAMES.get(match["name"].casefold().replace("-", "_"), (match["name"], ""))
    patience = _RBP.fullmatch(name)
    if patience:
        name, choices = "RBP", f"p=0.{patience[1]}"
    if match["rel"]:
        choices = ",".join(filter(None, (choices, f"rel={match['rel']}")))
    if not choices:
        return token
    return f"{name}({choices})" + (f"@{match['at']}" if match["at"] else "")
