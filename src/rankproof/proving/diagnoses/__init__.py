"""The shelf of patterns that tell what is wrong with a system: one file each."""
