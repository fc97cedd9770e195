"""Models that turn texts into vectors without torch: found, read and run, with vectors cached."""
