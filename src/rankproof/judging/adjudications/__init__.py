"""The shelf of adjudications: one file per way to make one grade of what several judges said."""
