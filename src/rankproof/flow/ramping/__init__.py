"""Ramping: a change on its way from an offline gate to all traffic, one recorded decision after the other."""
