"""The shelf of checks: one file per fault of a run or qrels, named to read well after "allow"."""
