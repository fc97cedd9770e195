"""What every room stands on: shelves, the reader of names with options, estimates, verdicts, manifests, files."""
