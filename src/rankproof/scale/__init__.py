"""The same flow on a distributed engine: `rankproof.scale.spark`. Loaded only when somebody asks for it."""
