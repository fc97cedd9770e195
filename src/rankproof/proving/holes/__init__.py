"""Unjudged documents: what nobody judged, and how far it could move values and differences."""
