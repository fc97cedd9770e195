"""Audit: reported values that cannot be true together, and runs that are not what they are claimed to be."""
