"""Judging by models: which pairs, what is asked, who it was by hash, and asking until all is answered."""
