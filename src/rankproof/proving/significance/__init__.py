"""The shelf of paired tests and intervals: one file each."""
