"""Pipeline: an engine and the stages its rankings flow through, as a value with a printed form.

bm25(k1=0.9) >> cutoff(depth=100)
fuse_rrf(bm25(), dense(), k=60) >> rerank_maxsim(depth=50)
rewrite(synonyms="words.txt") >> bm25()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from rankproof.records.jsontext import to_json


@dataclass(frozen=True, eq=False)
class Step:
    """An engine or a stage with every choice made, and what flows into it.

    said     the values that differ from the defaults, as text: what the printed form shows
    inputs   the pipelines that flow in: none for an engine, one or more for a stage; for an engine after a rewrite,
             the rewrite
    """

    shelf: Literal["engines", "stages"]
    name: str
    values: Mapping[str, Any]
    said: Mapping[str, str]
    inputs: tuple[Step, ...] = ()
    fuses: bool = False  # its inputs stand in its parentheses and not before it

    @cached_property
    def text(self) -> str:
        """The printed form, which reads back to the same pipeline."""
        said = [f"{name}={value}" for name, value in self.said.items()]
        if self.fuses:
            return f"{self.name}({', '.join([*(step.text for step in self.inputs), *said])})"
        call = f"{self.name}({', '.join(said)})"
        return " >> ".join([*(step.text for step in self.inputs), call])

    @cached_property
    def key(self) -> str:
        """SHA-256 of names, all values and all inputs: two steps with one key do the same."""
        own = to_json({"shelf": self.shelf, "name": self.name, "values": dict(self.values)})
        return sha256("\n".join(["step 1", own, *(step.key for step in self.inputs)]).encode()).hexdigest()

    def steps(self) -> Iterator[Step]:
        """Every step, inputs before what they flow into; a shared one as often as it flows."""
        for step in self.inputs:
            yield from step.steps()
        yield self

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)
