"""The shelf of measures: one file each, with name, formula, fine print, source and a worked example.

A measure is NumPy over a JudgedTable, all queries at once. See docs/adding/measure.md.
"""
