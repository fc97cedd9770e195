"""Other tools' interfaces to rankproof."""
