"""The shelf of judges: one file per kind of question to a language model."""
