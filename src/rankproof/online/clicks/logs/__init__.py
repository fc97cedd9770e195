"""Log files read batch by batch into columns of small numbers; one file per layout."""
