"""Rounds of judging: which pair a judge gets next, who judged what, and how far everybody is."""
