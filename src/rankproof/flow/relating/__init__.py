"""Relating: across past changes, how well offline differences told what users would do."""
