"""Simulated clicks: drawn from a fitted click model, on given pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankproof.online.clickmodels.contract import Fitted
from rankproof.online.impressions import Impressions


def draw_clicks(fitted: Fitted, pages: Impressions, rng: np.random.Generator) -> Impressions:
    """The same pages with new clicks, drawn from the top down, each given the clicks above it."""
    drawn = replace(pages, clicks=np.zeros_like(pages.clicks))
    for rank in range(pages.ranks):
        click = rng.random(len(pages)) < fitted.conditional(drawn)[:, rank]
        clicks = drawn.clicks.copy()
        clicks[:, rank] = click & pages.there[:, rank]
        drawn = replace(drawn, clicks=clicks)
    return drawn
