"""The shelf of interleavings: one file per way to show the rankings of several systems as one list."""
