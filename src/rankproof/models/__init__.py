"""Models that make vectors of texts, without torch: finding, reading and running them, keeping what they gave."""
