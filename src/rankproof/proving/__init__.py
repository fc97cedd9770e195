"""Is the difference real, and may it ship? Comparisons, power, bounds, audits and gates."""
