"""Test collections of any layout: read, surveyed, split and written."""
