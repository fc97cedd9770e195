"""The shelf of similarities: one file per measure between two rankings. They need no judgments."""
