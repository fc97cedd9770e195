"""Traces: what production recorded of its searches, as topics, rankings, calls of tasks and times."""
