"""The same flow on a distributed engine: `rankproof.scale.spark`. Imported only on request."""
