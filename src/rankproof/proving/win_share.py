"""Share of wins: the sign test of wins against losses, with its Clopper-Pearson confidence interval."""

from __future__ import annotations

from rankproof.kernel.estimate import Estimate, NotEstimable

METHOD = "sign"


LEVEL = 0.95


def share_of_wins(wins: int, losses: int, level: float = LEVEL) -> Estimate | NotEstimable:
    """The share of wins with its interval, and the p-value of even chances; ties are not among them."""
    from scipy.special import bdtr, betaincinv  # here: loading scipy is for those who test

    n = wins + losses
    if n == 0:
        return NotEstimable("no query was won or lost", METHOD, 0)
    beyond = (1 - level) / 2
    low = float(betaincinv(wins, losses + 1, beyond)) if wins else 0.0
    high = float(betaincinv(wins + 1, losses, 1 - beyond)) if losses else 1.0
    p = min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5)))
    return Estimate(wins / n, low, high, p, level, METHOD, n, null=0.5)
