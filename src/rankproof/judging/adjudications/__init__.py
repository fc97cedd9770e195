"""The shelf of adjudications: one file per way to combine the grades of several judges into one."""
