"""Random texts: words with endings, or signs that small letters and `\\w` treat in ways of their own."""

from __future__ import annotations

import random

ALPHABETS = (
    "abcdefgh     ",
    "abAB12_ .-",
    "aAbBßẞİıIiΣσςéÉ \u0301\u200d",
    "äöÄÖ ж Ж日本 語٣४Ⅷ²½ _",
    "a\0b\udcff\u0345ΑΣ. ΑΣ\u00ad",
)


def text_of(rng: random.Random, most: int) -> str:
    """A text of fewer than `most` words, or four times as many signs."""
    if rng.random() < 0.5:
        words = [
            f"{rng.choice(('run', 'tent', 'Tents', 'the', 'and', 'lamp', 'walk'))}" for _ in range(rng.randrange(most))
        ]
        words = [word + rng.choice(("", "s", "ing", "ed", "'s", ".")) for word in words]
        return " ".join(words)
    alphabet = rng.choice(ALPHABETS)
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(4 * most)))
