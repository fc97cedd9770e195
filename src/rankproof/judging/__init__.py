"""Judgments by people and models: the store, rounds, agreement, calibration, correction."""
