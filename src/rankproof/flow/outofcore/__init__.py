"""Out of core: a run that is larger than memory, read in pieces of whole queries and joined piece by piece."""
