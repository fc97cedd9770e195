"""rankproof: is this ranking better, and may it ship? Numbers that can be defended."""

__version__ = "0.1.0"
