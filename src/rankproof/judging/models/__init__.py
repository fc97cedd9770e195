"""Judging by models: which pairs, which questions, which judge by hash, and requests until all are answered."""
