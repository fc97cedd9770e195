"""The only writer: what rankproof keeps on disk goes through here."""
