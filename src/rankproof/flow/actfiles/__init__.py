"""Act files: judgments, flags, picks and preferences as JSON and CSV, and back; qrels as somebody's judgments."""

from rankproof.flow.actfiles.from_qrels import judgments_of
from rankproof.flow.actfiles.reading import read_acts
from rankproof.flow.actfiles.writing import ACTS_SCHEMA, KINDS, to_body, to_csv

__all__ = ["ACTS_SCHEMA", "KINDS", "judgments_of", "read_acts", "to_body", "to_csv"]
