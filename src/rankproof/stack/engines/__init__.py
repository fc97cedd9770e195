"""The shelf of engines: things that answer queries, one file each."""
