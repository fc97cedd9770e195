"""The shelf of reports: one file per form in which evaluations are shown or handed on."""
