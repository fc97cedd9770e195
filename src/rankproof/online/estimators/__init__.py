"""Estimators: one file per way to say what a new ranking would earn, from a log of another one."""
