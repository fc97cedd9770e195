"""The shelf of formats: one file each, recognized by content, read into rows and written back.

A text format says where its columns are (a Layout) and the compiled core reads the file; other formats make
the rows themselves. See docs/adding/format.md.
"""
