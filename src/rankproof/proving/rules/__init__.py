"""The shelf of rules that a gate may apply: one file each."""
