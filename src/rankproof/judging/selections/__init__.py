"""The shelf of selections: one file per answer to the question which pairs should be judged next."""
