"""For people who test rankings and people who add to rankproof: small tables, worked values, contract kits."""

from rankproof.testing.tables import ranked, table_of, value

__all__ = ["ranked", "table_of", "value"]
