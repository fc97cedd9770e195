"""The JSON API: one file per noun, each ending in OPERATIONS; adding the file is the whole registration."""
