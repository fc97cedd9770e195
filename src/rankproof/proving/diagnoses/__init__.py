"""The shelf of patterns that tell what is wrong with a system. Those of rankproof stand in `patterns`."""
