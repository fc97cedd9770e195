"""The shelf of corrections for families of tests: one file each."""
