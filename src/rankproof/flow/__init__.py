"""Verbs: functions from records to records. Nothing here prints or writes."""
