"""The base of all packages: shelves, the reader of names with options, estimates, verdicts, manifests, files."""
