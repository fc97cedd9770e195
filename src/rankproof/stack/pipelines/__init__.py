"""Pipelines: their text read, their fit checked, their steps run once each."""
