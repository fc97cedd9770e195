"""The shelf of trials: one file per way to say how sure an effect between variants of a trial is."""
