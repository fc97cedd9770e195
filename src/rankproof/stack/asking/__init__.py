"""Live engines: requests with concurrency limits, pacing and retries; every answer stored as it arrives."""
