"""The shelf of judges: one file per way in which a language model is asked about documents."""
