"""The shelf of reports: one file per form in which answers are shown or handed on."""
