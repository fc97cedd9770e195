"""Datasets: reading, surveying and splitting test collections of any layout."""

from rankproof.flow.datasets.reading import read_dataset
from rankproof.flow.datasets.splitting import split, with_splits
from rankproof.flow.datasets.survey import survey

__all__ = ["read_dataset", "split", "survey", "with_splits"]
