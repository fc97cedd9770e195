"""Counterfactual estimates: what a new ranking would have earned, from a log of pages that another one chose."""
