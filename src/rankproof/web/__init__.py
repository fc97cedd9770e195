"""The judging workbench in a browser, and its JSON API: read, call flow and the store, show."""
