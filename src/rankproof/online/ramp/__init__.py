"""Ramps: a change on its way from the offline gate to all traffic, one recorded decision after the other."""
