"""The shelf of what a gate may ask: one file each."""
