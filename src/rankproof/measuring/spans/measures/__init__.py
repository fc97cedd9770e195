"""The shelf of span measures: one file per measure."""
