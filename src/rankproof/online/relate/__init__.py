"""Offline against online: across past changes, how well offline differences predicted online effects."""
