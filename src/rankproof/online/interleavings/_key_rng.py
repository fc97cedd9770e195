"""KeyRng: numbers from a key, the same on every machine and in every release, without state between calls.

The SHA-256 of "experiment NUL key NUL n", for n = 0, 1, 2, ..., gives four whole numbers of 64 bits each, big-endian;
a number's upper 53 bits over 2^53 are a draw from 0 up to, but not including, 1. So a server in another language can
draw the same.
"""

from __future__ import annotations

import struct
from hashlib import sha256

_SCALE = 2.0**-53


class KeyRng:
    """A stream of draws. The experiment's name is part of it: what one experiment draws says nothing about another."""

    __slots__ = ("_blocks", "_left", "_start")

    def __init__(self, key: str, experiment: str = "") -> None:
        # surrogatepass: an id that is no valid text is still an id.
        self._start = sha256(f"{experiment}\0{key}\0".encode("utf-8", "surrogatepass"))
        self._blocks = 0
        self._left: list[int] = []

    def draw(self) -> float:
        """A number from 0 up to, but not including, 1."""
        if not self._left:
            block = self._start.copy()
            block.update(b"%d" % self._blocks)
            self._blocks += 1
            self._left = list(reversed(struct.unpack(">4Q", block.digest())))
        return (self._left.pop() >> 11) * _SCALE

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self.draw() * n)

    def shuffled(self, n: int) -> list[int]:
        """The numbers from 0 to n - 1 in an order that is as likely as any other (Fisher and Yates)."""
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order
