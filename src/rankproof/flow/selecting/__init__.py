"""Selecting: which pair a judge is asked about next, who has said what about it, and how far everybody is."""
