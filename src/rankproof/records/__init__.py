"""Nouns: frozen values that know nothing else. To hold one is to hold a valid one."""
