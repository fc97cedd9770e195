"""Asking: a live engine is asked every query, gently, and every answer is kept as it comes."""

from rankproof.flow.asking.ask import Progress, ask_all
from rankproof.flow.asking.keeping import KEEP_NOTHING, Keeper, answer_key
from rankproof.flow.asking.limits import Limits
from rankproof.flow.asking.steps import ask_step

__all__ = ["KEEP_NOTHING", "Keeper", "Limits", "Progress", "answer_key", "ask_all", "ask_step"]
