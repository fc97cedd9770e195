"""Logs: files of pages and clicks, read batch by batch into columns of small numbers; one file per layout."""
