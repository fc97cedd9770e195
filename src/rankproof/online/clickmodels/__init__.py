"""The shelf of click models: one file per account of what users look at and what makes them click."""
