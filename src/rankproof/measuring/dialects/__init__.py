"""The shelf of dialects: one file per tool whose numbers we reproduce exactly."""
