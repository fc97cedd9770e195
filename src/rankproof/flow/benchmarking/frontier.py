"""Frontier: the modes that are worth their price: no other one is as good for less, or better for as much."""

from __future__ import annotations

from collections.abc import Mapping


def unbeaten(gains: Mapping[str, float], prices: Mapping[str, float]) -> tuple[str, ...]:
    """Of the modes that have a price, those that no other one beats, cheapest first; more gain is better.

    >>> unbeaten({"a": 0.5, "b": 0.6, "c": 0.55}, {"a": 1.0, "b": 2.0, "c": 3.0})
    ('a', 'b')
    """
    priced = {name: (gains[name], -prices[name]) for name in prices if gains[name] == gains[name]}
    left = [
        name
        for name, own in priced.items()
        if not any(other[0] >= own[0] and other[1] >= own[1] and other != own for other in priced.values())
    ]
    return tuple(sorted(left, key=lambda name: (prices[name], name)))
